// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_pair.c - any bytes as the value of --pair (see fuzz.h): what is accepted has its parts inside the text, and names two
 * events. Links only base/ and lang/.
 */
#include <errno.h>

#include "lang/pair.h"

static const char fuzz_name[] = "fuzz_pair";
static const char *const fuzz_seeds[] = { "g/a:h/b=f", "a:b" };

static const char *const fuzz_words[] = {
	"a", "b", ":", "=", "/", "g/", " ", "\t", "_", "0", "a:b", "a:b=", "=f", "\n", "\x80", "\xff", "\x1b[",
	"-", ".", "*", "::", "==", "//",
};

#include "fuzz.h"

static void check_text(const char *text)
{
	struct arena arena = { 0 };
	struct diag d = { 0 };
	struct pair pair = { 0 };
	int err = pair_parse(&arena, text, &pair, &d);

	if (err) {
		require(err == d.err, "refused, but not quite", text);
		check_refusal(&d, text);
	} else {
		require(pair.begin.event && pair.end.event, "no two events", text);
		check_span(pair.begin.at, text);
		check_span(pair.end.at, text);
		check_span(pair.field_at, text);
		require(!pair.field == !pair.field_at.len, "a field without a place", text);
	}
	diag_fini(&d);
	arena_fini(&arena);
}
