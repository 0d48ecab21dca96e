/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_dir.h - creates, locks, walks and removes the store's directories.
 *
 * For the store's own files.
 */
#ifndef KEEP_STORE_DIR_H
#define KEEP_STORE_DIR_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/diag.h"

/* While a directory is being created or removed, its name begins with this. No group's name does. */
#define STORE_STAGING	'+'

/* Exception: this one stays as long as there are events. */
#define STORE_SELVES	"+self"

/* Opens @dir, whose owner must be this user. With @make creates it, on a BPF file system. -ENOENT without a message. */
int store_dir_open(const char *dir, bool make, int *ret_fd, struct diag *diag);

/* Locks @fd; waits for a while. -EBUSY with the holder in @diag. */
int store_dir_lock(int fd, const char *dir, struct diag *diag);

/* Locks @fd if nobody else holds the lock. -EBUSY without a message. */
int store_dir_trylock(int fd);

/* The process that holds a lock on @fd, according to /proc/locks; 0: not shown there. */
pid_t store_dir_holder(int fd);

/* The names in @dir, sorted, from @arena; returns their number. */
unsigned store_dir_names(const char *dir, struct arena *arena, const char ***ret);

/* Removes @dir and everything in it. */
int store_dir_remove(const char *dir);

#endif
