/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - user probes: the program that a definition names, and what its pattern or marker stands for.
 */
#ifndef PLAN_USER_H
#define PLAN_USER_H

#include "plan/plan.h"

struct program;

/* The program of @def, whose place is in one. It lives as long as @facts->programs. Errors have a caret in @diag. */
int user_program(const struct probe_def *def, const struct facts *facts, struct program **ret, struct diag *diag);

/* -ENOENT: no function of @program has the name, or the pattern, of @def. */
int user_no_function(struct arena *arena, const struct probe_def *def, struct program *program, struct diag *diag);

#endif
