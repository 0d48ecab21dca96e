// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_filter.c - any bytes into the filter parser.
 *
 * A refusal must have its caret inside the text. What is accepted must print to something that is
 * accepted and prints alike; its patterns must end on any text. Links only base/ and lang/.
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; fuzz_filter N [SEED]
 *
 * The second mutates expressions of its own N times with a fixed seed, so that a finding can be repeated
 * without clang.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/filter.h"
#include "lang/glob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int good, const char *what, const char *text)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_filter: %s: <<%s>>\n", what, text);
	abort();
}

static int parse(struct arena *arena, const char *text, const struct filter_expr **ret, struct diag *d)
{
	return filter_parse(arena, text, (struct span){ 0, (uint32_t)strlen(text) }, ret, d);
}

static void check_refusal(const struct diag *d, const char *text)
{
	struct buf out = { 0 };
	size_t len = strlen(text);

	require(d->err < 0 && d->msg.len, "refused without a reason", text);
	if (d->text)
		require(d->at.off <= len && d->at.len <= len - d->at.off, "caret outside of the text", text);
	diag_format(d, "fuzz", &out);
	for (size_t i = 0; i < out.len; i++)
		require(out.data[i] == '\n' || ((unsigned char)out.data[i] >= ' ' && out.data[i] != 0x7f),
			"control byte in a report", text);
	buf_fini(&out);
}

static void check_globs(struct arena *arena, const struct filter_node *node, const char *text)
{
	for (; node; node = node->next) {
		const struct filter_pred *pred = node->pred;

		if (pred && pred->operand == FILTER_STRING)
			glob_matches(glob_parse(arena, pred->text, pred->len), text, strlen(text));
		check_globs(arena, node->child, text);
	}
}

static void check_text(const char *text)
{
	const struct filter_expr *filter = NULL, *again = NULL;
	struct buf printed = { 0 }, twice = { 0 };
	struct arena arena = { 0 };
	struct diag d = { 0 };

	if (parse(&arena, text, &filter, &d)) {
		require(!filter, "refused, but not quite", text);
		check_refusal(&d, text);
	} else {
		filter_print(filter, &printed);
		check_globs(&arena, filter->root, text);
		/* Spaces around operators may make it longer than what was typed. */
		if (printed.len <= FILTER_MAX_TEXT) {
			require(!parse(&arena, buf_str(&printed), &again, &d), "printed as what is refused", text);
			filter_print(again, &twice);
			require(!strcmp(buf_str(&printed), buf_str(&twice)), "printed differently again", text);
		}
	}
	buf_fini(&printed);
	buf_fini(&twice);
	diag_fini(&d);
	arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = { 0 };

	buf_add(&text, data, size);	/* a NUL inside ends it, as in argv */
	check_text(buf_str(&text));
	buf_fini(&text);
	return 0;
}

#ifdef STANDALONE

static uint64_t seed = 0x9e3779b97f4a7c15u;

/* xorshift64*: the same numbers everywhere. */
static uint32_t roll(uint32_t sides)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % sides;
}

static const char *const words[] = {
	"dfd", "fn", "COMM", ".ustring", ".function", "==", "!=", "<", "<=", ">", ">=", "&", "~", "&&", "||", "!", "(", ")",
	" ", "-100", "0x10", "017", "18446744073709551616", "\"/etc/*\"", "'x'", "\"[a-\"", "\"*a*[!b-]?\\\\\"", "\"", "'",
	"CPUS{0-3,7}", "CPUS{", "}", ",", "vfs_read", "mod:f", "#", "\n", "\t", "\x80", "a==1", "&&b!=2", "||c~'*'", "((", "))",
};

/* Words in a row, most of them as an expression has them. */
static void make(struct buf *text)
{
	for (unsigned n = roll(12); n; n--) {
		if (roll(3))
			buf_addf(text, "%s%s %s %s %s", roll(4) ? "" : "!(", words[roll(5)], words[5 + roll(8)],
				 words[19 + roll(10)], roll(2) ? "&& " : "|| ");
		else
			buf_adds(text, words[roll(ARRAY_SIZE(words))]);
	}
	if (roll(2))
		buf_adds(text, "a<1");
	for (unsigned n = roll(4); n; n--)
		buf_addc(text, ')');
	for (unsigned n = roll(200) ? 0 : roll(4000); n; n--)
		buf_adds(text, words[13 + roll(5)]);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0) | 1;
	for (unsigned long i = 0; i < n; i++) {
		struct buf text = { 0 };

		make(&text);
		if (text.len && !roll(3))
			text.data[roll((uint32_t)text.len)] = (char)(1 + roll(255));
		check_text(buf_str(&text));
		buf_fini(&text);
	}
	printf("fuzz_filter: %lu texts\n", n);
	return 0;
}

#endif
