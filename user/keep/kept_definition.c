// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_definition.c - the definitions of a kept event, parsed again.
 */
#include "keep/kept_definition.h"

#include <errno.h>

#include "lang/def_words.h"
#include "lang/dialect.h"
#include "lang/filter.h"
#include "lang/parse.h"

/* The filter behind a listed definition. */
static int read_filter(struct arena *arena, const char *line, struct probe_def *def, struct diag *diag)
{
	const struct parse p = { .arena = arena, .text = line };
	struct def_words words = def_words_split(&p);

	return words.has_filter ? filter_parse(arena, line, words.filter, &def->filter, diag) : 0;
}

int kept_definition(struct arena *arena, const struct kept *k, unsigned line, struct probe_def **ret, struct diag *diag)
{
	enum dialect dialect;
	int err;

	if (!dialect_find(k->dialects[line], &dialect))
		return diag_set(diag, -EBADMSG, "%s was kept in the unknown dialect %s", k->event, k->dialects[line]);
	err = dialect_parse(arena, k->sources[line], dialect, ret, diag);
	if (!err)
		err = read_filter(arena, k->lines[line], *ret, diag);
	if (err)
		return err;
	(*ret)->stacks = kept_stacks(k, line);
	(*ret)->group = k->group;
	(*ret)->event = k->event;
	return 0;
}
