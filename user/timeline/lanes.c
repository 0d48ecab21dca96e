// SPDX-License-Identifier: GPL-2.0-only
/*
 * lanes.c - tracks for slices that overlap.
 */
#include "timeline/lanes.h"

#include <string.h>

static struct lanes_of *find(struct lanes *l, const char *group, const char *event)
{
	struct lanes_of *of = l->events;

	while (of && (strcmp(of->event, event) || strcmp(of->group, group)))
		of = of->next;
	if (of)
		return of;
	of = arena_new(&l->arena, struct lanes_of);
	*of = (struct lanes_of){ .group = arena_strdup(&l->arena, group), .event = arena_strdup(&l->arena, event), .next = l->events };
	l->events = of;
	return of;
}

bool lanes_take(struct lanes *l, const char *group, const char *event, uint64_t start, uint64_t end, uint32_t *ret, bool *ret_new)
{
	struct lanes_of *of = find(l, group, event);
	unsigned i = 0;

	while (i < of->nr && of->all[i].end > start)
		i++;
	*ret_new = i == of->nr;
	if (i == LANES_MAX)
		return false;
	if (*ret_new) {
		of->all = arena_grow(&l->arena, of->all, of->nr, &of->room);
		of->all[of->nr++].number = l->nr++;
	}
	of->all[i].end = end;
	*ret = of->all[i].number;
	return true;
}
