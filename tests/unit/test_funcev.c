// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_funcev.c - function_events: what a prototype means today, what is refused and where the caret
 * is. The first argument of each entry is its caller.
 */
#include <errno.h>

#include "lang/dialect.h"
#include "lang/funcev.h"
#include "refused.h"

static struct arena arena;

#define P(f)	"p:functions/" f " " f " __parent=$stack0:symbol"

static const struct translated accepted[] = {
	/* the document's own examples */
	{ "SyS_openat(int dfd, string path, x32 flags, x16 mode)",
	  P("SyS_openat") " dfd=$arg1:s32 path=+0($arg2):string flags=$arg3:x32 mode=$arg4:x16" },
	{ "f()", P("f") },
	{ " f ( ) # why", P("f") },
	{ "f.isra.0()", "p:functions/f_isra_0 f.isra.0 __parent=$stack0:symbol" },
	/* types */
	{ "f(u8 a, u16 b, u32 c, u64 d, s8 e, s16 g)",
	  P("f") " a=$arg1:u8 b=$arg2:u16 c=$arg3:u32 d=$arg4:u64 e=$arg5:s8 g=$arg6:s16" },
	{ "f(x8 a, x64 b, char c, short d, int e, long g)",
	  P("f") " a=$arg1:x8 b=$arg2:x64 c=$arg3:char d=$arg4:s16 e=$arg5:s32 g=$arg6:s64" },
	{ "f(size_t a, symbol b, unsigned int c, unsigned long d, unsigned char e, unsigned short g)",
	  P("f") " a=$arg1:u64 b=$arg2:symbol c=$arg3:u32 d=$arg4:u64 e=$arg5:u8 g=$arg6:u16" },
	{ "f(unsigned x8 a, unsigned s32 b)", P("f") " a=$arg1:x8 b=$arg2:u32" },
	/* NULL skips an argument; '|' means the same one again */
	{ "f(NULL, NULL, int c)", P("f") " c=$arg3:s32" },
	{ "f(int a | x32 b, long c)", P("f") " a=$arg1:s32 b=$arg1:x32 c=$arg2:s64" },
	/* memory does not count as an argument */
	{ "f(int g=0xffffffff81000000, symbol r)", P("f") " g=@0xffffffff81000000:s32 r=$arg1:symbol" },
	{ "f(int 0xffffffff81000000, u8 c)", P("f") " arg2=@0xffffffff81000000:s32 c=$arg1:u8" },
	{ "f(long $jiffies, long j=$jiffies)", P("f") " jiffies=@jiffies:s64 j=@jiffies:s64" },
	{ "f(string s=$linux_banner, x8[4] b=$linux_banner)",
	  P("f") " s=@linux_banner:string b=@linux_banner:x8[4]" },
	{ "f(int g=$jiffies | int a, int b)", P("f") " g=@jiffies:s32 a=$arg1:s32 b=$arg1:s32" },
	/* [N] reads, +N moves */
	{ "f(int skb[32] | int same+4[31])", P("f") " skb=+128($arg1):s32 same=+128($arg1):s32" },
	{ "f(x64 p+4[2])", P("f") " p=+20($arg1):x64" },
	{ "f(x8 a[0x10] | x8 b[010])", P("f") " a=+16($arg1):x8 b=+8($arg1):x8" },
	{ "f(int a[1][2])", P("f") " a=+8(+4($arg1)):s32" },
	{ "f(symbol read+40[0][16])", P("f") " read=+128(+40($arg1)):symbol" },
	/* texts and arrays are at the address to which all of it leads */
	{ "f(string a, string b+16, string c[0], string d[1])",
	  P("f") " a=+0($arg1):string b=+16($arg2):string c=+0(+0($arg3)):string d=+0(+4($arg4)):string" },
	{ "__vfs_read(string name+32[0]+40[0]+40[0][0])",
	  P("__vfs_read") " name=+0(+0(+40(+40(+32($arg1))))):string" },
	{ "f(string s+8[0]+4)", P("f") " s=+4(+8($arg1)):string" },
	{ "ip_rcv(NULL, x8[6] perm_addr+558)", P("ip_rcv") " perm_addr=+558($arg2):x8[6]" },
	{ "f(char[16] comm+8 | unsigned char[4] u)", P("f") " comm=+8($arg1):char[16] u=+0($arg1):char[4]" },
	{ "f(symbol[16] regs, unsigned int[2] n)", P("f") " regs=+0($arg1):symbol[16] n=+0($arg2):u32[2]" },
	/* returns are an extension of bprobe */
	{ "r SyS_openat(int dfd, long $retval)",
	  "r:functions/SyS_openat SyS_openat dfd=$arg1:s32 retval=$retval:s64" },
	{ "r f($retval)", "r:functions/f f retval=$retval" },
	{ "r f(x32 err=$retval, string $retval)", "r:functions/f f err=$retval:x32 retval=+0($retval):string" },
	{ "r(int a)", P("r") " a=$arg1:s32" },
	/* after the last [N] nothing is read: kprobe_events has no such thing, see test_remarks() */
	{ "f(int a+4)", P("f") " a=$arg1:s32" },
};

