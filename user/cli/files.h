/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files.h - how many files may be open: every probe needs three.
 */
#ifndef CLI_FILES_H
#define CLI_FILES_H

/* Raises the limit as far as this user may; restore undoes that, for COMMAND. */
void files_raise_limit(void);
void files_restore_limit(void);

#endif
