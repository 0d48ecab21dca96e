/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counters.h - which fields are counters: those that --counter names.
 */
#ifndef TIMELINE_COUNTERS_H
#define TIMELINE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "plan/layout.h"

struct counter {
	const char *name;		/* EVENT.FIELD */
	const char *group;
	bool told;			/* its track was described */
};

/* Starts as zeroes, except ->wanted. */
struct counters {
	const char *const *wanted;	/* FIELD or EVENT.FIELD, each a pattern with * ? []; borrowed */
	unsigned nr_wanted;
	struct arena arena;
	struct counter *all;
	unsigned nr, room;
};

/* A field of a layout that is a counter. */
struct counted {
	const struct layout_field *field;
	uint32_t number;		/* in counters.all */
};

/* Can the field be a counter: is it one number? An address and a name are none. */
bool counter_fits(const struct layout_field *f);

/* The fields of @l that are counters, in @arena. Returns how many there are. */
unsigned counters_of(struct counters *c, const struct layout *l, struct arena *arena, struct counted **ret);

/* The first one of ->wanted that no counter is of; NULL: there is none. To be asked when all layouts have come. */
const char *counters_unused(const struct counters *c, const struct layout *const *layouts, unsigned nr);

#endif
