/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readings.h - definitions that could be of several dialects, once the kernel's types are known.
 */
#ifndef TRACE_READINGS_H
#define TRACE_READINGS_H

#include "trace/session.h"

/*
 * Each of s->probes as the one reading that it has; nothing is resolved yet. -EINVAL where there are several.
 * For --style=function entries fetch their caller, too.
 */
int readings_settle(struct session *s, struct diag *diag);

#endif
