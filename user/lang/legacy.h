/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * legacy.h - the p and r lines of 2009, whose arguments are words: a0, rv, s1, m0x...
 *
 *	rfc-v2	p SYMBOL[+-OFFS]|ADDR ARG...	r SYMBOL[+0] ARG...
 *		ARG: rN | sN | mADDR | aN (from 1) | rv | rp
 *	v13	the same with p:EVENT and r:EVENT
 *		ARG: aN (from 0) | sN | sa | rv | ra | %REG | @ADDR | @SYM[+-OFFS] | +-OFFS(ARG)
 *
 * The sources are the RFC V2 posting "kprobe-based event tracer", and LWN's "Dynamic probes with
 * ftrace" of July 2009 with the 13th posting's source.
 */
#ifndef LANG_LEGACY_H
#define LANG_LEGACY_H

#include "lang/parse.h"

/*
 * Like kprobe_parse(), for DIALECT_RFC_V2 and DIALECT_V13. The arguments become arguments of
 * kprobe_events. Where kprobe_events would name them by number, they keep their words as names. A
 * place in front of a symbol (place.before) belongs to another function; kprobe_events has no
 * syntax for it.
 */
int legacy_parse(struct arena *arena, const char *text, enum dialect dialect,
		 struct probe_def **ret_def, struct diag *diag);

/* Is the argument at @at, or the innermost part of its dereferences, a word of one of these dialects? */
bool legacy_is_word(const struct parse *p, struct span at);

/*
 * The argument of the rfc-v2 definition @def that can have another meaning. r8 can be a register without its '%' just as
 * well as the ninth long of struct pt_regs, and the posting did not say which number is which register. m1 can be
 * the name of anything. NULL: there is no such argument, or there is rp, which only rfc-v2 has.
 */
const struct arg *legacy_find_vague(const struct probe_def *def);

/* Like legacy_is_word(), but only for a0, which only v13 has. */
bool legacy_is_a0(const struct parse *p, struct span at);

#endif
