/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroups.h - the paths of cgroups by their numbers, also of those that have ended.
 *
 * A cgroup's number is the inode of its directory (6.12, kernel/cgroup/cgroup.c, cgroup_ino(); kernfs numbers have 64 bits since 5.5).
 */
#ifndef KERNEL_CGROUP_CGROUPS_H
#define KERNEL_CGROUP_CGROUPS_H

#include <stdint.h>

#include "base/buf.h"

enum { CGROUPS_MOST = 1 << 17 };	/* so many are remembered; then the one that was learned first is forgotten */

struct cgroups;

/* What is known of a cgroup. */
struct cgroup_known {
	uint64_t id;
	const char *path;		/* from the root of cgroup2 on: "/system.slice/docker-0123.scope" */
	struct buf text;		/* what print/ makes of it: empty until then */
};

struct cgroups *cgroups_new(void);
void cgroups_free(struct cgroups *all);		/* NULL is fine */

/* Takes note that @id is @path, which is copied. A number that is known already gets the new path. */
void cgroups_learn(struct cgroups *all, uint64_t id, const char *path);

/* Learns those that exist now, from where cgroup2 is mounted. 0; -ENOENT: it is mounted nowhere; or another -errno. */
int cgroups_scan(struct cgroups *all);

/* Calls @more(@ctx) before a number is given up as unknown: it may learn what has come. */
void cgroups_ask(struct cgroups *all, void (*more)(void *ctx), void *ctx);

/* NULL: not known. It is valid until the next call of any of these functions. */
struct cgroup_known *cgroups_find(struct cgroups *all, uint64_t id);

#endif
