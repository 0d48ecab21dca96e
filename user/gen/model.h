/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model.h - turns a compiled program into the program of one definition.
 */
#ifndef GEN_MODEL_H
#define GEN_MODEL_H

#include <stdint.h>

#include "base/diag.h"
#include "bprobe_abi.h"
#include "gen/code.h"
#include "gen/gate.h"
#include "kernel/features.h"
#include "plan/plan.h"

/* A program of bpf/probe.bpf.c after libbpf has relocated it, and the values for its markers. */
struct model {
	const struct bpf_insn *insns;
	unsigned nr;			/* includes the instructions of its functions */
	const struct bpf_insn *path;	/* bp_path() of bpf/path.bpf.h, relocated; NULL: the plan has no paths */
	unsigned nr_path;
	const struct feature_ids *ids;
	int stats_fd;			/* the map for BP_PATCH_STATS, whose value in @values is an offset in that map */
	int selves_fd;			/* the map for BP_PATCH_SELVES, likewise */
	int calls_fd;			/* the map for BP_PATCH_CALLS, likewise */
	int places_fd;			/* the map for BP_PATCH_PAIR_PLACES, likewise */
	bool on_stack_of_task;		/* the program may be preempted: its stack must not be the CPU's */
	const struct model *writers;	/* one for each of the plan's synthetic events: bp_made() of bpf/probe.bpf.c */
	struct { int from, to; } maps[7];	/* map descriptors to replace: @from by @to */
	struct gate_env gate;
	bool is_saver;			/* it only saves what a return will need */
	uint64_t values[BP_PATCH_END - BP_PATCH_BASE];
};

/*
 * Appends the definition's program to the empty @ret, whose arena must be set. It is the model with
 * the values filled in. Code that the values make unreachable is removed, because the kernel refuses
 * such code. The code that fetches @plan's arguments replaces its markers. If @plan has a gate, it
 * stands in front. -EINVAL with @diag set: the model has an unexpected shape; -E2BIG: too much code,
 * or too much stack.
 */
int model_copy(const struct model *m, const struct plan *plan, struct code *ret, struct diag *diag);

/* The same for a program that is of no definition: only its values are filled in. */
int model_copy_plain(const struct model *m, struct code *ret, struct diag *diag);

/*
 * The parts that model_copy() adds, for --explain, which has no compiled program to put them into. Each appends to @code;
 * errors are those of model_copy().
 */
int model_add_gate(const struct plan *plan, const struct gate_env *env, bool is_saver, struct code *code, struct diag *diag);
int model_add_count(const struct plan *plan, const struct gate_env *env, struct code *code, struct diag *diag);
int model_add_body(const struct plan *plan, const struct gate_env *env, bool is_long, struct code *code, struct diag *diag);

#endif
