/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * emit.h - a plan as straight-line BPF.
 */
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "base/diag.h"
#include "gen/code.h"
#include "plan/plan.h"

struct emitter;
struct gate_env;

enum { EMIT_STACK = 64 };		/* bytes of the BPF stack that the fetch code uses */

/*
 * Appends the code that fetches @plan's arguments, for a record whose head is filled in.
 * This is the hot code, which always runs. emit_rest() appends the code for rare cases, at
 * any later place in the same @code; it jumps back. code->arena must be set; the result
 * lives in it.
 *
 * The short form stands between other instructions, which use @stack bytes of the stack.
 * r6 is the context and r7 the record: both keep their values. r8 is the saved parameters
 * or NULL, and loses its value. r9 becomes BP_FETCH_* bits. With @is_long the code is the
 * function fetch_long() of bpf/capture.bpf.h: these three values come in r1 to r3, and r0
 * returns the bits.
 *
 * With @env->apart the code may call functions that count: the caller links and appends them (code_link(), counter_emit_function()).
 *
 * The end of the code tests @plan's limits if that is their stage. @env: NULL if there are none, and no stack is kept at an entry.
 */
struct emitter *emit_hot(const struct plan *plan, const struct gate_env *env, bool is_long, unsigned stack,
			 struct code *code);

/* -E2BIG with @diag set: the arguments need more code than a jump can cross. */
int emit_rest(struct emitter *e, struct diag *diag);

#endif
