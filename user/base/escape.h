/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * escape.h - text from elsewhere, such that a terminal takes no command from it.
 *
 * Control characters (C0, DEL, and C1 as Unicode has them, U+0080 to U+009F) and bytes that are no UTF-8, which a
 * terminal may take for C1, become \xNN. All else stays as it is.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

enum { ESCAPED_CHARACTER = 8 };		/* bytes of the longest: two of C1 */

/*
 * The character at @s, of which @len bytes (not 0) are there, goes to the end of @out. Returns how many bytes of @s that
 * are, and in *ret_columns how many columns a terminal needs for it (wide ones count as one).
 */
size_t escape_character(struct buf *out, const char *s, size_t len, unsigned *ret_columns);

/* @len bytes; characters that are in @keep, such as "\n", stay. */
void escape_text(struct buf *out, const char *s, size_t len, const char *keep);

/* How many of the last bytes of @s begin a character that is not there to its end: 0 to 3. */
size_t escape_unfinished(const char *s, size_t len);

#endif
