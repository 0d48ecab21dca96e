/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dialects.h - decides between several dialects for a definition, once the kernel's types are known.
 */
#ifndef TRACE_DIALECTS_H
#define TRACE_DIALECTS_H

#include "trace/session.h"

/*
 * Gives each of s->probes the one reading that is possible; nothing is resolved yet. -EINVAL: several readings are possible.
 * With --style=function entries also fetch their caller.
 */
int dialects_settle(struct session *s, struct diag *diag);

#endif
