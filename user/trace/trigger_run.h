/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger_run.h - the triggers of a session: from the definitions to what is shown at the end.
 */
#ifndef TRACE_TRIGGER_RUN_H
#define TRACE_TRIGGER_RUN_H

#include "base/buf.h"
#include "base/diag.h"
#include "hist/triggers.h"
#include "print/text.h"
#include "trace/session.h"

/*
 * Resolves the triggers of @s, whose definitions are resolved, and makes the tables that programs count in. Call it before programs are
 * loaded. @in_kernel: programs may count; else all hits come as records. *ret is NULL if there are no triggers. Errors of the
 * definitions: -ENOENT, -EINVAL, -EEXIST with the caret in @diag; any other error is the kernel's.
 */
int trigger_run_open(struct session *s, bool in_kernel, struct triggers **ret, struct diag *diag);
void trigger_run_close(struct triggers *ts);		/* NULL is fine */

/* From now on programs count nothing. */
void trigger_run_stop(const struct triggers *ts);	/* NULL is fine */

/* Appends all histograms. -errno: a table could not be read. */
int trigger_run_show(const struct triggers *ts, const struct text *t, struct buf *out);

#endif
