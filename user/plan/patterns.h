/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * patterns.h - lists of patterns, which are separated by ',': mem*,str[cn]*.
 */
#ifndef PLAN_PATTERNS_H
#define PLAN_PATTERNS_H

#include <stdbool.h>

#include "base/arena.h"

/* The patterns of @text, in @arena; NULL ends them. Empty ones are left out. */
const char **patterns_split(struct arena *arena, const char *text);

/* Does one of them match the whole of @name? As fnmatch(3). @ctx: of patterns_split(), so that this may be a callback. */
bool patterns_match(void *ctx, const char *name);

#endif
