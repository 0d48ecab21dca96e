// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_legacy.c - rfc-v2 and v13: what is accepted, what it means today, what is refused and where the
 * caret is.
 */
#include <errno.h>

#include "lang/dialect.h"
#include "lang/legacy.h"
#include "refused.h"

static struct arena arena;

static int rfc_v2(struct arena *a, const char *text, struct probe_def **ret_def, struct diag *diag)
{
	return legacy_parse(a, text, DIALECT_RFC_V2, ret_def, diag);
}

static int v13(struct arena *a, const char *text, struct probe_def **ret_def, struct diag *diag)
{
	return legacy_parse(a, text, DIALECT_V13, ret_def, diag);
}

#define ZEROS_25 "0000000000000000000000000"
#define ZEROS_125 ZEROS_25 ZEROS_25 ZEROS_25 ZEROS_25 ZEROS_25
#define X8(what) what " " what " " what " " what " " what " " what " " what " " what

static const struct translated in_rfc_v2[] = {
	/* the posting's own examples */
	{ "p do_sys_open a1 a2 a3 a4",
	  "p:kprobes/p_do_sys_open_0 do_sys_open a1=$arg1 a2=$arg2 a3=$arg3 a4=$arg4" },
	{ "r do_sys_open rv rp", "r:kprobes/r_do_sys_open_0 do_sys_open rv=$retval:x64 rp=%ip" },
	/* places */
	{ "p f", "p:kprobes/p_f_0 f" },
	{ " p\tf+0x10 # why", "p:kprobes/p_f_16 f+16" },
	{ "p f-0", "p:kprobes/p_f_0 f" },
	{ "r f+0", "r:kprobes/r_f_0 f" },
	{ "p 0xffffffff81445480", "p:kprobes/p_0xffffffff81445480 0xffffffff81445480" },
	/* arguments after the sixth are on the stack, after the return address */
	{ "p f a6 a7 a8", "p:kprobes/p_f_0 f a6=$arg6 a7=$arg7 a8=$arg8" },
	{ "p f+16 a1 a6 a7 a8", "p:kprobes/p_f_16 f+16 a1=%di a6=%r9 a7=$stack1 a8=$stack2" },
	{ "p 0xffffffff81445480 a4", "p:kprobes/p_0xffffffff81445480 0xffffffff81445480 a4=%cx" },
	/* registers count from the start of struct pt_regs */
	{ "p f r0 r4 r8 r14 r20", "p:kprobes/p_f_0 f r0=%r15 r4=%bp r8=%r9 r14=%di r20=%ss" },
	{ "p f s0 s2048", "p:kprobes/p_f_0 f s0=$stack0 s2048=$stack2048" },
	{ "p f m0xffffffff81000000 m16 m010",
	  "p:kprobes/p_f_0 f m0xffffffff81000000=@0xffffffff81000000 m16=@0x10 m010=@0xa" },
	{ "r f s0 r10 a1", "r:kprobes/r_f_0 f s0=$stack0 r10=%ax a1=$arg1" },
	/* a word used again is numbered */
	{ "p f a1 a1", "p:kprobes/p_f_0 f a1=$arg1 arg2=$arg1" },
};

static const struct translated in_v13[] = {
	/* LWN's own */
	{ "p:myprobe do_sys_open a0 a1 a2 a3",
	  "p:kprobes/myprobe do_sys_open a0=$arg1 a1=$arg2 a2=$arg3 a3=$arg4" },
	{ "r:myretprobe do_sys_open rv ra", "r:kprobes/myretprobe do_sys_open rv=$retval:x64 ra=%ip" },
	{ "p f", "p:kprobes/p_f_0 f" },
	{ "p f+8 a0 a5 a6 a16", "p:kprobes/p_f_8 f+8 a0=%di a5=%r9 a6=$stack1 a16=$stack11" },
	{ "p f a6 a7", "p:kprobes/p_f_0 f a6=$arg7 a7=$arg8" },
	{ "p f sa s0 s3", "p:kprobes/p_f_0 f sa=$stack s0=$stack0 s3=$stack3" },
	{ "p f %ax %orig_ax", "p:kprobes/p_f_0 f arg1=%ax arg2=%orig_ax" },
	{ "p f @0xffffffff81000000 @jiffies @jiffies+4 @jiffies-4",
	  "p:kprobes/p_f_0 f arg1=@0xffffffff81000000 arg2=@jiffies arg3=@jiffies+4 arg4=@jiffies-4" },
	{ "p f +8(a0) -4(%di) +8(-4(sa)) +0(@jiffies)",
	  "p:kprobes/p_f_0 f arg1=+8($arg1) arg2=-4(%di) arg3=+8(-4($stack)) arg4=+0(@jiffies)" },
	{ "r f +0(rv) +0(ra)", "r:kprobes/r_f_0 f arg1=+0($retval) arg2=+0(%ip)" },
	{ "p f a0 +8(a0) a0", "p:kprobes/p_f_0 f a0=$arg1 arg2=+8($arg1) arg3=$arg1" },
};

