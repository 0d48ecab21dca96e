/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answers.h - the short forms of histograms, as triggers.
 *
 *	--count				hist:keys=__probe_ip.sym:sort=hitcount.descending
 *	--count=comm,fd			hist:keys=common_comm,fd:sort=hitcount.descending
 *	--histogram len			hist:keys=len.log2
 *	--histogram len:100 --by comm	hist:keys=common_comm,len.buckets=100
 *	--sum len --by fd		hist:keys=fd:vals=len:sort=len.descending
 */
#ifndef SET_ANSWERS_H
#define SET_ANSWERS_H

#include "lang/ast.h"
#include "set/opts.h"

/*
 * The trigger for @def, from @arena. @several: there are other definitions; if their keys are common to all events they are counted
 * together. In keys "function", "caller", "comm", "pid", "cpu" and "stack" mean what each event has, unless an argument has this name.
 */
const char *answers_trigger(struct arena *arena, const struct answers *a, const struct probe_def *def, bool several);

#endif
