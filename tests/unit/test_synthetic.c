// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_synthetic.c - definitions of synthetic events: what is accepted, how it is listed, and where the caret is.
 *
 * The verdicts are those of 6.12's source (trace_events_synth.c, __create_synth_event()), except that a field's name must not come
 * twice. tests/guest/suites/hist.sh asks the kernel itself.
 */
#include <errno.h>
#include <stdlib.h>

#include "lang/synthetic.h"
#include "plan/layout_text.h"
#include "plan/synthetic.h"
#include "print/json.h"
#include "print/text.h"
#include "put_values.h"
#include "tap.h"

static const struct {
	const char *text;
	const char *printed;		/* NULL: refused */
	const char *message;		/* a part of it */
	unsigned off, len;		/* the caret */
} texts[] = {
	{ "s:n u32 a", "s:synthetic/n u32 a", NULL, 0, 0 },
	{ "  s:synthetic/n   u32 a ; ", "s:synthetic/n u32 a", NULL, 0, 0 },
	{ "s:n u32 a u32 b", "s:synthetic/n u32 a; u32 b", NULL, 0, 0 },
	{ "s:n unsigned int a; unsigned  long b; unsigned char c", "s:synthetic/n unsigned int a; unsigned long b; unsigned char c", NULL, 0, 0 },
	{ "s:n u32 a; # u32 b", "s:synthetic/n u32 a", NULL, 0, 0 },
	{ "s:n # u32 b", NULL, "needs a field", 0, 3 },
	{ "s:n char c[16]; char d[]; char[8] e; gfp_t g; bool h; pid_t p", "s:synthetic/n char[16] c; char[] d; char[8] e; gfp_t g; bool h; pid_t p",
	  NULL, 0, 0 },
	{ "s:n long[] st; unsigned long[] su", "s:synthetic/n long[] st; unsigned long[] su", NULL, 0, 0 },
	{ "s:n char a[256]", "s:synthetic/n char[256] a", NULL, 0, 0 },
	{ "s:n char a[0x8]", "s:synthetic/n char[0x8] a", NULL, 0, 0 },
	{ "s:n", NULL, "needs a field", 0, 3 },
	{ "s:n ;", NULL, "expected before this", 4, 1 },
	{ "s:n ; u32 a", NULL, "expected before this", 4, 1 },
	{ "s:n;u32 a", NULL, "is not a name", 2, 5 },
	{ "s: u32 a", NULL, "is not a name", 2, 0 },
	{ "s:9n u32 a", NULL, "is not a name", 2, 2 },
	{ "s:kprobes/n u32 a", NULL, "the group of synthetic events", 2, 7 },
	{ "s:n u33 a", NULL, "is not a type", 4, 3 },
	{ "s:n u32", NULL, "a type and a name", 4, 3 },
	{ "s:n u32 a; s64", NULL, "a type and a name", 11, 3 },
	{ "s:n unsigned a", NULL, "a type and a name", 4, 8 },
	{ "s:n unsigned s64 a", NULL, "is not a type", 4, 12 },
	{ "s:n u32 a-b", NULL, "is not a name", 8, 3 },
	{ "s:n u32 a; u64 a", NULL, "there is a field 'a' already", 11, 5 },
	{ "s:n char a[257]", NULL, "at most 256 bytes", 11, 3 },
	{ "s:n char a[1000]", NULL, "up to three characters", 11, 4 },
	{ "s:n char a[x]", NULL, "up to three characters", 11, 1 },
	{ "s:n char a[4", NULL, "an array is [N] or []", 10, 2 },
	{ "s:n u32 a if a > 1", "s:synthetic/n u32 a if a > 1", NULL, 0, 0 },
	{ "s:n u32 a; char b[8]  if  a>1&&b==\"x y\" ", "s:synthetic/n u32 a; char[8] b if a > 1 && b == \"x y\"", NULL, 0, 0 },
	{ "s:n u32 a; if a == 3", "s:synthetic/n u32 a if a == 3", NULL, 0, 0 },
	{ "s:n u32 a u32 b if b == 3; u32 c", NULL, "after a complete comparison", 25, 1 },
	{ "s:n if a == 3", NULL, "needs a field", 0, 3 },
	{ "s:n u32 if", "s:synthetic/n u32 if", NULL, 0, 0 },
	{ "s:n u32 a if", NULL, "the filter is empty", 12, 0 },
	{ "s:n u32 a if a >", NULL, "nothing to compare 'a' with", 16, 0 },
	{ "s:n u32 a[4]", NULL, "an array is char[N]", 9, 3 },
};

