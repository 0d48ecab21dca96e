// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_dialect.c - the dialect of a definition, if no option names it.
 */
#include <errno.h>

#include "lang/dialect.h"
#include "refused.h"

static struct arena arena;

/* @readings: what else it could be, as letters of k(probe), r(fc-v2) and v(13). */
static const struct {
	const char *text;
	enum dialect dialect;
	const char *readings;
} detected[] = {
	{ "p vfs_read", DIALECT_KPROBE, "" },
	{ "r vfs_read", DIALECT_KPROBE, "" },
	{ "p:e f %di +0(%si):string", DIALECT_KPROBE, "" },
	{ "p:e f dfd filename:string", DIALECT_KPROBE, "" },
	{ "-:e", DIALECT_KPROBE, "" },
	/* one reading */
	{ "SyS_openat(int dfd, string path, x32 flags, x16 mode)", DIALECT_FUNCTION, "" },
	{ "r f($retval)", DIALECT_FUNCTION, "" },
	{ "p:myprobe do_sys_open a0 a1 a2 a3", DIALECT_V13, "kv" },
	{ "p f +8(a0)", DIALECT_V13, "kv" },
	{ "p 0xffffffff81445480 s0 m0x10", DIALECT_RFC_V2, "" },
	{ "p f+16 sa", DIALECT_V13, "" },
	/* parameters may have these names */
	{ "p do_sys_open a1 a2 a3 a4", DIALECT_KPROBE, "krv" },
	{ "p:e f a1", DIALECT_KPROBE, "kv" },
	{ "r do_sys_open rv", DIALECT_KPROBE, "krv" },
	{ "r do_sys_open rv rp", DIALECT_KPROBE, "kr" },
	{ "r:myretprobe do_sys_open rv ra", DIALECT_KPROBE, "kv" },
	{ "p f +8(s1)", DIALECT_KPROBE, "kv" },
	{ "p f m0x10", DIALECT_KPROBE, "kr" },
	{ "p f r8", DIALECT_KPROBE, "kr" },
	/* and the other word is kprobe_events' only */
	{ "p f a0 x=$arg1", DIALECT_KPROBE, "" },
	{ "p f a1:u8", DIALECT_KPROBE, "" },
	{ "p:g/e f s1 s2", DIALECT_KPROBE, "" },
	{ "p f a0->b", DIALECT_KPROBE, "" },
};

static void check_detected(const char *text, enum dialect dialect, const char *readings)
{
	struct probe_def *def = NULL;
	struct diag d = { 0 };
	char all[DIALECT_COUNT + 1] = "";

	if (!CHECK(!dialect_parse(&arena, text, DIALECT_DETECT, &def, &d) && def, "'%s' is accepted: %s", text,
		   buf_str(&d.msg)))
		goto out;
	CHECK(def->dialect == dialect && def->detected == (dialect != DIALECT_KPROBE), "'%s' is %s", text,
	      dialect_name(def->dialect));
	for (unsigned i = 0, nr = 0; def->readings && i < DIALECT_COUNT; i++) {
		if (def->readings[i])
			all[nr++] = *dialect_name(i);
		CHECK(!def->readings[i] || def->readings[i]->dialect == i, "'%s' as %s", text, dialect_name(i));
	}
	CHECK(!strcmp(all, readings), "'%s' has the readings '%s', not '%s'", text, readings, all);
out:
	diag_fini(&d);
}

static int detect(struct arena *a, const char *text, struct probe_def **ret_def, struct diag *diag)
{
	return dialect_parse(a, text, DIALECT_DETECT, ret_def, diag);
}

