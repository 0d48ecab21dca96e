/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selves.h - the processes whose hits are left out: bprobe's own.
 *
 * They are listed in a map (struct bp_selves) that programs look into at each hit. A run has a map of its own. All kept events of a store
 * share one map, which is pinned in the store. So each command that works on the store is left out of all kept events as soon as it starts.
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

/* Creates an empty map; or opens the one pinned at @path. -errno without a message; -EBADMSG: it is another kind of map. */
int selves_create(struct selves *ret);
int selves_open(const char *path, struct selves *ret);

/* Pins the map at @path. */
int selves_pin(const struct selves *s, const char *path);
void selves_close(struct selves *s);		/* NULL table is fine */

/*
 * From now on leaves out the running process @tgid (initial pid namespace), for as long as it lives. @initial: this process
 * sees the numbers of that namespace, so it can find entries of processes that have ended. If both entries of the row are in
 * use, the older one is replaced.
 */
void selves_add(const struct selves *s, uint32_t tgid, bool initial);

/* Ends this for @tgid. A process that sees the initial pid namespace's numbers need not call it. */
void selves_remove(const struct selves *s, uint32_t tgid);

#endif
