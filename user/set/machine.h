/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine.h - all sources of facts about the kernel that a run needs, opened once.
 */
#ifndef SET_MACHINE_H
#define SET_MACHINE_H

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/features.h"
#include "kernel/ksyscall.h"
#include "plan/plan.h"
#include "set/host.h"
#include "set/opts.h"

struct machine {
	struct ksyms *ks;		/* NULL: could not be read (then only --explain continues) */
	struct kbtf *btf;
	struct kmem *mem;		/* NULL: cannot be read, and */
	const char *mem_missing;	/* this is why */
	struct ktext *text;		/* NULL: code cannot be read */
	struct kevents *events;		/* these two read nothing before they are asked */
	struct ktracepoints *tracepoints;
	struct programs *programs;	/* that user probes are in */
	struct debug_files *debug_files;
	struct asked *asked;		/* of these files and the programs' */
	struct features features;
	struct ksyscall_names calls;	/* read when they are needed */
};

/*
 * Opens symbols, types and memory as @opts say. A text of it lives in @arena. -errno with @diag: nothing can be traced; call
 * machine_close() all the same. What --explain can do without is no error there.
 */
int machine_open(struct machine *m, const struct set_host *host, const struct set_opts *opts, struct arena *arena, struct diag *diag);

/* All zeroes is fine, and becomes so. */
void machine_close(struct machine *m);

/* The facts for resolving definitions as @host and @opts say. They point into @m. */
struct facts machine_facts(struct machine *m, const struct set_host *host, const struct set_opts *opts);

#endif
