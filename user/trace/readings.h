/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readings.h - decides between several dialects for a definition, once the kernel's types are known.
 */
#ifndef TRACE_READINGS_H
#define TRACE_READINGS_H

#include "trace/session.h"

/*
 * Gives each of s->probes the one reading that is possible; nothing is resolved yet. -EINVAL: several readings are possible.
 * With --style=function entries also fetch their caller.
 */
int readings_settle(struct session *s, struct diag *diag);

#endif
