/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_file.h - files with events. They belong to this user, and only this user may read them, since they have kernel addresses.
 */
#ifndef BASE_OWN_FILE_H
#define BASE_OWN_FILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"

/*
 * Can a new file take the place of @path? Only a regular file is replaced, and no link. Nothing is created or changed. @option is
 * the option that has @path, for messages. -errno with @diag.
 */
int own_file_check(const char *option, const char *path, struct diag *diag);

/*
 * Creates a new file beside @path. The caller renames it to @path, or removes it. So the old file itself is never written to, and those who
 * read it read on. Appends its name to @ret_name. Returns a descriptor or -errno.
 */
int own_file_create(const char *path, struct buf *ret_name);

/*
 * Replaces @path by a file with @text, or makes it. It appears when it is complete: a reader never sees a part of it. @public: others may
 * read it. -errno with @diag.
 */
int own_file_replace(const char *path, const struct buf *text, bool public, struct diag *diag);

#endif
