/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pair.h - BPF that finds the key of a pair.
 */
#ifndef GEN_PAIR_H
#define GEN_PAIR_H

#include "gen/code.h"
#include "plan/plan.h"

enum { PAIR_STACK = 16 + 8 * FETCH_CALC_WORDS };		/* bytes of the BPF stack that the code uses */

/*
 * Appends the code that takes the place of BP_PATCH_PAIR_KEY (bpf/pair.bpf.h). It fetches the field of @plan that is the key
 * from the context in r6, before there is a record. r8 is the address of the struct bp_saved, and becomes the value, without a
 * sign extension. r9 becomes 1, or 0 if the value cannot be read. Uses r0 to r5, and the stack below the @stack bytes of the program around it.
 */
void pair_emit_key(const struct plan *plan, unsigned stack, struct code *code);

#endif
