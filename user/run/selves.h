/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selves.h - the processes whose hits are left out: bprobe's own.
 *
 * They stand in a map (struct bp_selves) that programs look into at each hit. A run has one for itself. All kept events of a
 * store have one together, which lies in the store: so every command that works on the store leaves itself out of all of them,
 * as soon as it has begun.
 */
#ifndef RUN_SELVES_H
#define RUN_SELVES_H

#include <stdbool.h>
#include <stdint.h>

#include "bprobe_abi.h"

struct selves {
	struct bp_selves *table;	/* the map's value, mapped; NULL: there is none */
	int fd;
};

/* Makes a map with nobody in it; or opens the one that is pinned at @path. -errno without words; -EBADMSG: it is another kind of map. */
int selves_create(struct selves *ret);
int selves_open(const char *path, struct selves *ret);

/* Pins it at @path. */
int selves_pin(const struct selves *s, const char *path);
void selves_close(struct selves *s);		/* fine where there is none */

/*
 * The running process @tgid (initial pid namespace) is left out from now on, for as long as it lives. @initial: this process sees the
 * numbers of that namespace, so that it can tell whose entries are in vain. If both entries of the row are in use, the older one is
 * replaced.
 */
void selves_add(const struct selves *s, uint32_t tgid, bool initial);

/* It is not any more. Who sees the initial pid namespace's numbers need not say so. */
void selves_remove(const struct selves *s, uint32_t tgid);

#endif
