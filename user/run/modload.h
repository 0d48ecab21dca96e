/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modload.h - identifies one loading of a module.
 */
#ifndef RUN_MODLOAD_H
#define RUN_MODLOAD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A number that identifies this loading of module @name: it stays the same while the module is loaded, and is never used
 * again. 0: the module is not loaded, or there is no sysfs.
 */
uint64_t modload_id(const char *name);

/* Have the init functions of module @name run, and is it not being unloaded? True if there is no sysfs to tell. */
bool modload_is_complete(const char *name);

#endif
