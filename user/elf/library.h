/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library.h - the file that a bare name means: libc.so.6, bash.
 */
#ifndef ELF_LIBRARY_H
#define ELF_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

/* Where to look. */
struct library_places {
	const char *cache;		/* /etc/ld.so.cache */
	const char *const *dirs;	/* of libraries; ends with NULL */
	const char *path;		/* of programs, as in $PATH */
};

/* This machine's places. */
struct library_places library_places_here(void);

/*
 * Finds the file @name, which has no '/': in the loader's cache, in the directories of libraries, in PATH; then a library whose name begins
 * with it (libc finds libc.so.6), if there is only one. *ret is a path in @arena. -ENOENT, -EEXIST (several).
 */
int library_find(struct arena *arena, const struct library_places *places, const char *name, const char **ret, struct diag *diag);

/* Does the name of a file begin with @name, and a version or a suffix follows: libc.so.6, libglib-2.0.so.0? */
bool library_begins(const char *file, const char *name);

/* Has the process @pid mapped, executable, a file that the bare name @name means? False also if the process may not be read. */
bool library_is_mapped(uint32_t pid, const char *name);

#endif
