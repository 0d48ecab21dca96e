/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files.h - the limit of open files: each probe needs three.
 */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include "base/diag.h"

/* Raises the limit as far as this user may. files_restore_limit() undoes this, for COMMAND. */
void files_raise_limit(void);
void files_restore_limit(void);

/* Adds to @diag the command that makes room for @need descriptors. */
void files_advise(uint64_t need, struct diag *diag);

#endif
