/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fault_in.h - BPF that waits for the memory of a program.
 *
 * A value that could not be read may be on a page that is not in memory yet. The kernel's own tracer of user probes waits for such pages. A
 * program may wait, too, if it may sleep (plan.faults_in), but not while it has a record: others' records are behind it. So the
 * record is given back, this code reads everything once, and the hit is recorded again.
 */
#ifndef GEN_FAULT_IN_H
#define GEN_FAULT_IN_H

#include "gen/code.h"
#include "gen/gate.h"
#include "plan/plan.h"

/*
 * Does the program of @plan wait? Not if what its hits set off depends on the record: then a hit that is recorded twice would act twice.
 */
bool fault_in_is_used(const struct plan *plan);

/* Appends the function. Its parameter (r1) is the context. */
void fault_in_emit(const struct plan *plan, struct code *code);

#endif
