// SPDX-License-Identifier: GPL-2.0-only
/*
 * known.c - what may come: which events are calls, durations and counters.
 */
#include "timeline/timeline_priv.h"

static uint64_t hash_text(uint64_t hash, const char *s)
{
	for (; s && *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3ull;
	return (hash ^ 0xff) * 0x100000001b3ull;
}

static uint64_t function_of(const struct layout *l)
{
	uint64_t hash = hash_text(0xcbf29ce484222325ull ^ (uint64_t)l->site, l->site == SITE_USER ? l->site_name : NULL);

	return hash_text(hash, l->func);
}

/* Only one with all bits of the time can be subtracted from the record's. */
static const struct layout_field *elapsed_of(const struct layout *l)
{
	for (unsigned i = 0; i < l->nr_fields; i++) {
		if (l->fields[i].elapsed && l->fields[i].type.size == 8)
			return &l->fields[i];
	}
	return NULL;
}

/* Is it at the first byte of a function? */
static bool is_entry(const struct layout *l)
{
	return !l->is_return && !l->is_synthetic && (l->site == SITE_USER ? l->func && !l->site_off : l->at_entry);
}

static bool has_return(const struct timeline *tl, const struct layout *l)
{
	for (unsigned i = 0; i < tl->nr_known; i++) {
		const struct layout *other = tl->layouts[i];

		if (other && other->is_return && other->site == l->site && function_of(other) == function_of(l))
			return true;
	}
	return false;
}

void timeline_learn(struct timeline *tl, const struct layout *const *layouts, unsigned nr)
{
	arena_fini(&tl->arena);
	tl->known = arena_array(&tl->arena, struct known, nr);
	tl->layouts = arena_array(&tl->arena, const struct layout *, nr);
	tl->nr_known = nr;
	memcpy(tl->layouts, layouts, nr * sizeof(*layouts));
	for (unsigned i = 0; i < nr; i++) {
		const struct layout *l = layouts[i];
		struct known *k = &tl->known[i];
		struct counted *counted;

		if (!l)
			continue;
		*k = (struct known){ .layout = l, .function = function_of(l), .elapsed = elapsed_of(l) };
		k->paired = is_entry(l) && has_return(tl, l);
		tl->has_elapsed = tl->has_elapsed || (k->elapsed && k->elapsed->elapsed == ELAPSED_CALL);
		k->nr_counted = counters_of(&tl->counters, l, &tl->arena, &counted);
		k->counted = counted;
	}
}

bool timeline_knows(const struct timeline *tl, const struct event *ev)
{
	return ev->rec->probe < tl->nr_known && tl->known[ev->rec->probe].layout == ev->layout;
}

const char *timeline_unused_counter(const struct timeline *tl)
{
	return counters_unused(&tl->counters, tl->layouts, tl->nr_known);
}
