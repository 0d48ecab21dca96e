/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * registry_dir.h - the directory under /run, its locks and its sockets.
 *
 * For the registry's own files. NAME is the owner's process id. If two owners have
 * the same id (process id namespaces), "-1" and so on is appended.
 */
#ifndef REGISTRY_REGISTRY_DIR_H
#define REGISTRY_REGISTRY_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

struct sockaddr_un;

/*
 * Opens @dir (NULL: /run/bprobe) after a check that only its owner can write there. With @make creates it. -ENOENT: it does
 * not exist and shall not be created.
 */
int registry_dir_open(const char *dir, bool make, int *ret_fd, struct diag *diag);

/*
 * Creates NAME.lock for this process and locks it: *ret_fd holds the lock, *ret_name is from @a. registry_dir_release()
 * removes the files of this name and closes the lock.
 */
int registry_dir_claim(int dir_fd, struct arena *a, const char **ret_name, int *ret_fd,
		       struct diag *diag);
void registry_dir_release(int dir_fd, const char *name, int lock_fd);

/* Is the owner called @name alive? If not, its files are removed. */
bool registry_dir_alive(int dir_fd, struct arena *a, const char *name);

/* Removes the files of dead owners. Returns the names of the living owners, sorted, from @a. Never fails. */
size_t registry_dir_scan(int dir_fd, struct arena *a, const char ***ret_names);

/* The address of NAME.sock, reached through the open directory. */
void registry_dir_address(int dir_fd, const char *name, struct sockaddr_un *ret);

/* "NAME.SUFFIX" */
const char *registry_dir_file(struct arena *a, const char *name, const char *suffix);

#endif
