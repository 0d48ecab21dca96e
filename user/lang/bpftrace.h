/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpftrace.h - what to type in place of a program of bpftrace that only counts or prints.
 */
#ifndef LANG_BPFTRACE_H
#define LANG_BPFTRACE_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * @program is what follows the probe: [/PREDICATE/] { STATEMENT }. @place is bprobe's definition of the same probe without arguments
 * ("p vfs_read", "e sched.sched_switch"). Adds the command to @out: "bprobe 'p vfs_read arg3=$arg3' --count=comm". False, and @out is as
 * before: the program does something else (bpftrace 0.21, docs/language.adoc).
 *
 *	PREDICATE	VALUE == != < <= > >= NUMBER, pid == NUMBER, tid == NUMBER, comm == "NAME"; several with &&
 *	STATEMENT	@[KEY, ...] = count(); @ = hist(VALUE); lhist(VALUE, FROM, TO, STEP), sum(VALUE), avg, min, max; printf ("...", VALUE, ...)
 *	KEY, VALUE	comm, tid, cpu, func, probe, kstack; argN, args->NAME, args.NAME, retval; str(VALUE)
 */
bool bpftrace_translate(const char *program, const char *place, struct buf *out);

#endif
