// SPDX-License-Identifier: GPL-2.0-only
/*
 * look.c - answers a question from debug information.
 */
#include <string.h>

#include "base/buf.h"
#include "elf/dwarf/lines_priv.h"

const bool lines_is_known = true;

/* The functions that are inlined there. What is inlined in a line that only calls it is not among them. */
static const char *chain_of(struct debug *d, const struct spot *s)
{
	struct buf text = { 0 };
	const char *ret;

	for (unsigned i = 0; i < s->nr; i++) {
		Dwarf_Die die = s->path[i];
		const char *name = dwarf_tag(&die) == DW_TAG_inlined_subroutine ? dwarf_diename(&die) : NULL;

		if (name)
			buf_addf(&text, "%s%s", text.len ? " < " : "", name);
	}
	ret = arena_strdup(d->arena, buf_str(&text));
	buf_fini(&text);
	return ret;
}

static void take_spot(struct debug *d, const struct spot *s, const struct lines_query *q, struct lines_place *p)
{
	Dwarf_Die function = s->function, copy = spot_function(s);
	const char *name = dwarf_diename(&function), *symbol;
	Dwarf_Addr entry;

	*p = (struct lines_place){ .addr = s->addr, .chain = chain_of(d, s) };
	symbol = debug_symbol_at(d, s->addr, &p->off);
	p->symbol = symbol ? symbol : arena_strdup(d->arena, name ? name : "");
	if (dwarf_entrypc(&function, &entry))
		entry = s->addr;
	p->is_entry = entry == s->addr && !s->nr;
	p->copy = s->is_moved ? 0 : ((uint64_t)(s->unit - d->units) << 40) + dwarf_dieoffset(&copy);
	if (!symbol)			/* nothing in the table of symbols is there */
		p->off = s->addr - entry;
	if (q->lists)
		variables_list(d, s, q, p);
	p->values = arena_array(d->arena, struct lines_value, q->nr_exprs);
	for (unsigned i = 0; i < q->nr_exprs; i++)
		p->values[i] = value_find(d, s, q, &q->exprs[i]);
}

/* ---- where else ---- */

static const struct lines_value *first_trouble(const struct lines_place *p, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!p->values[i].fetch)
			return &p->values[i];
	}
	return NULL;
}

static unsigned distance(unsigned a, unsigned b)
{
	return a > b ? a - b : b - a;
}

/* No place has all values. The nearest line of the function that has the first one which is missing is a help. */
static void find_near(struct debug *d, const struct spot *at, const struct lines_query *q, struct lines_value *v, const struct lines_expr *expr)
{
	struct spot *spots, *best = NULL;
	unsigned nr = spots_around(d, at, &spots), line = at->line;
	const void *variable = value_variable(d, at, expr);
	const char *slash;

	/* A block inside may have another variable of the name. */
	for (unsigned i = 0; i < nr; i++) {
		if ((!best || distance(spots[i].line, line) < distance(best->line, line)) && value_variable(d, &spots[i], expr) == variable &&
		    value_find(d, &spots[i], q, expr).fetch)
			best = &spots[i];
	}
	if (!best || !best->file)
		return;
	slash = strrchr(best->file, '/');
	v->near = arena_printf(d->arena, "%s:%u", slash ? slash + 1 : best->file, best->line);
}

static void help_values(struct debug *d, const struct spot *spots, const struct lines_query *q, struct lines_answer *a)
{
	const struct lines_value *missing;

	for (unsigned i = 0; i < a->nr; i++) {
		if (!first_trouble(&a->places[i], q->nr_exprs))
			return;
	}
	missing = a->nr ? first_trouble(&a->places[0], q->nr_exprs) : NULL;
	if (missing) {
		unsigned i = (unsigned)(missing - a->places[0].values);

		if (!missing->is_unknown)
			find_near(d, &spots[0], q, &a->places[0].values[i], &q->exprs[i]);
	}
}

static void find_places(struct debug *d, const struct lines_query *q, struct lines_answer *ret)
{
	enum { EACH = 128 };
	struct spot *spots;

	ret->nr = spots_find(d, q, &spots, ret);
	ret->places = arena_array(d->arena, struct lines_place, ret->nr);
	for (unsigned i = 0; i < ret->nr; i++) {
		take_spot(d, &spots[i], q, &ret->places[i]);
		if (i % EACH == EACH - 1)
			debug_forget(d);
	}
	help_values(d, spots, q, ret);
}

int lines_look(struct arena *arena, int fd, const char *name, const struct lines_query *queries, unsigned nr,
	       void (*each)(void *ctx, const struct lines_query *q, const struct lines_answer *a), void *ctx, struct diag *diag)
{
	static void (*const answers[])(struct debug *d, const struct lines_query *q, struct lines_answer *ret) = {
		[LINES_PLACES] = find_places, [LINES_WITH_CODE] = spots_list, [LINES_INLINED] = inlined_find,
		[LINES_OF_ADDRESSES] = addresses_find,
	};
	struct debug d;
	int err = debug_open(&d, arena, fd, name, queries, nr, diag);

	if (err)
		return err;
	debug_prepare(&d, queries, nr);
	for (unsigned i = 0; i < nr; i++) {
		struct lines_answer a = { 0 };

		answers[queries[i].want](&d, &queries[i], &a);
		each(ctx, &queries[i], &a);
	}
	debug_close(&d);
	return 0;
}
