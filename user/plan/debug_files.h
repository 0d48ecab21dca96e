/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debug_files.h - the files with the debug information of the running kernel and its modules.
 */
#ifndef PLAN_DEBUG_FILES_H
#define PLAN_DEBUG_FILES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"

struct builds;
struct debug_files;

/*
 * Opens nothing yet. @vmlinux: the kernel's file, for the kernel itself, or NULL: it is looked for by its build id and in the usual
 * places. @any: it may be another kernel's. debug_files_close() frees everything.
 */
struct debug_files *debug_files_new(const char *vmlinux, bool any);
void debug_files_close(struct debug_files *f);	/* NULL is fine */

/*
 * From now on files of these builds are looked for, not of what runs now: those of a recording. @release: its kernel's (uname -r), or NULL. Both
 * are the caller's, and must live as long as @f.
 */
void debug_files_of(struct debug_files *f, const struct builds *builds, const char *release);

/* The kernel's file that the user has named; NULL: none. */
const char *debug_files_vmlinux(const struct debug_files *f);

/*
 * The file of the kernel, or of @module if that is not NULL. @local: no server is asked. *ret_fd lives until debug_files_close(). -ENOENT: there is none;
 * -EXDEV: it is of another build; with @diag, without a caret.
 */
int debug_files_kernel(struct debug_files *f, const char *module, bool local, int *ret_fd, const char **ret_name, struct diag *diag);

#endif
