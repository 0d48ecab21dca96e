// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_filter.c - any bytes into the filter parser (see fuzz.h). What is accepted must print to something that is
 * accepted and prints alike; its patterns must end on any text. Links only base/ and lang/.
 */
#include "base/macros.h"

static const char fuzz_name[] = "fuzz_filter";
static const char *const fuzz_seeds[] = {
	"dfd == -100 && fn ~ \"/etc/*\"",
	"!(COMM != \"cat\" || cpu & CPUS{0-3,7}) && (a < 0x10 || b.ustring ~ \"*a*[!b-]?\\\\\")",
	"__probe_ip.function == vfs_read || c == 'x' && 017 <= 18446744073709551615",
};

static const char *const fuzz_words[] = {
	"dfd", "fn", "COMM", ".ustring", ".function", "==", "!=", "<", "<=", ">", ">=", "&", "~", "&&", "||", "!", "(", ")",
	" ", "-100", "0x10", "017", "18446744073709551616", "\"/etc/*\"", "'x'", "\"[a-\"", "\"*a*[!b-]?\\\\\"", "\"", "'",
	"CPUS{0-3,7}", "CPUS{", "}", ",", "vfs_read", "mod:f", "#", "\n", "\t", "\x80", "a==1", "&&b!=2", "||c~'*'", "((", "))",
	"a<1||(", "!(b>2&&", ")&&c==3",
};

#include "fuzz.h"
#include "lang/filter.h"
#include "lang/glob.h"

static int parse(struct arena *arena, const char *text, const struct filter_expr **ret, struct diag *d)
{
	return filter_parse(arena, text, (struct span){ 0, (uint32_t)strlen(text) }, ret, d);
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
