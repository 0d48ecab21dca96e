/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readings.h - definitions that could be of several dialects, once the kernel's types are known.
 */
#ifndef CLI_READINGS_H
#define CLI_READINGS_H

#include "cli/session.h"

/*
 * Each of s->probes as the one reading that it has; nothing is resolved yet. -EINVAL where there are several.
 * For --style=function entries fetch their caller, too.
 */
int readings_settle(struct session *s, struct diag *diag);

#endif
