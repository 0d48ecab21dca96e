// SPDX-License-Identifier: GPL-2.0-only
/*
 * counters.c - which fields are counters.
 */
#include "timeline/counters.h"

#include <string.h>

#include "lang/glob.h"

bool counter_fits(const struct layout_field *f)
{
	bool is_number = f->type.kind == TYPE_UNSIGNED || f->type.kind == TYPE_SIGNED || f->type.kind == TYPE_HEX ||
			 f->type.kind == TYPE_BITFIELD;

	return is_number && !f->type.count && (f->type.show == SHOW_PLAIN || f->type.show == SHOW_BIG_ENDIAN || f->type.show == SHOW_ERRNO);
}

/* Patterns are few, and this is asked once for each field. */
static bool fits(const char *pattern, size_t len, const char *text)
{
	struct arena arena = { 0 };
	bool yes = glob_matches(glob_parse(&arena, pattern, len), text, strlen(text));

	arena_fini(&arena);
	return yes;
}

static bool names(const char *wanted, const struct layout *l, const struct layout_field *f)
{
	const char *dot = strchr(wanted, '.'), *field = dot ? dot + 1 : wanted;

	return counter_fits(f) && fits(field, strlen(field), f->name) && (!dot || fits(wanted, (size_t)(dot - wanted), l->event));
}

static bool is_wanted(const struct counters *c, const struct layout *l, const struct layout_field *f)
{
	for (unsigned i = 0; i < c->nr_wanted; i++) {
		if (names(c->wanted[i], l, f))
			return true;
	}
	return false;
}

static uint32_t number_of(struct counters *c, const struct layout *l, const struct layout_field *f)
{
	const char *name = arena_printf(&c->arena, "%s.%s", l->event, f->name);
	unsigned i = 0;

	while (i < c->nr && (strcmp(c->all[i].name, name) || strcmp(c->all[i].group, l->group)))
		i++;
	if (i < c->nr)
		return i;
	c->all = arena_grow(&c->arena, c->all, c->nr, &c->room);
	c->all[c->nr++] = (struct counter){ .name = name, .group = arena_strdup(&c->arena, l->group) };
	return i;
}

unsigned counters_of(struct counters *c, const struct layout *l, struct arena *arena, struct counted **ret)
{
	struct counted *all = NULL;
	unsigned nr = 0, room = 0;

	for (unsigned i = 0; c->nr_wanted && i < l->nr_fields; i++) {
		if (!is_wanted(c, l, &l->fields[i]))
			continue;
		all = arena_grow(arena, all, nr, &room);
		all[nr++] = (struct counted){ .field = &l->fields[i], .number = number_of(c, l, &l->fields[i]) };
	}
	*ret = all;
	return nr;
}

const char *counters_unused(const struct counters *c, const struct layout *const *layouts, unsigned nr)
{
	for (unsigned i = 0; i < c->nr_wanted; i++) {
		bool used = false;

		for (unsigned k = 0; k < nr && !used; k++) {
			for (unsigned f = 0; layouts[k] && f < layouts[k]->nr_fields; f++)
				used = used || names(c->wanted[i], layouts[k], &layouts[k]->fields[f]);
		}
		if (!used)
			return c->wanted[i];
	}
	return NULL;
}
