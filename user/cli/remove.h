/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remove.h - probes are removed, wherever they live.
 */
#ifndef CLI_REMOVE_H
#define CLI_REMOVE_H

#include "base/diag.h"

struct options;
struct session;

/* -r NAME..., -r --all. Returns the exit status. */
int remove_run(const struct options *opts);

/*
 * Carries out the '-:' lines of @s that mean none of its own probes. -ENOENT, with a caret, where one means nothing.
 */
int remove_definitions(const struct session *s, struct diag *diag);

#endif
