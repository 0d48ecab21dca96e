/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * standard.h - standard output and error.
 *
 * What is printed may hold text from elsewhere: definitions, names of files and of directories. So standard error, and
 * standard output where a person reads it, escape control characters (base/escape.h) for whoever prints. Lines of events
 * go another way (output.h): their strings are escaped one by one.
 */
#ifndef CLI_STANDARD_H
#define CLI_STANDARD_H

#include <stdbool.h>

/*
 * Before anything else. Where standard input, output or error are closed they become /dev/null, so that nothing that is
 * opened later takes their place.
 */
void standard_open(void);

/* Can standard output not be written, as it was closed or opened for reading? */
bool standard_output_closed(void);

/* Standard output is escaped, be it a terminal or not: what is printed is for people, and never read back. */
void standard_escape_output(void);

/* Writes what is left. 0, or -errno of the first write to standard output that has failed. */
int standard_end(void);

#endif
