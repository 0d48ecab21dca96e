/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * standard.h - standard output and error.
 *
 * Printed text may come from elsewhere: definitions, names of files and of directories. Therefore control
 * characters (base/escape.h) are always escaped on standard error, and on standard output if a person reads it. Lines
 * of events take another way (output.h): each of their strings is escaped separately.
 */
#ifndef CLI_STANDARD_H
#define CLI_STANDARD_H

#include <stdbool.h>

#include "base/terminal.h"

/*
 * Must be called before anything else. If standard input, output or error is closed, it becomes /dev/null. So no file that
 * is opened later gets its number.
 */
void standard_open(void);

/* Is standard output not writable, because it was closed or opened for reading? */
bool standard_output_closed(void);

/* Escapes standard output, even if it is no terminal: the text is for people and never read back. */
void standard_escape_output(void);

/* From now on messages on standard error have colours if they may (terminal.h). Before this call it is COLOUR_AUTO. */
void standard_colour(enum colour_when when);

/* Writes the rest of the text. Returns 0, or -errno of the first failed write to standard output. */
int standard_end(void);

#endif
