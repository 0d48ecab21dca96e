/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobe.h - what the backends of user probes share.
 */
#ifndef ATTACH_UPROBE_H
#define ATTACH_UPROBE_H

#include "plan/plan.h"

/* Explains in @diag what the kernel's @err means for a user probe; returns @err. */
int uprobe_explain_refusal(const struct plan *plan, int err, struct diag *diag);

#endif
