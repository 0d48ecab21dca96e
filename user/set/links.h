/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * links.h - definitions whose triggers have variables for other events, or read theirs.
 */
#ifndef SET_LINKS_H
#define SET_LINKS_H

#include "set/set.h"

/*
 * Marks them: probe_def.is_linked. A hit that a trampoline misses is not known, and then a variable would be of an earlier hit. So they
 * get another backend. To be called when all definitions are read.
 */
void links_settle(struct set *s);

/* Is one of them such a definition? */
bool links_any(const struct set *s);

#endif
