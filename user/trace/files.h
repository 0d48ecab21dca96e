/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files.h - how many files may be open: every probe needs three.
 */
#ifndef TRACE_FILES_H
#define TRACE_FILES_H

#include "base/diag.h"

/* Raises the limit as far as this user may; restore undoes that, for COMMAND. */
void files_raise_limit(void);
void files_restore_limit(void);

/* Adds to @diag what to type so that @need descriptors fit. */
void files_advise(uint64_t need, struct diag *diag);

#endif
