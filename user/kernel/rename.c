// SPDX-License-Identifier: GPL-2.0-only
/*
 * rename.c - functions that were renamed, and do the same under another name.
 *
 * It lists no other functions. If the work moved to a function with another purpose (from do_sys_open to do_sys_openat2), a probe there
 * would show something else.
 */
#include "kernel/rename.h"

#include <string.h>

#include "base/macros.h"

/* kernel/fork.c: cad6967ac108 ("fork: introduce kernel_clone()", 5.10), 3033f14ab78c (4.2). */
static const struct rename renames[] = {
	{ "_do_fork", "kernel_clone", "5.10", "its one parameter is a struct kernel_clone_args" },
	{ "do_fork", "kernel_clone", "5.10", "its one parameter is a struct kernel_clone_args" },
};

const struct rename *rename_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(renames); i++) {
		if (!strcmp(renames[i].was, name))
			return &renames[i];
	}
	return NULL;
}
