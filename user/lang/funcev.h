/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * funcev.h - function_events: a function's prototype, and which fields behind its arguments to read.
 *
 *	[r] FUNC ( [ARG, ...] )
 *	ARG	NULL | ONE [| ONE]...		'|': more fields of the same argument
 *	ONE	TYPE NAME {[N] | +N}...		[N]: add N elements, then read; +N: add N bytes
 *		TYPE [NAME=] 0xADDR | $SYM	memory, independent of the arguments
 *		[TYPE [NAME=]] $retval		in 'r' lines
 *	TYPE	[unsigned] u8-u64 s8-s64 x8-x64 char short int long size_t symbol string, or TYPE[N]
 *
 * The sources are LWN's "Dynamic function tracing events" of February 2018 and the source of its
 * patch series. 'r' and $retval are additions of bprobe.
 */
#ifndef LANG_FUNCEV_H
#define LANG_FUNCEV_H

#include "base/diag.h"
#include "lang/ast.h"

/*
 * Like kprobe_parse(). The first argument of an entry is the caller, called __parent, because the
 * output lines begin with it. The group is "functions", and the event has the function's name.
 */
int funcev_parse(struct arena *arena, const char *text, struct probe_def **ret_def, struct diag *diag);

/*
 * Adds the caller as the first argument of another dialect's definition, so that lines can look like those of
 * function_events. Only for an entry that is given by its function's name alone; otherwise does nothing.
 */
bool funcev_lacks_parent(const struct probe_def *def);		/* would the next function do something? */
void funcev_give_parent(struct arena *arena, struct probe_def *def);

/* Does @text look like a prototype: a name, and '(' behind it? */
bool funcev_looks_like(const char *text);

#endif
