/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expand.h - definitions with a pattern: one program for all its functions, or one probe
 * for each.
 */
#ifndef TRACE_EXPAND_H
#define TRACE_EXPAND_H

#include "trace/session.h"

/*
 * Finds the functions of all patterns of the session. If one program cannot serve a pattern, its definition becomes one
 * probe for each function. Needs symbols. 0 or -errno with @diag.
 */
int expand_patterns(struct session *s, struct diag *diag);

#endif
