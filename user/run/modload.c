// SPDX-License-Identifier: GPL-2.0-only
/*
 * modload.c - which loading of a module is it?
 *
 * The directory /sys/module/NAME is made when the module is loaded. Its inode's number is given in turn, and has a generation in
 * its upper half (5.10 to 7.2, fs/kernfs/dir.c, __kernfs_new_node()): so no later one has it.
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