/* Errors are those of kprobe_events, except for a prototype. */
static const struct refused refused[] = {
	{ "^x^ f", -EINVAL, "starts with 'p', 'r' or '-'", NULL },
	{ "p f ^$none^", -EINVAL, "unknown variable", NULL },
	{ "f(^in^ a)", -EINVAL, "unknown type", NULL },
	{ "p 0xffffffff81445480 ^a1^ a2", -EINVAL, "in two ways", "--dialect=v13 reads" },
	{ "p 0xffffffff81445480 ^a1^ x", -EINVAL, "entry or return", NULL },
	{ "p f ^=^a0", -EINVAL, "no name", NULL },
	/* a forgotten '%', and a name */
	{ "p 0xffffffff81445480 ^r8^", -EINVAL, "'r8' is a word of rfc-v2", "--dialect=rfc-v2 reads" },
	{ "p 0xffffffff81445480 s0 ^m16^", -EINVAL, "'m16' is a word of rfc-v2", "m16=@0x10" },
};

static void test_names(void)
{
	enum dialect d;

	for (unsigned i = 0; i < DIALECT_COUNT; i++)
		CHECK(dialect_find(dialect_name(i), &d) && d == i, "%s is found", dialect_name(i));
	CHECK(!dialect_find("detect", &d) && !dialect_find("", &d) && !dialect_find("v12", &d), "nothing else is");
}

/* An option decides the dialect. */
static void test_wanted(void)
{
	struct probe_def *def = NULL;
	struct diag d = { 0 };

	CHECK(!dialect_parse(&arena, "p f a0", DIALECT_KPROBE, &def, &d) && def->dialect == DIALECT_KPROBE &&
	      !def->readings && !def->detected, "kprobe's a0 is a parameter");
	CHECK(!dialect_parse(&arena, "p f s1", DIALECT_RFC_V2, &def, &d) && def->dialect == DIALECT_RFC_V2 &&
	      !def->detected, "rfc-v2's s1 is a word");
	CHECK(!dialect_parse(&arena, "-:e", DIALECT_FUNCTION, &def, &d) && def->kind == DEF_REMOVE,
	      "'-:' is for all of them");
	CHECK(dialect_parse(&arena, "p f a0", DIALECT_FUNCTION, &def, &d) == -EINVAL, "p f is no prototype");
	def = NULL;
	CHECK(!dialect_parse(&arena, " # f()", DIALECT_DETECT, &def, &d) && !def, "a comment is no definition");
	diag_fini(&d);
}

/* What its listing alone cannot do. */
static void test_listed(void)
{
	static const struct {
		enum dialect dialect;
		bool faithful;
		const char *text, *listed;
	} cases[] = {
		{ DIALECT_FUNCTION, false, "f(int a, x8[6] b)", "" },
		{ DIALECT_FUNCTION, false, "f(int a+4, symbol b[0]+16)", "  # a is this + 4; b is this + 16" },
		{ DIALECT_V13, false, "r f rv ra", "" },
		{ DIALECT_V13, true, "r f rv ra", "  # --faithful: %ip is the trampoline's address" },
		{ DIALECT_RFC_V2, true, "r f rp", "  # --faithful: %ip is the trampoline's address" },
		{ DIALECT_V13, true, "r f rv", "" },
		{ DIALECT_V13, true, "p f %ip", "" },
		{ DIALECT_KPROBE, true, "r f %ip", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_def *def = NULL;
		struct buf text = { 0 };
		struct diag d = { 0 };

		if (CHECK(!dialect_parse(&arena, cases[i].text, cases[i].dialect, &def, &d), "'%s' is accepted",
			  cases[i].text))
			dialect_print_listed(def, cases[i].faithful, &text);
		CHECK(!strcmp(buf_str(&text), cases[i].listed), "'%s' is listed with '%s'", cases[i].text, buf_str(&text));
		buf_fini(&text);
		diag_fini(&d);
	}
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(detected); i++)
		check_detected(detected[i].text, detected[i].dialect, detected[i].readings);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		check_refused(&arena, detect, &refused[i]);
	test_names();
	test_wanted();
	test_listed();
	arena_fini(&arena);
	return tap_done();
}
