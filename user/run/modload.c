// SPDX-License-Identifier: GPL-2.0-only
/*
 * modload.c - identifies one loading of a module.
 *
 * The directory /sys/module/NAME is created when the module is loaded. Inode numbers are given in sequence, and have a
 * generation in their upper half (5.10 to 7.2, fs/kernfs/dir.c, __kernfs_new_node()). So no later directory has the same
 * number.
 */
#include "run/modload.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"

uint64_t modload_id(const char *name)
{
	auto_free char *path = NULL;
	struct stat st;

	return asprintf(&path, "/sys/module/%s", name) < 0 || stat(path, &st) ? 0 : (uint64_t)st.st_ino;
}
