/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * escape.h - makes text from elsewhere safe: a terminal finds no command in it.
 *
 * Each byte of a control character (C0, DEL, and C1 in Unicode, U+0080 to U+009F) becomes \xNN. So does each byte that
 * is not UTF-8, because a terminal may take it for C1, and each byte of a bidi control (U+202A to U+202E, U+2066 to U+2069),
 * which can show a line in another order. Everything else stays as it is.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>

#include "base/buf.h"

enum { ESCAPED_CHARACTER = 12 };	/* bytes of the longest: the three bytes of a bidi control */

/*
 * Appends the character at @s to @out; @len bytes (not 0) may be read. Returns the number of its bytes in @s.
 * *ret_columns: how many columns of a terminal it needs (wide characters count as one).
 */
size_t escape_character(struct buf *out, const char *s, size_t len, unsigned *ret_columns);

/* The same for @len bytes. Characters in @keep, such as "\n", stay as they are. */
void escape_text(struct buf *out, const char *s, size_t len, const char *keep);

/*
 * Escapes in place what @out has from byte @from on, but leaves bytes below 0x80 as they are. Without @utf8, which is for
 * terminals of other locales, all bytes from 0x80 on are escaped.
 */
void escape_high(struct buf *out, size_t from, bool utf8);

/* How many bytes at the end of @s begin a character that is not complete: 0 to 3. */
size_t escape_unfinished(const char *s, size_t len);

#endif
