// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostile.c JSON WANTED - 100,000 hits as --json prints them, with the worst strings and numbers there are
 *
 * WANTED gets a line for each: the string's bytes in hexadecimal, the character's, and the numbers, in
 * decimal. Strings: every byte, every pair of bytes, then pieces that are cut, overlong, surrogates, separators
 * of lines and quotes, by chance one behind the other. None has a NUL: that ends the kernel's.
 */
#include <inttypes.h>

#include "attach/backends.h"
#include "kernel/release.h"
#include "print/json.h"
#include "print/text.h"

enum { NR_HITS = 100000, NR_PAIRS = 255 * 255, MAX_PIECES = 12 };

static uint64_t random_u64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

enum { F_STRING, F_CHAR, F_UNSIGNED, F_HEX, F_SIGNED, NR_FIELDS };

static struct layout_field fields[NR_FIELDS] = {
	[F_STRING] = { .name = "s", .type = { .kind = TYPE_STRING }, .count = 1 },
	[F_CHAR] = { .name = "c", .type = { .kind = TYPE_CHAR, .size = 1 }, .count = 1 },
	[F_UNSIGNED] = { .name = "n", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1 },
	[F_HEX] = { .name = "x", .type = { .kind = TYPE_HEX, .size = 8 }, .count = 1 },
	[F_SIGNED] = { .name = "i", .type = { .kind = TYPE_SIGNED, .size = 8 }, .count = 1 },
};

static struct layout layout = { .backend = &backend_kprobe, .event = "hostile", .group = "kprobes", .fields = fields, .nr_fields = NR_FIELDS };

static void make_string(unsigned i, struct buf *out)
{
	static const char *const pieces[] = {
		"\"", "\\", "\n", "\r", "\t", "\b", "\x1b[2J", "\x7f", "/", "</script>", "{\"bytes\":\"41\"}", "\\u0000",
		"\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf", "\xef\xbf\xbd", "\xc3\xa9", "\xf0\x9f\x98\x80",
		"\x80", "\xbf", "\xc3", "\xe2\x80", "\xf0\x9f\x98",		/* lone, or cut */
		"\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf",			/* longer than need be */
		"\xed\xa0\x80", "\xed\xb0\x80", "\xed\xa0\x80\xed\xb0\x80",	/* halves of pairs */
		"\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\xfe",	/* beyond the last */
		"plain", " ", "'", "a long piece without anything odd in it",
	};

	buf_reset(out);
	if (i <= 255) {
		if (i)
			buf_addc(out, (char)i);
		return;
	}
	i -= 256;
	if (i < NR_PAIRS) {
		buf_addc(out, (char)(1 + i / 255));
		buf_addc(out, (char)(1 + i % 255));
		return;
	}
	for (unsigned n = 1 + random_u64() % MAX_PIECES; n; n--)
		buf_adds(out, pieces[random_u64() % ARRAY_SIZE(pieces)]);
}

/* Around what a double holds, the ends, and any length of others. */
static uint64_t make_number(void)
{
	static const uint64_t edges[] = {
		0, 1, (1ull << 53) - 1, 1ull << 53, (1ull << 53) + 1, -(1ull << 53), -(1ull << 53) - 1, 1ull << 63,
		(1ull << 63) - 1, UINT64_MAX, UINT32_MAX,
	};

	return random_u64() % 3 ? random_u64() >> random_u64() % 64 : edges[random_u64() % ARRAY_SIZE(edges)];
}

static void put_number(char *body, unsigned f, uint64_t n)
{
	memcpy(body + fields[f].off, &n, fields[f].type.size);
}

static void add_hit(struct text *t, const struct buf *s, struct buf *json, struct buf *wanted)
{
	_Alignas(8) static char bytes[4096];
	char *body = bytes + BP_BODY_OFF;
	uint64_t addr = 0xffffffff81000000u, n = make_number(), x = make_number(), i = make_number();
	uint8_t c = (uint8_t)random_u64();
	uint32_t loc = ((uint32_t)s->len + 1) << 16 | layout.dyn_off;
	struct event ev;

	memset(bytes, 0, sizeof(bytes));
	*(struct bp_rec *)(void *)bytes = (struct bp_rec){ .ts = random_u64() >> 11, .common_pid = 1, .comm = "x" };
	memcpy(body + LAYOUT_COMMON, &addr, sizeof(addr));
	memcpy(body + fields[F_STRING].off, &loc, sizeof(loc));
	if (s->len)
		memcpy(body + layout.dyn_off, s->data, s->len);
	put_number(body, F_CHAR, c);
	put_number(body, F_UNSIGNED, n);
	put_number(body, F_HEX, x);
	put_number(body, F_SIGNED, i);
	if (!event_decode(&layout, (const void *)bytes, BP_BODY_OFF + layout.dyn_off + (uint32_t)s->len + 1, &ev))
		abort();
	json_event(t, &ev, json);
	for (size_t b = 0; b < s->len; b++)
		buf_addf(wanted, "%02x", (unsigned char)s->data[b]);
	buf_addf(wanted, " %02x %" PRIu64 " %" PRIu64 " %" PRId64 "\n", c, n, x, (int64_t)i);
}

static void write_file(const char *path, const struct buf *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text->data, 1, text->len, f) != text->len || fclose(f)) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct buf s = { 0 }, json = { 0 }, wanted = { 0 };
	struct text t = { 0 };

	if (argc != 3)
		return 64;
	context_rules_init(&t.rules, RELEASE(6, 12), true);
	fields[F_CHAR].mark = fields[F_UNSIGNED].mark = fields[F_HEX].mark = fields[F_SIGNED].mark = LAYOUT_NO_MARK;
	layout_compute(&layout);
	for (unsigned i = 0; i < NR_HITS; i++) {
		make_string(i, &s);
		add_hit(&t, &s, &json, &wanted);
	}
	write_file(argv[1], &json);
	write_file(argv[2], &wanted);
	text_fini(&t);
	return 0;
}
