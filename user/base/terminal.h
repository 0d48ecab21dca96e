/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * terminal.h - what the terminal of a descriptor, if it is one, can show.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* Parses "auto", "always" or "never". False: it is none of these. */
bool colour_find(const char *name, enum colour_when *ret);

/*
 * Shall text for @fd have colours? With COLOUR_AUTO: if @fd is a terminal, TERM is neither unset, empty nor "dumb", and
 * NO_COLOR is unset or empty (no-color.org).
 */
bool terminal_has_colours(int fd, enum colour_when when);

/* Columns of the terminal @fd now; 0: it is no terminal, or does not know. */
unsigned terminal_width(int fd);

/* Lines of the terminal @fd now; 0: it is no terminal, or does not know. */
unsigned terminal_height(int fd);

/* Do LC_ALL, LC_CTYPE and LANG, of which the first one that is set counts, ask for UTF-8? */
bool terminal_is_utf8(void);

#endif
