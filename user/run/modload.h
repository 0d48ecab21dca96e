/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modload.h - identifies one loading of a module.
 */
#ifndef RUN_MODLOAD_H
#define RUN_MODLOAD_H

#include <stdint.h>

/*
 * A number that identifies this loading of module @name: it stays the same while the module is loaded, and is never used
 * again. 0: the module is not loaded, or there is no sysfs.
 */
uint64_t modload_id(const char *name);

#endif
