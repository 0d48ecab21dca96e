/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist_show.h - a histogram as text: what cat hist prints.
 */
#ifndef HIST_HIST_SHOW_H
#define HIST_HIST_SHOW_H

#include "hist/histogram.h"

/* The name of system call @nr, as the kernel's metadata has it ("sys_openat"); NULL: not known. */
typedef const char *(*hist_syscall_fn)(void *ctx, uint64_t nr);

/*
 * Appends the histogram @h with the entries of @table as 6.12 prints it (kernel/trace/trace_events_hist.c, hist_trigger_show()), with
 * these departures: fields with a sign are printed and sorted with it, stacks begin at the traced function, and entries that are
 * equal in what is sorted by are in the order of their keys.
 */
void hist_show(struct histogram *h, const struct hist_table *table, const struct text *t, hist_syscall_fn syscall, void *ctx,
	       struct buf *out);

/* The trigger as the trigger file lists it: with "[active]" or "[paused]". */
void hist_show_trigger(const struct histogram *h, struct buf *out);

#endif
