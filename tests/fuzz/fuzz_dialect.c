// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_dialect.c - any bytes into the parsers of all dialects, and into the choice between them
 * (see fuzz_def.h). Links only base/ and lang/.
 */
#include "base/macros.h"
#include "lang/dialect.h"

static const char fuzz_name[] = "fuzz_dialect";
static const char *const fuzz_seeds[] = { "f(int a, string b+4[0]|x8[6] c, NULL, long g=$sym, s8 0xffffffff81000000)" };

static const char *const fuzz_words[] = {
	"p", "r", "r ", "p:e ", ":", " ", "\t", "+", "-", "+0(", "-8(", ")", "(", ",", "|", "NULL", "[", "]",
	"[0]", "+8", "a0", "a1", "a6", "a7", "a17", "s0", "s2048", "r0", "r14", "r21", "rv", "ra", "rp", "sa",
	"m0xffffffff81000000", "m1", "%di", "@sym", "@0x10", "@sym-4", "$retval", "$sym", "=", "=$sym", "0x10",
	"int ", "unsigned ", "char", "char[4] ", "string ", "symbol ", "x8[6] ", "size_t ", "u64[64] ", "f(", "f",
	"vfs_read", "a, int b", "sys_openat", "#", "\n", "\x80", "\xff", "\x1b[", ";", "*", ".", "f.isra.0(",
	"2147483648", "18446744073709551616", "010", "0x", "f(int a, string b, x32 c)", "p f a1 a2", "r f rv rp",
	"-8 ", "-0x10 ", "r16", "%ip", "vmlinux:", "@0xffffffff81000000",
};

#include "fuzz_def.h"

/* What can be read in several ways is refused with all of them. */
static void check_readings(const char *text, const struct probe_def *def)
{
	struct diag d = { 0 };
	unsigned nr = 0;

	for (unsigned i = 0; i < DIALECT_COUNT; i++) {
		nr += def->readings[i] != NULL;
		if (def->readings[i] && i != DIALECT_KPROBE)
			dialect_is_vague(def->readings[i]);
	}
	if (nr > 1) {
		require(dialect_refuse(def, NULL, &d) == -EINVAL, "not refused", text);
		check_refusal(&d, text);
	}
	diag_fini(&d);
}

/* The text without its filter is the same definition. */
static void check_source(const char *text, enum dialect dialect, const struct probe_def *def)
{
	struct arena arena = { 0 };
	struct probe_def *same = NULL;
	struct buf printed = { 0 }, again = { 0 };
	struct diag d = { 0 };

	require(!dialect_parse(&arena, def_source(&arena, def), dialect, &same, &d) && same && !same->filter, "refused without its filter", text);
	def_print(def, &printed);
	def_print(same, &again);
	require(!strcmp(buf_str(&printed), buf_str(&again)), "another definition without its filter", text);
	def_print_filter(def, &printed);
	buf_fini(&printed);
	buf_fini(&again);
	diag_fini(&d);
	arena_fini(&arena);
}

static void check_dialect(const char *text, enum dialect dialect)
{
	struct arena arena = { 0 };
	struct probe_def *def = NULL;
	struct diag d = { 0 };
	struct buf printed = { 0 }, remarks = { 0 };
	int err = dialect_parse(&arena, text, dialect, &def, &d);

	if (err) {
		require(err == d.err && !def, "refused, but not quite", text);
		check_refusal(&d, text);
	} else if (def) {
		if (def->kind != DEF_REMOVE)
			check_spans(def);
		def_print(def, &printed);
		if (def->readings)
			check_readings(text, def);
		if (def->filter)
			check_source(text, dialect, def);
		/* A place in front of a symbol has no words in kprobe_events: plan/ finds another. */
		if (!def->place.before)
			check_again(buf_str(&printed), text, def->from_tree);
		dialect_print_remarks(def, &remarks);
		dialect_print_listed(def, true, &remarks);
	}
	buf_fini(&printed);
	buf_fini(&remarks);
	diag_fini(&d);
	arena_fini(&arena);
}

static void check_text(const char *text)
{
	for (unsigned i = 0; i <= DIALECT_DETECT; i++)
		check_dialect(text, i);
}
