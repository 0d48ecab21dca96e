// SPDX-License-Identifier: GPL-2.0-only
/*
 * places_none.c - why a place has no address, and what may be meant instead.
 */
#include <string.h>

#include "base/buf.h"
#include "elf/dwarf/places_priv.h"

const char *spots_name(const struct finder *f)
{
	const struct lines_query *q = f->q;

	if (!q->function)
		return q->file;
	return q->file ? arena_printf(f->d->arena, "%s in %s", q->function, q->file) : q->function;
}

static const char *what_is_like(struct finder *f)
{
	const struct lines_query *q = f->q;
	const char *slash = q->file ? strrchr(q->file, '/') : NULL;
	struct similar *similar = similar_new(f->d->arena, q->function ? q->function : slash ? slash + 1 : q->file, 1);
	const struct similar_name *best;

	if (q->function)
		debug_offer_symbols(f->d, similar);
	if (!q->function || strchr(q->function, '.'))
		debug_offer_files(f->d, similar);
	return similar_best(similar, &best) ? arena_printf(f->d->arena, "did you mean %s?", best->name) : NULL;
}

void spots_explain(struct finder *f, const char **ret_trouble, const char **ret_help, bool *ret_known)
{
	const struct lines_query *q = f->q;
	struct buf near = { 0 };

	*ret_help = debug_missing(f->d);
	if (!f->known && f->undeclared) {
		*ret_trouble = arena_printf(f->d->arena, "the debug information does not say where %s is declared, so its lines cannot be counted",
					    spots_name(f));
		*ret_help = "name the line by its file: FILE:LINE";
		return;
	}
	if (!f->known) {
		*ret_trouble = arena_printf(f->d->arena, "the debug information knows no %s %s", q->function ? "function" : "file",
					    spots_name(f));
		if (!*ret_help)
			*ret_help = what_is_like(f);
		return;
	}
	*ret_known = true;
	if (f->overridden) {
		*ret_trouble = arena_printf(f->d->arena, "this code of %s is never called: another function of the name has taken its place (weak)",
					    f->overridden);
		*ret_help = arena_printf(f->d->arena, "the one that is called has the place %s", f->overridden);
		return;
	}
	if (!q->has_line) {
		*ret_trouble = arena_printf(f->d->arena,
					    f->has_code ? "%s is inlined wherever it is called, so it has no %s" : "%s has no code%.0s",
					    spots_name(f), q->is_return ? "return" : "copy that is not inlined");
		if (f->has_code && q->is_return)
			*ret_help = arena_printf(f->d->arena, "p:EVENT %s sees its entries; r:EVENT CALLER the returns of what it is inlined into",
						 q->function);
		return;
	}
	*ret_trouble = arena_printf(f->d->arena, "line %u of %s has no code", q->line, spots_name(f));
	if (f->below)
		buf_addf(&near, "%u", f->below);
	if (f->above)
		buf_addf(&near, "%s%u", near.len ? " and " : "", f->above);
	if (near.len && !f->d->missing)
		*ret_help = arena_printf(f->d->arena, "the nearest lines with code: %s", buf_str(&near));
	buf_fini(&near);
}
