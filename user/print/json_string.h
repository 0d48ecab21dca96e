/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_string.h - a text as JSON.
 */
#ifndef PRINT_JSON_STRING_H
#define PRINT_JSON_STRING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

/* A string; {"bytes":"HEX"} if it is not UTF-8. If the string was @cut, an incomplete last character is removed. */
void json_string(struct buf *out, const char *s, uint32_t len, bool cut);

/* The same for a text that ends with a NUL. */
static inline void json_text(struct buf *out, const char *s)
{
	json_string(out, s, (uint32_t)strlen(s), false);
}

#endif