static void test_texts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct arena arena = { 0 };
		struct diag diag = { 0 };
		struct buf got = { 0 };
		struct synthetic_def *def;
		int err = synthetic_parse(&arena, arena_strdup(&arena, texts[i].text), &def, &diag);

		if (!err)
			synthetic_print(def, &got);
		if (texts[i].printed)
			CHECK(!err && !strcmp(buf_str(&got), texts[i].printed), "'%s' is '%s' (%s)", texts[i].text, buf_str(&got), buf_str(&diag.msg));
		else
			CHECK(err && strstr(buf_str(&diag.msg), texts[i].message) && diag.at.off == texts[i].off && diag.at.len == texts[i].len,
			      "'%s' is refused: %s (%u, %u)", texts[i].text, buf_str(&diag.msg), diag.at.off, diag.at.len);
		buf_fini(&got);
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

static int parse_fields(struct arena *arena, unsigned nr, struct synthetic_def **ret)
{
	struct buf text = { 0 };
	struct diag diag = { 0 };
	int err;

	buf_adds(&text, "s:n");
	for (unsigned i = 0; i < nr; i++)
		buf_addf(&text, " u64 f%u;", i);
	err = synthetic_parse(arena, arena_strdup(arena, buf_str(&text)), ret, &diag);
	diag_fini(&diag);
	buf_fini(&text);
	return err;
}

static int parse_name(struct arena *arena, unsigned len)
{
	struct synthetic_def *def;
	struct diag diag = { 0 };
	char name[128];
	int err;

	memset(name, 'n', sizeof(name));
	err = synthetic_parse(arena, arena_printf(arena, "s:%.*s u32 a", (int)len, name), &def, &diag);
	diag_fini(&diag);
	return err;
}

static void test_limits(void)
{
	struct arena arena = { 0 };
	struct synthetic_def *def;

	CHECK(!parse_fields(&arena, SYNTHETIC_MAX_FIELDS, &def) && def->nr_fields == SYNTHETIC_MAX_FIELDS, "%d fields", SYNTHETIC_MAX_FIELDS);
	CHECK(synthetic_plan(&arena, def)->layout.fixed == 16 + 64 * 8, "and their layout");
	CHECK(parse_fields(&arena, SYNTHETIC_MAX_FIELDS + 1, &def) == -E2BIG, "%d fields are too many", SYNTHETIC_MAX_FIELDS + 1);
	CHECK(!parse_name(&arena, LANG_MAX_EVENT_NAME), "a name of %d bytes", LANG_MAX_EVENT_NAME);
	CHECK(parse_name(&arena, LANG_MAX_EVENT_NAME + 1) == -E2BIG, "a name of %d bytes is too long", LANG_MAX_EVENT_NAME + 1);
	arena_fini(&arena);
}

/* The kernel prints such events as NAME: FIELD=VALUE..., without a location, and strings without quotes (print_synth_event()). */
static void test_lines(void)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct synthetic_def *def = NULL;
	_Alignas(8) unsigned char bytes[1024] = { 0 };
	struct value values[] = { { .n = 7 }, { .n = (uint64_t)-5 }, { .s = "a \"b\"" }, { .n = 0xcc0 } };
	struct text text = { 0 };
	struct buf out = { 0 };
	struct layout *l, back;
	const char *at;
	struct event ev;

	CHECK(!synthetic_parse(&arena, arena_strdup(&arena, "s:n u32 a; s8 b; char c[]; gfp_t g"), &def, &diag), "a definition for lines");
	l = &synthetic_plan(&arena, def)->layout;
	put_values(bytes + BP_BODY_OFF, l, values);
	event_decode(l, (struct bp_rec *)(void *)bytes, sizeof(bytes), &ev);
	context_rules_init(&text.rules, 0x060c00, false);
	text_event(&text, &ev, &out);
	CHECK(strstr(buf_str(&out), ": n: a=7 b=-5 c=a \"b\" g=cc0\n"), "the line: %s", buf_str(&out));
	text_fini(&text);
	buf_reset(&out);
	json_event(&text, &ev, &out);
	CHECK(strstr(buf_str(&out), ",\"event\":\"n\",\"group\":\"synthetic\",\"flags\":"), "JSON has no place: %s", buf_str(&out));
	text_fini(&text);
	buf_reset(&out);
	layout_print(l, &out);
	at = buf_str(&out);
	CHECK(!layout_parse(&arena, &at, &back) && back.is_synthetic && back.nr_fields == 4, "the layout's text is read back");
	buf_fini(&out);
	diag_fini(&diag);
	arena_fini(&arena);
}

int main(void)
{
	test_texts();
	test_limits();
	test_lines();
	return tap_done();
}
