// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_text.c - lines compared with the same lines made by printf, for random hits.
 */
#include <inttypes.h>

#include "attach/backends.h"
#include "kernel/release.h"
#include "print/put.h"
#include "print/text.h"

#include "tap.h"

static uint64_t random_u64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Numbers of each length, not only long ones. */
static uint64_t some_number(void)
{
	return random_u64() >> random_u64() % 64;
}

/* ---- numbers ---- */

static bool number_right(uint64_t n)
{
	char want[32], got[64];

	snprintf(want, sizeof(want), "%" PRIu64, n);
	*put_dec(got, n) = '\0';
	if (strcmp(got, want))
		return false;
	snprintf(want, sizeof(want), "%" PRIx64, n);
	*put_hex(got, n) = '\0';
	if (strcmp(got, want))
		return false;
	snprintf(want, sizeof(want), "%06u", (unsigned)(n % 1000000));
	*put_six(got, (uint32_t)(n % 1000000)) = '\0';
	return !strcmp(got, want);
}

static void test_numbers(void)
{
	unsigned wrong = 0;

	for (uint64_t power = 1, i = 0; i < 20; i++, power *= 10)
		wrong += !number_right(power) + !number_right(power - 1);
	for (unsigned i = 0; i <= 64; i++)
		wrong += !number_right(UINT64_MAX >> 1 >> (63 - MIN(i, 63u)));
	wrong += !number_right(UINT64_MAX) + !number_right(0);
	for (unsigned i = 0; i < 100000; i++)
		wrong += !number_right(some_number());
	CHECK(!wrong, "numbers: %u wrong", wrong);
	for (unsigned n = 0; n < 1000000; n++) {
		char got[6 + PUT_SLACK];
		unsigned back = 0;

		put_six(got, n);
		for (unsigned i = 0; i < 6; i++)
			back = back * 10 + (unsigned)(got[i] - '0');
		wrong += back != n;
	}
	CHECK(!wrong, "all numbers of six digits: %u wrong", wrong);
}

/* ---- lines ---- */

enum { STRING_MAX = 80 };

static struct layout_field fields[] = {
	{ .name = "a", .type = { .kind = TYPE_HEX, .size = 8 }, .count = 1 },
	{ .name = "sig", .type = { .kind = TYPE_SIGNED, .size = 4 }, .count = 1, .mark = LAYOUT_NO_MARK },
	{ .name = "a_name_that_is_too_long_for_the_place_that_is_kept", .type = { .kind = TYPE_UNSIGNED, .size = 2, .count = 3 },
	  .count = 3, .mark = LAYOUT_NO_MARK },
	{ .name = "s", .type = { .kind = TYPE_STRING }, .count = 1, .room = STRING_MAX },
	{ .name = "c", .type = { .kind = TYPE_CHAR, .size = 1 }, .count = 1, .mark = LAYOUT_NO_MARK },
};

struct hit {
	_Alignas(8) char bytes[512];
	uint64_t addr, caller, a;
	int32_t sig;
	uint16_t list[3];
	char s[STRING_MAX];
	uint32_t len;			/* of s */
	char c;
	bool fault;
};

static void make_hit(struct hit *h, const struct layout *l)
{
	struct bp_rec *rec = (void *)h->bytes;
	char *body = h->bytes + BP_BODY_OFF, *at = body + LAYOUT_COMMON;
	uint32_t loc;
	uint64_t marks;

	memset(h->bytes, 0, sizeof(h->bytes));
	*rec = (struct bp_rec){
		.ts = some_number(), .cpu = (uint16_t)(some_number() % 1200), .migrate = (uint16_t)(random_u64() % 4),
		.preempt = 0x80000000 | (random_u64() % 3), .tif = random_u64() % 2 ? 8 : 0,
		.eflags = random_u64() % 2 ? 0x200 : 0,
		.tgid = (uint32_t)(some_number() % 5000000 * (random_u64() % 50 ? 1 : 400)),
		.common_pid = random_u64() % 5 ? (int32_t)(some_number() % 5000000) : 0,
	};
	for (unsigned i = 0, n = random_u64() % (BP_COMM_LEN + 1); i < n; i++)
		rec->comm[i] = random_u64() % 50 ? (char)('a' + i) : (char)(1 + random_u64() % 255);
	h->addr = random_u64() % 3 ? 0xffffffff81000000 + random_u64() % 3 : some_number();
	h->caller = random_u64() % 3 ? 0xffffffff82000000 : some_number();
	h->a = some_number();
	h->sig = (int32_t)some_number() * (random_u64() % 2 ? 1 : -1);
	h->fault = random_u64() % 8 == 0;
	h->len = (uint32_t)(random_u64() % STRING_MAX);
	for (unsigned i = 0; i < h->len; i++)
		h->s[i] = random_u64() % 20 ? (char)('!' + random_u64() % 90) : (char)(1 + random_u64() % 255);
	h->c = (char)random_u64();
	memcpy(at, &h->addr, 8);
	if (l->is_return)
		memcpy(at + 8, &h->caller, 8);
	memcpy(body + fields[0].off, &h->a, 8);
	memcpy(body + fields[1].off, &h->sig, 4);
	for (unsigned i = 0; i < 3; i++)
		h->list[i] = (uint16_t)some_number();
	memcpy(body + fields[2].off, h->list, sizeof(h->list));
	loc = (h->len + 1) << 16 | l->dyn_off;
	memcpy(body + fields[3].off, &loc, 4);
	body[fields[4].off] = h->c;
	marks = (uint64_t)h->fault << fields[0].mark;
	memcpy(body + l->marks_off, &marks, 8);
	memcpy(body + l->dyn_off, h->s, h->len);
}

