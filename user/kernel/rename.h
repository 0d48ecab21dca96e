/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rename.h - functions that the documents of this tracer name, and what became of their names.
 */
#ifndef KERNEL_RENAME_H
#define KERNEL_RENAME_H

/* @was is @now since Linux @since, with the parameters that @note tells. */
struct rename {
	const char *was, *now, *since, *note;
};

/* What became of the function @name; NULL: nothing is known of it. */
const struct rename *rename_find(const char *name);

#endif
