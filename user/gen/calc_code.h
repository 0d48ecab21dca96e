/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calc_code.h - BPF that calculates a C expression.
 */
#ifndef GEN_CALC_CODE_H
#define GEN_CALC_CODE_H

#include "gen/fetch.h"

/* r3 = @c. Uses r0 to r5, the word at fetcher.spill, and as many words below fetcher.words as calc_words() says. */
void calc_emit(const struct fetcher *fetcher, const struct calc *c);

#endif
