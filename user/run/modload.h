/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modload.h - which loading of a module is it?
 */
#ifndef RUN_MODLOAD_H
#define RUN_MODLOAD_H

#include <stdint.h>

/* A number that module @name has as long as it is loaded, and never again; 0: it is not, or there is no sysfs. */
uint64_t modload_id(const char *name);

#endif
