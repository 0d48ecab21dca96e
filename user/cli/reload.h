/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reload.h - the programs of a kept event made anew: for another filter, another way to attach, a module that came again.
 */
#ifndef CLI_RELOAD_H
#define CLI_RELOAD_H

#include "run/store.h"

struct options;

struct reload_how {
	bool filters;			/* all its definitions get @filter; false: each keeps its own */
	const char *filter;		/* NULL: none */
	bool attaches;			/* it is enabled then, also if it is not now */
};

/*
 * Makes them as the @nr @parts of an event were kept, and puts them in place of those that are there; its records stay. @store is
 * locked. Returns 0 or an exit status, when standard error has heard of it and no part has changed.
 */
int reload_parts(const struct options *opts, const struct store *store, const struct stored *const *parts, unsigned nr,
		 const struct reload_how *how);

#endif
