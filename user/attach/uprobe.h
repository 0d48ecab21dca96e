/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobe.h - what the backends of user probes share.
 */
#ifndef ATTACH_UPROBE_H
#define ATTACH_UPROBE_H

#include "plan/plan.h"

/* Their compiled programs are the same: a return's may have the time of the entry, from the entry program of kprobes. */
#define UPROBE_MODELS {							\
	[MODEL_ENTRY] = "bp_uprobe", [MODEL_RETURN] = "bp_uprobe_return",	\
	[MODEL_RETURN_SAVED] = "bp_uprobe_copied", [MODEL_RETURN_COPIED] = "bp_uprobe_copied",	\
	[MODEL_RETURN_TIMED] = "bp_uprobe_timed", [MODEL_RETURN_CALLED] = "bp_uprobe_called",	\
	[MODEL_SAVER] = "bp_save", [MODEL_SAVER_TIMED] = "bp_save_time", [MODEL_SAVER_CALLED] = "bp_save_call",	\
	[MODEL_PAIR_ENTRY] = "bp_pair_uprobe", [MODEL_PAIR_RETURN] = "bp_pair_uprobe_return",	\
}

/* The waits() of both (plan/backend.h): their programs run where the program itself may wait for its memory. */
bool uprobe_waits(const struct plan *plan, struct features *features);

/* Explains in @diag what the kernel's @err means for a user probe; returns @err. */
int uprobe_explain_refusal(const struct plan *plan, int err, struct diag *diag);

#endif
