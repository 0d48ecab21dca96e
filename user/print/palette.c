// SPDX-License-Identifier: GPL-2.0-only
/*
 * palette.c - the colours of lines for people.
 */
#include "print/palette.h"

/* Not red and green, which mean something else. */
static const char *const colours[PALETTE_EVENTS] = {
	"\033[36m", "\033[33m", "\033[35m", "\033[34m", "\033[1;36m", "\033[1;33m",
};

/* FNV-1a: names are short, and two that share a colour do no harm. */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

const char *palette_event(struct palette *p, const char *name)
{
	uint32_t hash;

	if (!p->on)
		return "";
	hash = hash_of(name);
	for (unsigned i = 0; i < p->nr_events; i++) {
		if (p->events[i] == hash)
			return colours[i];
	}
	if (p->nr_events == PALETTE_EVENTS)
		return colours[hash % PALETTE_EVENTS];
	p->events[p->nr_events] = hash;
	return colours[p->nr_events++];
}
