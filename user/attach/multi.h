/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * multi.h - what kprobe.multi and kprobe.session have in common.
 */
#ifndef ATTACH_MULTI_H
#define ATTACH_MULTI_H

#include <stdbool.h>

#include "lang/ast.h"

struct features;

/* Do programs see register @reg on this kernel? */
bool multi_shows(enum reg reg, bool is_return, struct features *features);

/* Does this part of an argument fetch a register, or a word of the stack, that it does not show? */
bool multi_lacks(const struct expr *e, bool is_return, struct features *features);

/* May programs see the flags register? */
bool multi_shows_flags(struct features *features);

/* The number of levels that the hook adds to preempt_count. */
unsigned multi_adds_depth(unsigned release, bool is_return);

#endif
