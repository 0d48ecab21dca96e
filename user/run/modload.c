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
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

uint64_t modload_id(const char *name)
{
	auto_free char *path = NULL;
	struct stat st;

	return asprintf(&path, "/sys/module/%s", name) < 0 || stat(path, &st) ? 0 : (uint64_t)st.st_ino;
}

/*
 * While a module is being loaded its symbols can be seen before its BTF and its directory (6.18, kernel/module/main.c,
 * load_module()). So without the directory it is not complete, if there is a sysfs at all.
 */
bool modload_is_complete(const char *name)
{
	auto_free char *path = NULL;
	char state[16] = "";
	FILE *file;
	bool read;

	if (asprintf(&path, "/sys/module/%s/initstate", name) < 0)
		return false;
	file = fopen(path, "re");
	if (!file)
		return access("/sys/module", F_OK) != 0;
	read = fgets(state, sizeof(state), file);
	fclose(file);
	return read && !strncmp(state, "live", 4);
}
