/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * word.h - the words of the probe language that can stand in a C expression.
 */
#ifndef CEXPR_WORD_H
#define CEXPR_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the word that begins @text: %REG, $NAME, @SYM, +8(...), this_cpu_ptr(...); 0: none does. */
size_t word_length(const char *text, size_t len);

/* Does it begin with +8( or -u8(? */
bool word_is_deref(const char *text, size_t len);

#endif
