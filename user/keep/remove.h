/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remove.h - removes probes, both kept ones and those of running bprobes.
 */
#ifndef KEEP_REMOVE_H
#define KEEP_REMOVE_H

#include "base/diag.h"

struct options;
struct set;

/* -r NAME..., -r --all. Returns the exit status. */
int remove_run(const struct options *opts);

/* Carries out those '-:' lines of @s that mean none of its own probes. -ENOENT with a caret if a line names no probe. */
int remove_definitions(const struct options *opts, const struct set *s, struct diag *diag);

#endif
