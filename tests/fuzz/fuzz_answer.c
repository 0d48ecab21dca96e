// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_answer.c - any bytes as what the child that reads debug information says (see fuzz.h), and as a trace.dat's list of builds: what is
 * accepted has no control characters, as many parts as were asked for, and its definitions' parts are words.
 */
#include "elf/builds.h"
#include "elf/dwarf/answer.h"

static const char fuzz_name[] = "fuzz_answer";
static const char *const fuzz_seeds[] = {
	"place 4096 4 visit\ncopy 9\nentry\nchain weigh\nparameter s\nlocal n\nfetch u32 +8(%di)\nnone it is gone\nsimilar nn\nnear a.c:7\nend\n",
	"trouble no function\nknown\nhelp did you mean f?\nend\n",
	"source 12 /src/a.c\nline 12\nline 14\nend\n",
	"inlined 0\ninlined 2\nend\n",
	"address 0\nframe 7 a.c\nfunction f\nframe 0 b.h\nfunction _ZN1aE\naddress 2\nframe 9 c.c\nfunction g\nend\n",
	"file a.c\nfile b.c\nplace 1 0 f\nfetch - %ax\nfetch u8 %bx\nend\n",
	"bprobe 1.0\nbuild 0123456789abcdef vmlinux\nbuild 00 /bin/a b\nbuild 01 /bin/a b\n",
};

static const char *const fuzz_words[] = {
	"place 1 2 f\n", "copy 3\n", "entry\n", "chain a < b\n", "fetch u8 %ax\n", "none x\n", "end\n", "address 1\n", "frame 1 a\n",
	"function f\n", "source 1 a\n", "line 2\n", "inlined 1\n", "trouble t\n", "known\n", "help h\n", "file f\n", " ", "\n", "0", "1", "\x80",
	"\x1b[", "18446744073709551615", "-1", "build ff a\n", "build f a\n", "parameter p\n", "local l\n", "type t\n",
};

#include "fuzz.h"

enum { NR = 3 };

static void check_shown(const char *text, const char *of)
{
	for (; *text; text++)
		require((unsigned char)*text >= ' ' && *text != 0x7f, "a control character", of);
}

static void check_answer(const struct lines_answer *a, const struct lines_query *q, const char *text)
{
	for (unsigned i = 0; i < a->nr; i++) {
		check_shown(a->places[i].symbol, text);
		check_shown(a->places[i].chain, text);
		for (unsigned n = 0; n < q->nr_exprs; n++)
			check_shown(a->places[i].values[n].fetch ? a->places[i].values[n].fetch : a->places[i].values[n].trouble, text);
	}
	for (unsigned i = 0; a->frames && i < q->nr_addresses; i++) {
		for (unsigned n = 0; n < a->frames[i].nr; n++) {
			check_shown(a->frames[i].all[n].file, text);
			check_shown(a->frames[i].all[n].function, text);
		}
	}
	if (a->trouble)
		check_shown(a->trouble, text);
}

static void check_builds(const char *text)
{
	struct builds b = { 0 };
	struct buf out = { 0 };
	struct builds again = { 0 };
	struct buf same = { 0 };

	builds_parse(&b, text);
	builds_print(&b, &out);
	builds_parse(&again, buf_str(&out));
	builds_print(&again, &same);
	require(out.len == same.len, "builds that are printed are not the same ones", text);
	builds_fini(&b);
	builds_fini(&again);
	buf_fini(&out);
	buf_fini(&same);
}

static void check_text(const char *text)
{
	static const struct lines_expr exprs[2] = { { "a", false }, { "b", false } };
	static const char *const functions[NR] = { "a", "b", "c" };
	static const struct lines_address addresses[NR];

	for (enum lines_want want = LINES_PLACES; want <= LINES_OF_ADDRESSES; want++) {
		const struct lines_query q = { .want = want, .exprs = exprs, .nr_exprs = 2, .functions = functions, .nr_functions = NR,
					       .addresses = addresses, .nr_addresses = NR, .describes = want == LINES_PLACES };
		struct arena arena = { 0 };
		struct lines_answer a = { 0 };

		if (!answer_read(&arena, text, &q, &a))
			check_answer(&a, &q, text);
		arena_fini(&arena);
	}
	check_builds(text);
}
