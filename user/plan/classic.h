/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * classic.h - a plan as a definition in the grammar that every kernel has.
 */
#ifndef PLAN_CLASSIC_H
#define PLAN_CLASSIC_H

#include "base/buf.h"
#include "plan/plan.h"

/*
 * Prints @plan with parameters as registers, fields as dereferences, and every type
 * spelled out. So kernels that do not know names (6.1 and older) accept it too. Only
 * parameters in return probes stay $argN, and the task stays $current: they have no
 * older form.
 */
void classic_print(const struct plan *plan, struct buf *out);

#endif
