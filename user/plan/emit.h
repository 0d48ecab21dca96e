/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * emit.h - a plan as straight-line BPF.
 */
#ifndef PLAN_EMIT_H
#define PLAN_EMIT_H

#include "base/diag.h"
#include "plan/code.h"
#include "plan/plan.h"

/*
 * Generates the body of the stub fetch_short() or, with @is_long, fetch_long()
 * of bpf/capture.bpf.h: r1 is the context, r2 the record with its head filled in,
 * r3 the kept parameters or NULL;
 * r0 returns BP_FETCH_* bits. @code->arena must be set; instructions are appended.
 * Returns -E2BIG when the arguments need more code than a jump can cross.
 */
int emit_fetch(const struct plan *plan, bool is_long, struct code *code, struct diag *diag);

#endif
