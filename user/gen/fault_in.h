/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fault_in.h - BPF that waits for the memory of a program, or counts what would have to be waited for.
 *
 * A value that could not be read may be on a page that is not in memory yet: it is cold. The kernel's own tracer of user probes waits for
 * such pages. A program may wait, too, if it may sleep (plan.faults_in), but not while it has a record: others' records are behind it. So
 * the record is given back, this code reads everything once, and the hit is recorded again. In a program that may not sleep it counts the
 * cold values before the record is committed (plan.counts_cold).
 */
#ifndef GEN_FAULT_IN_H
#define GEN_FAULT_IN_H

#include "gen/code.h"
#include "gen/gate.h"
#include "plan/plan.h"

struct feature_ids;

/* Does something act by the record of a program that waits? Then it must act at the last try alone: BP_FAULTS_IN_ONCE. */
bool fault_in_acts_once(const struct plan *plan);

/* Appends the function CODE_FAULT_IN. Its parameter (r1) is the context. */
void fault_in_emit(const struct plan *plan, struct code *code);

/*
 * Appends the function CODE_COUNT_COLD, which calls CODE_IS_COLD. Its parameters are the context (r1) and the filled record (r2). It adds the
 * number of values that the record lacks because they are cold to bp_stat.cold.
 */
void fault_in_emit_count(const struct plan *plan, const struct gate_env *env, struct code *code);

/*
 * Appends the function CODE_IS_COLD. Its parameter is an address that could not be read. It returns 1 if the task may read there: in
 * one of its mappings, which is readable; else 0. Also 0 if that cannot be found out, because the task's mappings are being changed.
 */
void fault_in_emit_is_cold(const struct feature_ids *ids, struct code *code);

#endif