static const struct refused not_rfc_v2[] = {
	{ "^x^ f", -EINVAL, "starts with 'p' or 'r'", "p FUNCTION" },
	{ "^p1^ f", -EINVAL, "starts with", NULL },
	{ "p^^", -EINVAL, "nothing to probe", "p vfs_read" },
	{ "p^:e^ f", -EINVAL, "rfc-v2 has no names of events", "--dialect=kprobe" },
	{ "p ^f-4294967296^", -EINVAL, "too large", NULL },
	{ "p ^f-^", -EINVAL, "not an offset", NULL },
	{ "r f^-4^", -EINVAL, "not at -4", NULL },
	{ "p ^0x10^", -EINVAL, "no kernel code", NULL },
	{ "p ^mod^:f", -EINVAL, "no modules", "--dialect=kprobe" },
	{ "p f^%return^", -EINVAL, "no %return", NULL },
	{ "r f^+8^", -EINVAL, "entry, not at +8", NULL },
	{ "r ^0xffffffff81445480^", -EINVAL, "function's name", NULL },
	{ "p f ^a0^", -EINVAL, "arguments a1 to", NULL },
	{ "p f ^a2049^", -EINVAL, "a1 to a2048", NULL },
	{ "p f ^r21^", -EINVAL, "from r0 to r20", "r14 %di" },
	{ "p f ^s2049^", -EINVAL, "is s2048", NULL },
	{ "p f ^m1x^", -EINVAL, "not a memory address", NULL },
	{ "p f ^m18446744073709551616^", -ERANGE, "64 bits", NULL },
	{ "p f ^rv^", -EINVAL, "no rv at this place", "r instead of p" },
	{ "p f ^rp^", -EINVAL, "no rp at this place", NULL },
	{ "r f ^ra^", -EINVAL, "not a word of rfc-v2", "is rp" },
	{ "p f ^sa^", -EINVAL, "not a word of rfc-v2", NULL },
	{ "p f ^a^", -EINVAL, "not a word of rfc-v2", "aN (from a1)" },
	{ "p f ^%di^", -EINVAL, "not a word of rfc-v2", "--dialect=kprobe" },
	{ "p f ^+0(a1)^", -EINVAL, "not a word of rfc-v2", NULL },
	{ "r f ^$retval^", -EINVAL, "not a word of rfc-v2", "is rv" },
	{ "p f ^x=^a1", -EINVAL, "no names of arguments", NULL },
	{ "p f a1^:u8^", -EINVAL, "no types", NULL },
};

static const struct refused not_v13[] = {
	{ "p:^^ f", -EINVAL, "no event name", NULL },
	{ "p:^g^/e f", -EINVAL, "v13 has no groups", "--dialect=kprobe" },
	{ "p:^1^ f", -EINVAL, "bad event name", NULL },
	{ "^r10:e^ f", -EINVAL, "starts with", NULL },
	{ "p f ^a17^", -EINVAL, "a0 to a16", NULL },
	{ "p f ^r1^", -EINVAL, "not a word of v13", NULL },
	{ "r f ^rp^", -EINVAL, "not a word of v13", "is ra" },
	{ "p f ^m0x10^", -EINVAL, "not a word of v13", "@0x10" },
	{ "p f ^ra^", -EINVAL, "no ra at this place", NULL },
	{ "p f ^$stack^", -EINVAL, "not a word of v13", NULL },
	{ "p f +8(^x^)", -EINVAL, "not a word of v13", NULL },
	{ "p f +8(^^)", -EINVAL, "nothing to fetch", NULL },
	{ "p f +8(a0^^", -EINVAL, "not closed", NULL },
	{ "p f ^+8^", -EINVAL, "no '('", NULL },
	{ "p f ^%rdi^", -EINVAL, "unknown register", "write %di" },
	{ "p f ^+u8(a0)^", -EINVAL, "no reads of user memory", NULL },
	{ "p f ^\\1^", -EINVAL, "not a word of v13", NULL },
	{ "p f ^+" ZEROS_125 ZEROS_125 "0(a0)^", -E2BIG, "256 bytes, at most 255", NULL },
	{ "p f " X8(X8("a0")) " " X8(X8("a0")) " ^a0^", -E2BIG, "129 arguments", NULL },
};

