/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rename.h - functions that this tracer's documents name and that the kernel has renamed.
 */
#ifndef KERNEL_RENAME_H
#define KERNEL_RENAME_H

/* @was is called @now since Linux @since. @note tells what its parameters are now. */
struct rename {
	const char *was, *now, *since, *note;
};

/* The new name of the function @name; NULL: none is known. */
const struct rename *rename_find(const char *name);

#endif
