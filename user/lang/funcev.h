/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * funcev.h - function_events: a function's prototype, and what to follow in its arguments.
 *
 *	[r] FUNC ( [ARG, ...] )
 *	ARG	NULL | ONE [| ONE]...		'|': more fields of the same argument
 *	ONE	TYPE NAME {[N] | +N}...		N elements on, and read; N bytes on
 *		TYPE [NAME=] 0xADDR | $SYM	memory, whatever the arguments are
 *		[TYPE [NAME=]] $retval		in 'r' lines
 *	TYPE	[unsigned] u8-u64 s8-s64 x8-x64 char short int long size_t symbol string, or TYPE[N]
 *
 * From LWN's "Dynamic function tracing events" of February 2018 and the source of its patch
 * series; 'r' and $retval are bprobe's.
 */
#ifndef LANG_FUNCEV_H
#define LANG_FUNCEV_H

#include "base/diag.h"
#include "lang/ast.h"

/*
 * As kprobe_parse(). An entry's first argument is the caller, called __parent: its lines begin
 * with that. Group "functions", and the function's name for the event's.
 */
int funcev_parse(struct arena *arena, const char *text, struct probe_def **ret_def, struct diag *diag);

/*
 * The caller as the first argument of another dialect's definition, for lines as function_events has them: where it
 * is an entry, given by its function's name alone. Else nothing.
 */
bool funcev_lacks_parent(const struct probe_def *def);		/* does it do something? */
void funcev_give_parent(struct arena *arena, struct probe_def *def);

/* Has @text the shape of a prototype: a name, and '(' behind it? */
bool funcev_looks_like(const char *text);

#endif