static void escape(struct buf *out, const char *s, uint32_t len, char quote)
{
	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == (unsigned char)quote || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (c == '\n' || c == '\t' || c == '\r')
			buf_addf(out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
		else if (c < 0x20 || c == 0x7f)
			buf_addf(out, "\\x%02x", c);
		else
			buf_addc(out, (char)c);
	}
}

static void location(struct buf *out, uint64_t n, bool caller)
{
	if (!n && caller)
		buf_adds(out, "0");
	else
		buf_addf(out, "0x%" PRIx64, n);
}

/* Before the event, as in 6.12 (kernel/trace/trace_output.c, trace_print_context()). */
static void reference_head(const struct bp_rec *rec, const struct layout *l, const struct text *t, struct buf *out)
{
	uint64_t ns = rec->ts + (uint64_t)t->base.offset;
	char flags[5] = "", task[BP_COMM_LEN + 1] = "<idle>";

	for (unsigned i = 0; rec->common_pid && i < BP_COMM_LEN; i++) {
		unsigned char c = (unsigned char)rec->comm[i];

		task[i] = c && (c < 0x20 || c == 0x7f) && !t->raw_strings ? '?' : (char)c;
	}
	buf_addf(out, "%16s-%-7d ", task, rec->common_pid);
	if (t->columns.tgid)
		buf_addf(out, "(%7d) ", (int)rec->tgid);
	if (t->columns.flags == COLUMN_FLAGS_5)
		context_flags(&t->rules, rec, l, flags);
	if (t->columns.flags == COLUMN_FLAGS_4)
		context_flags4(&t->rules, rec, l, flags);
	buf_addf(out, "[%03u] %.5s %5" PRIu64 ".", rec->cpu, flags, ns / 1000000000);
	if (t->columns.ns)
		buf_addf(out, "%09u", (unsigned)(ns % 1000000000));
	else
		buf_addf(out, "%06u", (unsigned)(ns / 1000 % 1000000));
}

/* The line, made by printf. */
static void reference(const struct hit *h, const struct layout *l, const struct text *t, struct buf *out)
{
	struct palette palette = t->palette;
	const char *colour = palette_event(&palette, l->event);

	reference_head((const void *)h->bytes, l, t, out);
	buf_addf(out, ": %s%s%s: (", colour, l->event, *colour ? "\033[m" : "");
	location(out, l->is_return ? h->caller : h->addr, l->is_return);
	if (l->is_return) {
		buf_adds(out, " <- ");
		if (!h->addr && l->func)
			buf_adds(out, l->func);
		else
			location(out, h->addr, false);
	}
	if (h->fault)
		buf_adds(out, ") a=(fault)");
	else
		buf_addf(out, ") a=0x%" PRIx64, h->a);
	buf_addf(out, " sig=%d %s={%u,%u,%u} s=\"", h->sig, fields[2].name, h->list[0], h->list[1], h->list[2]);
	escape(out, h->s, h->len, '"');
	buf_adds(out, "\" c='");
	escape(out, &h->c, 1, '\'');
	buf_adds(out, "'\n");
}

/* From now on other columns and another clock: a reader has the same for all its lines. */
static void other_columns(struct text *text)
{
	text_fini(text);
	*text = (struct text){
		.columns = { .flags = (enum column_flags)(random_u64() % 3), .tgid = random_u64() % 2,
			     .ns = random_u64() % 2 },
		.base.offset = random_u64() % 2 ? (int64_t)some_number() / 4 : 0,
		.palette.on = random_u64() % 2,
	};
	context_rules_init(&text->rules, RELEASE(6, 12), true);
}

static void test_lines(void)
{
	struct layout layouts[] = {
		{ .backend = &backend_kprobe, .event = "entry", .fields = fields, .nr_fields = ARRAY_SIZE(fields) },
		{ .backend = &backend_kprobe, .event = "ret", .fields = fields, .nr_fields = ARRAY_SIZE(fields), .is_return = true, .func = "f" },
	};
	struct text text = { 0 };
	unsigned wrong = 0;

	context_rules_init(&text.rules, RELEASE(6, 12), true);
	for (unsigned i = 0; i < 50000; i++) {
		struct layout *l = &layouts[random_u64() % 2];
		struct buf got = { 0 }, want = { 0 };
		struct event ev;
		struct hit h;

		fields[0].mark = fields[3].mark = 0;
		layout_compute(l);
		make_hit(&h, l);
		if (i % 1000 == 0)
			text_symbols(&text, NULL);
		if (i >= 10000 && i % 500 == 0)
			other_columns(&text);
		if (event_decode(l, (const void *)h.bytes, l->short_size, &ev))
			text_event(&text, &ev, &got);
		reference(&h, l, &text, &want);
		if (strcmp(buf_str(&got), buf_str(&want)) && !wrong++)
			printf("# got  %s# want %s", buf_str(&got), buf_str(&want));
		buf_fini(&got);
		buf_fini(&want);
	}
	text_fini(&text);
	CHECK(!wrong, "lines: %u wrong", wrong);
}

int main(void)
{
	test_numbers();
	test_lines();
	return tap_done();
}
