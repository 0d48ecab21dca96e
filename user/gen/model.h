/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model.h - from a compiled program to a definition's own.
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

/* A program of bpf/probe.bpf.c as libbpf has relocated it, and what its markers stand for. */
struct model {
	const struct bpf_insn *insns;
	unsigned nr;			/* its functions' instructions among them */
	const struct features *features;
	int stats_fd;			/* of the map behind BP_PATCH_STATS, whose value is the offset in it */
	int selves_fd;			/* of the map behind BP_PATCH_SELVES, the same */
	struct { int from, to; } maps[2];	/* descriptors of maps that others take the place of */
	struct gate_env gate;
	bool is_saver;			/* it only keeps what a return will need */
	uint64_t values[BP_PATCH_END - BP_PATCH_BASE];
};

/*
 * Appends to the empty @ret, whose arena must be set: the model with the values put in, without
 * what these make unreachable (the kernel takes no such code), with the code that fetches
 * @plan's arguments where the model has the markers for it, and behind @plan's gate if it has one.
 * -EINVAL with @diag set: a model of another shape; -E2BIG: too much code.
 */
int model_copy(const struct model *m, const struct plan *plan, struct code *ret, struct diag *diag);

#endif
