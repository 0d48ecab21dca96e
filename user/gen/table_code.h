/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table_code.h - BPF for histograms with variables and actions, and for those of synthetic events.
 *
 *	for each histogram: filter -> key -> variables of others -> entry: sums, own variables -> synthetic events
 *
 * This is the order of 6.12 (kernel/trace/trace_events_hist.c, event_hist_trigger()). If a variable of another table has no value for the
 * key, the hit is not counted. All stands in the function that fetches. Its words are behind the record (struct count_room), so it needs
 * next to nothing of the stack. A synthetic event is a function, so it can make others.
 *
 * What an entry keeps beside the sums is one version: struct bp_version of include/bprobe_abi.h says how programs read and write it.
 */
#ifndef GEN_TABLE_CODE_H
#define GEN_TABLE_CODE_H

#include "gen/filter_code.h"

struct count_made;

/* Appends the code of all histograms of fc->plan: r6 is the context, r7 the record, and fc->time a free word of the stack. All hits fall through. Uses all registers but r6 and r7. */
void table_emit_all(const struct filter_code *fc, const struct gate_env *env);

/*
 * Appends the function CODE_MADE + made->nr: the context in r1, the record of the synthetic event in r2. @env: of the program that makes it;
 * @own: says where the counters of the synthetic event are.
 */
void table_emit_made(const struct count_made *made, const struct gate_env *env, const struct gate_env *own, struct code *code);

#endif
