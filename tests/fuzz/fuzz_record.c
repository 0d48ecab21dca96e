// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_record.c - any bytes as a record of a ring, with any layout that a kept event's text can have. What is printed of it is, in each style, lines
 * without control characters, and as JSON one object; both forms of objects are valid.
 *
 * An input is the text of the layout, a NUL, and the record. See damage.h: the originals are records of the definitions below.
 */
static const char fuzz_name[] = "fuzz_record";

#include "damage.h"
#include "kernel/syms/ksyms.h"
#include "lang/dialect.h"
#include "plan/layout_text.h"
#include "plan/plan.h"
#include "plan/synthetic.h"
#include "print/folded.h"
#include "print/frames.h"
#include "print/json.h"
#include "print/json_columns.h"
#include "print/json_flat.h"
#include "print/sink.h"
#include "print/stack.h"

#include "../unit/dat_sheet.h"
#include "../unit/json_reader.h"

/* @out: what was printed. */
static void require_of(bool good, const char *what, const struct buf *out)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_record: %s: <<%s>>\n", what, out ? out->data : "");
	abort();
}

/* Lines, each of which ends. */
static void check_lines(struct buf *out)
{
	buf_str(out);
	require_of(!out->len || out->data[out->len - 1] == '\n', "a line without an end", out);
	for (size_t i = 0; i < out->len; i++)
		require_of((unsigned char)out->data[i] >= ' ' ? out->data[i] != 0x7f : out->data[i] == '\n', "a control character in a line", out);
}

static void check_stacks(const struct text *text, const struct event *ev)
{
	for (unsigned kind = 0; kind < STACK_KINDS; kind++) {
		struct stack stack;
		struct frame frame;

		if (!stack_get(ev, (enum stack_kind)kind, &stack))
			continue;
		require(stack.nr <= LAYOUT_MAX_FRAMES, "more frames than a stack has");
		for (unsigned i = 0; i < stack.nr; i++)
			stack_place(text, ev, &stack, i, &frame);
	}
}

