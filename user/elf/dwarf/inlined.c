// SPDX-License-Identifier: GPL-2.0-only
/*
 * inlined.c - which functions may be inlined somewhere.
 *
 * It is asked for all functions of the definitions at once, so that those which are inlined nowhere cost one search. The compiler
 * says it of each function, in each unit that inlines it (DW_AT_inline; DWARF 5, 3.3.8.1).
 */
#include <stdlib.h>
#include <string.h>

#include "elf/dwarf/lines_priv.h"

struct names {
	const char **sorted;
	unsigned nr;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void take_unit(struct lines_unit *unit, const struct names *names, bool *found)
{
	Dwarf_Attribute attr;
	Dwarf_Word how;
	Dwarf_Die die;
	int err = dwarf_child(&unit->die, &die);

	for (; !err; err = dwarf_siblingof(&die, &die)) {
		const char *name, *const *at;

		if (dwarf_tag(&die) != DW_TAG_subprogram || dwarf_formudata(dwarf_attr(&die, DW_AT_inline, &attr), &how) ||
		    (how != DW_INL_inlined && how != DW_INL_declared_inlined))
			continue;
		name = dwarf_diename(&die);
		at = name ? bsearch(&name, names->sorted, names->nr, sizeof(name), by_text) : NULL;
		if (at)
			found[at - names->sorted] = true;
	}
}

void inlined_find(struct debug *d, const struct lines_query *q, struct lines_answer *ret)
{
	struct names names = { .sorted = arena_array(d->arena, const char *, q->nr_functions), .nr = q->nr_functions };
	bool *found = arena_array(d->arena, bool, q->nr_functions);

	memcpy(names.sorted, q->functions, q->nr_functions * sizeof(*names.sorted));
	qsort(names.sorted, names.nr, sizeof(*names.sorted), by_text);
	debug_want_names(d, names.sorted, names.nr);
	for (unsigned i = 0; i < d->nr_units; i++) {
		if (d->units[i].wanted)
			take_unit(&d->units[i], &names, found);
	}
	ret->inlined = arena_array(d->arena, bool, q->nr_functions);
	for (unsigned i = 0; i < q->nr_functions; i++) {
		const char *const *at = bsearch(&q->functions[i], names.sorted, names.nr, sizeof(*at), by_text);

		/* A name that is there twice was found at one of its two places. */
		for (unsigned n = (unsigned)(at - names.sorted); n < names.nr && !strcmp(names.sorted[n], *at); n++)
			ret->inlined[i] |= found[n];
		for (unsigned n = (unsigned)(at - names.sorted); n-- > 0 && !strcmp(names.sorted[n], *at);)
			ret->inlined[i] |= found[n];
	}
}