static const struct refused refused[] = {
	{ "f^^", -EINVAL, "ends where '(' is expected", NULL },
	{ "f(^^", -EINVAL, "ends where a type", NULL },
	{ "^(^int a)", -EINVAL, "a function's name", NULL },
	{ "f(int a^^", -EINVAL, "',' or ')'", NULL },
	{ "f(int a) ^x^", -EINVAL, "the end", NULL },
	{ "f(int a,^)^", -EINVAL, "a type is expected", NULL },
	{ "f(^in^ a)", -EINVAL, "unknown type 'in'", "mean int" },
	{ "f(^x86^ dev)", -EINVAL, "unknown type", NULL },
	{ "f(unsigned ^NULL^)", -EINVAL, "unknown type 'NULL'", NULL },
	{ "f(int^)^", -EINVAL, "a name is expected", NULL },
	{ "f(int ^*^a)", -EINVAL, "'*' where a name", NULL },
	{ "f(NULL ^|^ int x)", -EINVAL, "after NULL", NULL },
	{ "f(NULL ^a^)", -EINVAL, "after NULL", NULL },
	{ "f(string[^2^] s)", -EINVAL, "strings cannot be an array", NULL },
	{ "f(int[^0^] s)", -EINVAL, "1 to 64", NULL },
	{ "f(int[^65^] s)", -EINVAL, "1 to 64", NULL },
	{ "f(int[^x^] s)", -EINVAL, "a number is expected", NULL },
	{ "f(int[2^)^", -EINVAL, "']'", NULL },
	{ "f(int a[^)^", -EINVAL, "a number", NULL },
	{ "f(int a[1^)^", -EINVAL, "']'", NULL },
	{ "f(int a+^0x^)", -EINVAL, "not a number", NULL },
	{ "f(int a[^2147483648^])", -ERANGE, "is too large", NULL },
	{ "f(int a=^b^)", -EINVAL, "0xADDRESS or $SYMBOL", NULL },
	{ "f(int ^5^)", -EINVAL, "0xADDRESS or $SYMBOL", NULL },
	{ "f(int a=$^)^", -EINVAL, "symbol's name", NULL },
	{ "f(int a, int b, int c, int d, int e, int g, int ^h^)", -EINVAL, "too many arguments", NULL },
	{ "f(NULL,NULL,NULL,NULL,NULL,NULL,^NULL^)", -EINVAL, "too many arguments", NULL },
	{ "f(int ^$retval^)", -EINVAL, "no $retval at a function's entry", "write r" },
	{ "f(^$jiffies^)", -EINVAL, "no type before", NULL },
	{ "f(int a, int ^a^)", -EINVAL, "called 'a' already", NULL },
	{ "f(int ^common_pid^)", -EINVAL, "field 'common_pid' already", NULL },
	{ "f(int ^x23456789012345678901234567890123^)", -EINVAL, "at most 32", NULL },
	{ "f(^string^ a+1[0][0][0][0][0][0][0][0][0][0][0][0][0][0])", -EINVAL, "deep", NULL },
};