/* Read once. */
static const struct ksyms *symbols(void)
{
	static const char table[] = "ffffffff81000000 T _stext\nffffffff81000010 T f\nffffffff81000100 T _etext\nffffffff81001000 B _end\n"
				    "ffffffffc0002000 t g\t[mod]\n";
	static struct ksyms *ks;
	struct diag d = { 0 };
	char path[32];
	int fd;

	if (ks)
		return ks;
	fd = memfd_create("kallsyms", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	require(write(fd, table, sizeof(table) - 1) == sizeof(table) - 1 && !ksyms_load_with(path, NULL, &ks, &d), "symbols");
	close(fd);
	return ks;
}

static void check_event(const struct layout *layout, const struct event *ev)
{
	struct arena arena = { 0 };
	struct text text = { .ks = symbols() };
	struct buf out = { 0 };
	const struct column *columns;

	context_rules_init(&text.rules, RELEASE(6, 12), true);
	json_event(&text, ev, &out);
	require_of(json_is_line(buf_str(&out)), "no object", &out);
	json_flatten(&out, 0);
	require_of(json_is_line(buf_str(&out)), "no object without objects in it", &out);
	text_fini(&text);
	for (enum style style = STYLE_KPROBE; style < STYLE_COUNT; style++) {
		text = (struct text){ .style = style, .width = 60, .ks = symbols() };
		context_rules_init(&text.rules, RELEASE(5, 10), false);
		buf_reset(&out);
		style_sink(style)->event(NULL, &text, ev, &out);
		check_lines(&out);
		text_fini(&text);
	}
	check_stacks(&text, ev);
	json_columns_clash(&arena, layout);
	json_columns(&arena, layout, &columns);
	buf_fini(&out);
	arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char nothing[BP_BODY_OFF];
	const uint8_t *end = memchr(data, '\0', size);
	struct layout layout;
	struct arena arena = { 0 };
	const char *text;
	struct event ev;
	uint32_t len;
	char *record;

	if (!end)
		return 0;
	text = arena_strdup(&arena, (const char *)data);
	len = (uint32_t)(data + size - end - 1);
	if (!layout_parse(&arena, &text, &layout) && len >= sizeof(nothing)) {
		layout.group = "g";
		layout.event = "e";
		record = malloc(len);		/* as long as it is, and where a record may begin */
		memcpy(record, end + 1, len);
		if (event_decode(&layout, (const void *)record, len, &ev))
			check_event(&layout, &ev);
		free(record);
	}
	arena_fini(&arena);
	return 0;
}

#ifdef STANDALONE

static const char *const definitions[] = {
	"p f", "r f $retval", "p 0xffffffff81000000 a=%di", "p f+9 a=%di:u8 b=%di:s16 c=%di:x32 d=%di:char",
	"p f a=+0(%di):string b=+0(%si):ustring[3] c=$comm d=\\\"text\\\"", "p f a=%di:b3@5/32 b=%di:symbol c=%di:symstr",
	"f(int dfd, string path, x32 flags, NULL, x16 mode)", "p:e f a0 a1", "p f a=+0(%di):u8[64] b=+8(+0(%si)):s64 c=+u0(%dx):x8",
	"p f a=%di:errno b=+0(%di):string[*] c=+0(%di):sockaddr d=+0(%di):ip6[3] e=%di:be16 g=%si:ip4 h=+0(%di):mac",
	"r f $elapsed t=$elapsed:s32 $retval", "p f a=+0(%di):bytes(%si) b=+0(%di):hex(4095) n=%si:s32 c=+0(%di):hex(n) d=+0(%di):bytes(8)",
	"s:n u32 fd; unsigned long[] st; char c[8]",
};

#define FIELD	"field x 8 0 0 0 1 - 0 - 0 0 - a\n"

/* Of other kinds of probes, and with stacks. */
static const char *const heads[] = {
	"layout p fentry - kprobe - entry f\n" FIELD, "layout p fentry - kprobe - entry f\nstack kernel\n" FIELD, "layout p kprobe int3 kprobe - - f\nstack user\n" FIELD,
	"layout p fentry - kprobe - entry f\nstack kernel\nstack user-text\n" FIELD, "layout r fentry - v13 - - f\nstack user-ids\n" FIELD,
	"layout p uprobe - kprobe - - main\nkind uprobe 64 /bin/sh\n" FIELD, "layout r uprobe - kprobe - - \nkind uprobe 64 /bin/sh\nstack user\n" FIELD,
	"layout p tracepoint - kprobe - - \nkind event 0 a.b\nfield s 4 0 0 0 1 - 0 - 0 0 - on\nshow enum -\nvalue 1 ON\nvalue 0 OFF\n",
	"layout p kprobe - function parent entry f\nfield x 8 0 0 0 1 - 0 - 0 0 - __parent\nfield char 1 0 0 4 4 - 0 - 0 0 - c\n",
	"layout r kprobe - rfc-v2 - - f\n" FIELD,
};

static const char user_text[] = "main+0x10/0x20 [/bin/sh]\n/bin/sh[+0x1139]\nf(int (&) [3])+0x1/0x2 [/a b]\n0x1234\n";

enum { SEEDS = ARRAY_SIZE(definitions) + ARRAY_SIZE(heads) };

static const struct layout *layout_of(struct arena *arena, const char *text)
{
	struct synthetic_def *synthetic;
	struct facts facts = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct diag diag = { 0 };

	if (*text == 's' && !synthetic_parse(arena, arena_strdup(arena, text), &synthetic, &diag))
		plan = synthetic_plan(arena, synthetic);
	else if (dialect_parse(arena, text, DIALECT_DETECT, &def, &diag) || plan_resolve(arena, def, &facts, &plan, &diag))
		fprintf(stderr, "fuzz_record: %s: %s\n", text, buf_str(&diag.msg));
	diag_fini(&diag);
	if (!plan)
		abort();
	return &plan->layout;
}

static void make_seed(struct arena *arena, unsigned i, struct buf *out)
{
	static char bytes[1 << 17] __attribute__((aligned(8)));
	const struct layout *layout;
	struct layout with;
	const char *text;
	uint32_t len;

	if (i < ARRAY_SIZE(definitions)) {
		layout = layout_of(arena, definitions[i]);
		layout_print(layout, out);
		with = *layout;
	} else {
		buf_adds(out, heads[i - ARRAY_SIZE(definitions)]);
		text = buf_str(out);
		if (layout_parse(arena, &text, &with))
			abort();
	}
	buf_addc(out, '\0');
	len = make_record(bytes, &with, 1000, 1);
	for (unsigned kind = 0; kind < STACK_KINDS; kind++) {
		const uint64_t frames[3] = { 0xffffffff81000014, 0xffffffff81000020, 0xffffffffc0002001 };
		uint32_t room = kind == STACK_USER_IDS ? 3 * LAYOUT_FRAME_ID : kind == STACK_USER_TEXT ? sizeof(user_text) - 1 : sizeof(frames);
		uint32_t loc = room << 16 | (len - BP_BODY_OFF);

		if (!(with.stacks & 1u << kind))
			continue;
		memcpy(bytes + BP_BODY_OFF + with.stack_off[kind], &loc, sizeof(loc));
		memset(bytes + len, 1, room);
		memcpy(bytes + len, kind == STACK_USER_TEXT ? user_text : (const void *)frames, MIN(room, kind == STACK_USER_TEXT ? room : (uint32_t)sizeof(frames)));
		len += room;
	}
	buf_add(out, bytes, len);
}

int main(int argc, char **argv)
{
	struct original all[SEEDS] = { 0 };
	struct arena arena = { 0 };
	int status;

	sheet_is_small = true;
	for (unsigned i = 0; i < SEEDS; i++) {
		make_seed(&arena, i, &all[i].bytes);
		all[i].from = strlen(all[i].bytes.data) + 1;	/* the record, behind its layout */
		all[i].to = all[i].bytes.len;
	}
	status = damage(argc, argv, all, SEEDS);
	arena_fini(&arena);
	return status;
}

#endif
