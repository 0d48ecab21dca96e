/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.h - what a process has mapped executable now: /proc/PID/maps.
 */
#ifndef ELF_MAPS_H
#define ELF_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* A file, by its inode: what the kernel says when it is mapped. All 0: not known. */
struct user_inode {
	uint32_t major, minor;
	uint64_t ino;
};

struct user_map {
	uint64_t start, end;		/* addresses */
	uint64_t off;			/* in the file */
	struct user_inode inode;
	const char *path;		/* as the process sees it; "[vdso]" and the like */
};

/* Calls @each for each executable mapping that has a name. -errno: the process does not exist, or may not be read. */
int maps_read(uint32_t tgid, void (*each)(void *ctx, const struct user_map *m), void *ctx);

/* Calls @each for each process that there is now, in no order, until it returns false. */
void maps_processes(bool (*each)(void *ctx, uint32_t tgid), void *ctx);

#endif
