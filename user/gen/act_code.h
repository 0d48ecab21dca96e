/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * act_code.h - BPF for the triggers of a definition that switch something, ask for a snapshot or for the stack (plan/act.h).
 *
 *	what is switched off now -> stack
 *	for each trigger: filter, count -> write its words
 *	is the record of this hit wanted?
 *
 * Triggers without conditions act before the kernel reserves the record; then traceon and traceoff count for this hit, too, and
 * enable_event and disable_event on the event itself do not. With a condition they act on the record that is there; then it is the
 * other way round (6.12, trace_event_buffer_lock_reserve(), __trace_trigger_soft_disabled(), __event_trigger_test_discard()).
 */
#ifndef GEN_ACT_CODE_H
#define GEN_ACT_CODE_H

#include "gen/filter_code.h"

enum { ACT_STACK = 16 };		/* bytes of the stack */

struct act_code {
	struct filter_code fc;		/* says whether there is a record, and in which registers things are */
	const struct gate_env *env;
	int16_t was;			/* ACT_STACK bytes of the stack: what was switched off before the triggers acted */
};

/*
 * What a program with @plan's acts tests by itself before it makes a record: BP_SWITCHED_*. While nothing is to be recorded at all,
 * traceoff has nothing to do. Other triggers act then, too, and all act while only their event is switched off.
 */
unsigned act_code_tests(const struct plan *plan);

/* Appends the code. All hits fall through. Uses r0 to r5, and with a record r8. */
void act_emit(struct act_code *a);

/* @reg = 0: stacktrace did not act on the record in r7, so it gets no stack, and is not kept for one. */
void act_load_wish(const struct plan *plan, unsigned reg, struct code *c);

/* r3 = 0 if the record of this hit is wanted. Stands behind act_emit(). */
void act_emit_off(const struct act_code *a);

#endif