/* Only entries of functions that are given by name get a caller for lines of function_events, once. */
static void test_parent(void)
{
	static const struct {
		const char *text, *printed;
	} cases[] = {
		{ "p:e f", "p:kprobes/e f __parent=$stack0:symbol" },
		{ "p:e f x=+010(%di):u8 %si", "p:kprobes/e f __parent=$stack0:symbol x=+8(%di):u8 arg2=%si" },
		{ "p:e f+4 %si", "p:kprobes/e f+4 arg1=%si" },
		{ "p:e 0xffffffff81445480", "p:kprobes/e 0xffffffff81445480" },
		{ "p:e f* %si", "p:kprobes/e f* arg1=%si" },
		{ "r:e f $retval", "r:kprobes/e f arg1=$retval" },
		{ "p:e f __parent=%si", "p:kprobes/e f __parent=%si" },
		{ "f(int a)", "p:functions/f f __parent=$stack0:symbol a=$arg1:s32" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_def *def = NULL;
		struct buf text = { 0 };
		struct diag d = { 0 };

		if (CHECK(!dialect_parse(&arena, cases[i].text, DIALECT_DETECT, &def, &d), "'%s' is accepted: %s",
			  cases[i].text, buf_str(&d.msg))) {
			funcev_give_parent(&arena, def);
			def_print(def, &text);
		}
		CHECK(!strcmp(buf_str(&text), cases[i].printed), "'%s' becomes %s", cases[i].text, buf_str(&text));
		buf_fini(&text);
		diag_fini(&d);
	}
}

/* A definition has 4094 bytes, the kernel's limit of a line; its filter is bprobe's, and not counted. */
static void test_length(void)
{
	for (unsigned len = 4093; len < 4096; len++) {
		struct buf text = { 0 };
		struct probe_def *def = NULL;
		struct diag d = { 0 };
		int err;

		buf_adds(&text, "f(int if_");
		buf_pad(&text, ' ', len - text.len - 1);
		buf_adds(&text, ")");
		err = funcev_parse(&arena, buf_str(&text), &def, &d);
		CHECK((err == 0) == (len <= 4094), "%u bytes without a filter: %d", len, err);
		diag_fini(&d);
		text.len = len;
		buf_adds(&text, "if if_ == 1");
		err = funcev_parse(&arena, buf_str(&text), &def, &d);
		CHECK((err == 0) == (len <= 4094), "%u bytes and a filter: %d", len, err);
		diag_fini(&d);
		buf_adds(&text, "#");
		buf_pad(&text, 'c', 4096);
		err = funcev_parse(&arena, buf_str(&text), &def, &d);
		CHECK((err == 0) == (len <= 4094), "%u bytes, a filter and a comment: %d", len, err);
		buf_fini(&text);
		diag_fini(&d);
	}
}

/* A remark says in words what kprobe_events cannot say. */
static void test_remarks(void)
{
	static const struct {
		const char *text, *remark;
	} cases[] = {
		{ "f(int a, x8[6] b)", "" },
		{ "f(int a+4)", "a is this + 4, which kprobe_events cannot add" },
		{ "f(symbol read+40[0]+16)", "read is this + 16, which kprobe_events cannot add" },
		{ "f(char[4] c | int 0xffffffff81000000)", "c is a text; arg3 has the name 0xffffffff81000000" },
		{ "SyS_openat(int dfd)", "" },	/* not what it says: set/translate_notes.c */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_def *def = NULL;
		struct buf text = { 0 };
		struct diag d = { 0 };

		if (CHECK(!funcev_parse(&arena, cases[i].text, &def, &d), "'%s' is accepted", cases[i].text))
			dialect_print_remarks(def, &text);
		CHECK(!strcmp(buf_str(&text), cases[i].remark), "'%s' is remarked '%s'", cases[i].text,
		      buf_str(&text));
		buf_fini(&text);
		diag_fini(&d);
	}
}

static void test_looks(void)
{
	static const char *const yes[] = { "f(", "r f (int a)", " f.isra.0 ()", "r(x)", "p(int a)", "r\tf()" };
	static const char *const no[] = { "p f", "p f +0(%di)", "", "(", "1f(", "p:e f(", "# f()", "f # ()", "rf x(" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		CHECK(funcev_looks_like(yes[i]), "'%s' looks like a prototype", yes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		CHECK(!funcev_looks_like(no[i]), "'%s' does not", no[i]);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++)
		check_translated(&arena, funcev_parse, &accepted[i]);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		check_refused(&arena, funcev_parse, &refused[i]);
	test_parent();
	test_length();
	test_remarks();
	test_looks();
	arena_fini(&arena);
	return tap_done();
}
