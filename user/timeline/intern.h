/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intern.h - numbers for texts that come often: a file has each text once.
 */
#ifndef TIMELINE_INTERN_H
#define TIMELINE_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { INTERN_MAX = 1 << 15 };		/* whoever has more texts begins again */

struct interned;

/* Starts as zeroes. */
struct intern {
	struct arena arena;
	struct interned **buckets;
	uint64_t nr;
};

void intern_reset(struct intern *in);	/* no text has a number; frees the memory */

/* The number of @text, from 1. *ret_new: it had none. */
uint64_t intern_get(struct intern *in, const char *text, bool *ret_new);

#endif
