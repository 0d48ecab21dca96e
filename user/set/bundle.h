/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bundle.h - the link of a set that many definitions share (plan/bundle.h).
 */
#ifndef SET_BUNDLE_H
#define SET_BUNDLE_H

#include "set/set.h"

/*
 * Attaches all definitions that plan_bundle() has chosen; their programs are loaded. If the kernel refuses the link, it
 * says so on stderr and loads them for links of their own; the caller attaches these. -errno with @diag.
 */
int bundle_attach(struct set *s, struct diag *diag);

/*
 * Stops the recording of @p, which the link attaches. The last one closes the link. Until then a hit of @p's function costs a
 * little: to take the program out of the link, the kernel would wait for a grace period.
 */
void bundle_leave(struct set *s, struct probe *p);

/* How many hits the link has missed; whose hits they were is not known. False: not known either. */
bool bundle_missed(const struct set *s, const struct probe *p, uint64_t *ret);

/* Closes the link. */
void bundle_close(struct set *s);

#endif
