/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * legacy.h - the p and r lines of 2009, whose arguments are words: a0, rv, s1, m0x...
 *
 *	rfc-v2	p SYMBOL[+-OFFS]|ADDR ARG...	r SYMBOL[+0] ARG...
 *		ARG: rN | sN | mADDR | aN (from 1) | rv | rp
 *	v13	the same with p:EVENT and r:EVENT
 *		ARG: aN (from 0) | sN | sa | rv | ra | %REG | @ADDR | @SYM[+-OFFS] | +-OFFS(ARG)
 *
 * Taken from the RFC V2 posting "kprobe-based event tracer" and from LWN's "Dynamic probes with
 * ftrace" of July 2009 with the 13th posting's source.
 */
#ifndef LANG_LEGACY_H
#define LANG_LEGACY_H

#include "lang/parse.h"

/*
 * As kprobe_parse(), for DIALECT_RFC_V2 and DIALECT_V13. The arguments become those of
 * kprobe_events; where it would number them they keep their words as names. A place in front
 * of a symbol (place.before), which kprobe_events has no words for, is another function's.
 */
int legacy_parse(struct arena *arena, const char *text, enum dialect dialect,
		 struct probe_def **ret_def, struct diag *diag);

/* Is this argument, or what its dereferences begin at, a word of one of them? */
bool legacy_is_word(const struct parse *p, struct span at);

/*
 * The argument of the rfc-v2 definition @def that may be meant otherwise: r8 is a forgotten '%' as soon as the
 * ninth long of struct pt_regs, and the posting never told the numbers; m1 is anyone's name. NULL: none is, or
 * rp is there, which is no other dialect's.
 */
const struct arg *legacy_find_vague(const struct probe_def *def);

/* And is it a0, which only v13 has? */
bool legacy_is_a0(const struct parse *p, struct span at);

#endif
