// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_synthetic.c - any bytes into the parser of synthetic events (see fuzz.h). What is accepted must print to something that is
 * accepted and prints alike. Links only base/ and lang/.
 */
#include "base/macros.h"

static const char fuzz_name[] = "fuzz_synthetic";
static const char *const fuzz_seeds[] = {
	"s:wakeup_latency u64 lat; pid_t pid; char comm[16]",
	"s:synthetic/n unsigned int a; unsigned long b c; char d[]; long[] e",
	"s:old u32 a u32 b gfp_t c bool d",
	"s:n u32 a; char b[8] if a > 1 && b ~ \"x*\"",
};

static const char *const fuzz_words[] = {
	"s:", "synthetic/", "kprobes/", "n", ";", " ", "\t", "u8", "u64", "s8", "s64", "char", "unsigned", "int", "long", "bool", "pid_t", "gfp_t",
	"[", "]", "[]", "[16]", "[256]", "[257]", "[0x8]", "[0]", "if", "> 1", "&&", "== \"x\"", "a", "b", "9", "\x80", "\n",
};

#include "fuzz.h"
#include "lang/synthetic.h"

static void check_text(const char *text)
{
	struct synthetic_def *def = NULL, *again = NULL;
	struct buf printed = { 0 }, twice = { 0 };
	struct arena arena = { 0 };
	struct diag d = { 0 };

	if (!synthetic_is(text))
		return;
	if (synthetic_parse(&arena, arena_strdup(&arena, text), &def, &d)) {
		require(!def, "refused, but not quite", text);
		check_refusal(&d, text);
	} else {
		for (unsigned i = 0; i < def->nr_fields; i++)
			check_span(def->fields[i].at, text);
		synthetic_print(def, &printed);
		/* What is listed has more words than what was typed. */
		if (printed.len <= LANG_MAX_LINE) {
			require(!synthetic_parse(&arena, arena_strdup(&arena, buf_str(&printed)), &again, &d), "printed as what is refused", text);
			synthetic_print(again, &twice);
			require(!strcmp(buf_str(&printed), buf_str(&twice)), "printed differently again", text);
		}
	}
	buf_fini(&printed);
	buf_fini(&twice);
	diag_fini(&d);
	arena_fini(&arena);
}
