/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * screen.h - a whole screen of the terminal on standard output, and the keys that are pressed there.
 *
 * The terminal's other screen is used, without a cursor, and keys come at once and are not shown. Ctrl-C and the other keys that send signals
 * keep their meaning. However the process ends, the terminal gets back what it had: by screen_close(), at a normal end, by a signal that
 * ends the process, and while it is stopped (Ctrl-Z). Only SIGKILL leaves the terminal as it is.
 *
 * A process has one screen. Whoever draws writes to standard output, from SCREEN_HOME on.
 */
#ifndef BASE_SCREEN_H
#define BASE_SCREEN_H

#include <stdbool.h>

#include "base/buf.h"

#define SCREEN_HOME	"\033[H"	/* to the first character */
#define SCREEN_END_LINE	"\033[K\n"	/* clears the rest of the line */
#define SCREEN_CLEAR	"\033[J"	/* clears all from here on */

enum { SCREEN_NO_KEY = 0, SCREEN_UP = 256, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_BEGIN, SCREEN_LAST };

/*
 * Can there be a screen? False: standard output is no terminal, it is one without a screen (TERM is dumb or not set), or this process does
 * not run in its foreground.
 */
bool screen_possible(void);

/* False: the terminal has refused; then nothing has changed. */
bool screen_open(void);

/* Without a screen it does nothing. False: the terminal did not take what ends the screen: @left (or NULL) gets it, to be written later. */
bool screen_close(struct buf *left);

bool screen_is_open(void);

/* Readable when a key was pressed; -1 without a screen. */
int screen_fd(void);

/* The next key: a character, or SCREEN_UP, ...; SCREEN_NO_KEY: none was pressed. */
int screen_key(void);

/* Has the process been stopped since the last call, so that all must be drawn again? */
bool screen_was_stopped(void);

#endif
