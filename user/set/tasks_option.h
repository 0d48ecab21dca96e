/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks_option.h - the options that choose the traced tasks.
 */
#ifndef SET_TASKS_OPTION_H
#define SET_TASKS_OPTION_H

#include "gen/tasks.h"

/*
 * Adds the values of one option (--pid 7,8) to @tasks, whose memory is in @arena. @arg may be NULL for namespaces (bprobe's
 * own). A user, cgroup, ... that does not exist is an error now. -EINVAL with a sentence in @diag. Directories of cgroups
 * stay open until the process ends.
 */
int tasks_option(struct arena *arena, struct tasks *tasks, enum tasks_kind kind, bool inverted, const char *arg,
		 struct diag *diag);

/* Do the processes and threads of @tasks (NULL: none) exist? -EINVAL with a sentence in @diag: one of them does not. */
int tasks_exist(const struct tasks *tasks, struct diag *diag);

#endif
