/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * context_code.h - the context of a hit in programs, as print/context.c has it.
 */
#ifndef GEN_CONTEXT_CODE_H
#define GEN_CONTEXT_CODE_H

#include "gen/filter_code.h"

/* r3 = common_flags of the record in r7; 0: they are not known. Uses r1 and r2. */
void context_emit_flags(const struct filter_code *fc);

/* r3 = common_preempt_count of the record in r7; 0: it is not known. Uses r1 and r2. */
void context_emit_count(const struct filter_code *fc);

/*
 * The preempt_count at @at, an offset from @reg, is that of a copy of a record of @layout, to which the hook adds @adds levels. It becomes
 * that of the traced code, or unknown if that is not sure. Uses r1 and r2.
 */
void context_emit_settle(const struct layout *layout, unsigned adds, struct code *c, unsigned reg, int16_t at);

#endif