/* Nothing to define is no error; a definition is one line. */
static void test_shape(void)
{
	struct probe_def *def = NULL;
	struct diag d = { 0 };

	CHECK(!rfc_v2(&arena, " \t# p f", &def, &d) && !def, "a comment is no definition");
	CHECK(v13(&arena, "p f\np g", &def, &d) == -EINVAL && !d.text, "two lines are not one definition");
	CHECK(!v13(&arena, "p f %di", &def, &d) && def->dialect == DIALECT_V13 && def->from_tree &&
	      !strcmp(def->args[0].label, "%di"), "a definition knows its dialect and its words");
	diag_fini(&d);
}

/* A place before a symbol is in another function, so registers are used as arguments. 6.12 has no words for it. */
static void test_before(void)
{
	static const struct {
		parse_fn *parse;
		const char *text, *printed;
	} cases[] = {
		{ rfc_v2, "p f-0x10 a1 a7", "p:kprobes/p_f__16 f-16 a1=%di a7=$stack1" },
		{ rfc_v2, "p f-4 a1", "p:kprobes/p_f__4 f-4 a1=%di" },
		{ v13, "p:e f-8 a0", "p:kprobes/e f-8 a0=%di" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_def *def = NULL, *again = NULL;
		struct buf printed = { 0 };
		struct diag d = { 0 };

		if (CHECK(!cases[i].parse(&arena, cases[i].text, &def, &d), "'%s' is accepted: %s", cases[i].text,
			  buf_str(&d.msg))) {
			def_print(def, &printed);
			CHECK(def->place.before && !strcmp(buf_str(&printed), cases[i].printed), "'%s' prints %s",
			      cases[i].text, buf_str(&printed));
			CHECK(kprobe_parse(&arena, buf_str(&printed), &again, &d) == -EINVAL,
			      "'%s' is none of kprobe_events'", buf_str(&printed));
		}
		buf_fini(&printed);
		diag_fini(&d);
	}
}

/*
 * What %ip was: an int3's handler sees the byte after it (in 2009 and in 6.12), but today the place may be after an
 * ENDBR. In return probes it was the trampoline, and is the caller in 6.12.
 */
static void test_remarks(void)
{
	static const struct {
		parse_fn *parse;
		const char *text, *remark;
	} cases[] = {
		{ v13, "p f a0 %di", "" },
		{ v13, "p f %ip", "arg1 was f+1, and is f+5 where that begins with an ENDBR" },
		{ v13, "p f+8 %ip", "" },
		{ v13, "p 0xffffffff81445480 %ip", "" },
		{ v13, "r f rv ra +0(ra)", "" },
		{ v13, "r f rv +8(%ip)", "arg2 is where the function returns to, and was the trampoline's address" },
		{ rfc_v2, "r f rp", "" },
		{ rfc_v2, "r f r16", "r16 is where the function returns to, and was the trampoline's address" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_def *def = NULL;
		struct buf text = { 0 };
		struct diag d = { 0 };

		if (CHECK(!cases[i].parse(&arena, cases[i].text, &def, &d), "'%s' is accepted", cases[i].text))
			dialect_print_remarks(def, &text);
		CHECK(!strcmp(buf_str(&text), cases[i].remark), "'%s' is remarked '%s'", cases[i].text, buf_str(&text));
		buf_fini(&text);
		diag_fini(&d);
	}
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(in_rfc_v2); i++)
		check_translated(&arena, rfc_v2, &in_rfc_v2[i]);
	for (size_t i = 0; i < ARRAY_SIZE(in_v13); i++)
		check_translated(&arena, v13, &in_v13[i]);
	for (size_t i = 0; i < ARRAY_SIZE(not_rfc_v2); i++)
		check_refused(&arena, rfc_v2, &not_rfc_v2[i]);
	for (size_t i = 0; i < ARRAY_SIZE(not_v13); i++)
		check_refused(&arena, v13, &not_v13[i]);
	test_shape();
	test_before();
	test_remarks();
	arena_fini(&arena);
	return tap_done();
}
