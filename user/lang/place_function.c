// SPDX-License-Identifier: GPL-2.0-only
/*
 * place_function.c - f: the entry or the return of a function that is given by name.
 */
#include <errno.h>

#include "base/number.h"
#include "lang/place.h"

static int refuse_address(struct parse *p, struct span at)
{
	diag_at(p->diag, -EINVAL, at, "'f' takes a function's name, not an address");
	diag_note(p->diag, "help: write p %s", span_quote(p, at));
	return -EINVAL;
}

int place_function_parse(struct parse *p, struct span at)
{
	struct span name = span_head(at, span_find(p, at, "%"));
	const struct place *place = &p->def->place;
	uint64_t addr;
	int err;

	if (number_u64(span_ptr(p, name), name.len, 0, &addr) != -EINVAL)
		return refuse_address(p, at);
	err = place_parse(p, at);
	if (err || !place->off_at.len)
		return err;
	diag_at(p->diag, -EINVAL, at, "'f' is at a function's entry or return, never at an offset");
	diag_note(p->diag, "help: a place inside a function is written with p: p %s", span_quote(p, at));
	return -EINVAL;
}

char *place_function_event_name(struct parse *p)
{
	const struct place *place = &p->def->place;

	return arena_printf(p->arena, "%s%s%s__%s", place->module ? place->module : "", place->module ? ":" : "", place->symbol,
			    p->def->kind == DEF_RETURN ? "exit" : "entry");
}
