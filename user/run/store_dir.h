/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_dir.h - the store's directories: made, locked, walked and removed.
 *
 * For the store's own files.
 */
#ifndef RUN_STORE_DIR_H
#define RUN_STORE_DIR_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/diag.h"

/* What a directory's name begins with that is being made or removed: no group's name does. */
#define STORE_STAGING	'+'

/* But this one stays while there are events. */
#define STORE_SELVES	"+self"

/* Opens @dir, whose owner must be this user; with @make makes it, on a BPF file system. -ENOENT without words. */
int store_dir_open(const char *dir, bool make, int *ret_fd, struct diag *diag);

/* Locks @fd; waits for a while. -EBUSY with the holder in @diag. */
int store_dir_lock(int fd, const char *dir, struct diag *diag);

/* Locks @fd if nobody else does. -EBUSY without words. */
int store_dir_trylock(int fd);

/* The process that holds a lock on @fd, as /proc/locks tells it; 0: it is not told. */
pid_t store_dir_holder(int fd);

/* The names in @dir, sorted, from @arena; returns their number. */
unsigned store_dir_names(const char *dir, struct arena *arena, const char ***ret);

/* Removes @dir with all that is in it. */
int store_dir_remove(const char *dir);

#endif
