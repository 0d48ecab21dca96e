// SPDX-License-Identifier: GPL-2.0-only
/*
 * raw_tp.c - attaches to a tracepoint: the program gets the arguments of the code that calls it.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/backends.h"
#include "kernel/features.h"

static const char *trouble(const struct resolver *r, struct plan *plan)
{
	(void)r;
	plan->seen_func = plan->target.stub;
	return NULL;
}

static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	int link = bpf_raw_tracepoint_open(plan->target.lookup, prog_fd);

	(void)at;
	(void)role;
	if (link < 0) {
		int err = -errno;

		diag->text = plan->def->text;
		return diag_at(diag, err, plan->def->place.at, "the kernel refused a program at this tracepoint: %s", strerror(-err));
	}
	*ret = (struct attached){ .prog_fd = prog_fd, .event_fd = -1, .link_fd = link };
	return 0;
}

/* Only these tracepoints wait themselves (7.2, include/trace/events/syscalls.h, TRACE_EVENT_SYSCALL()). */
static bool waits(const struct plan *plan, struct features *features)
{
	const char *name = plan->target.lookup;

	return (!strcmp(name, "sys_enter") || !strcmp(name, "sys_exit")) && feature(features, FEATURE_EVENT_SLEEPS);
}

/* A tracepoint disables preemption (6.12, include/linux/tracepoint.h, __DO_TRACE()). */
static unsigned adds_depth(unsigned release, bool is_return)
{
	(void)release;
	(void)is_return;
	return 1;
}

const struct backend backend_raw_tp = {
	.name = "raw_tp",
	.hooks = { "raw tracepoint", "raw tracepoint" },
	.takes = { .kinds = 1u << PROBE_TRACEPOINT },
	.program = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT, .may_nest = true,
		.models = {
			[MODEL_ENTRY] = "bp_tracepoint", [MODEL_ENTRY_WAITS] = "bp_tracepoint_waits",
			[MODEL_PAIR_ENTRY] = "bp_pair_tracepoint",
		},
	},
	.hit = { .places = { PLACE_KNOWN, PLACE_KNOWN }, .gives_stacks = true },
	.doctor = {
		.needs = "CONFIG_TRACEPOINTS=y and CONFIG_BPF_EVENTS=y", .without = "there are no tracepoint probes",
	},
	.trouble = trouble,
	.waits = waits,
	.adds_depth = adds_depth,
	.uses_ftrace = backend_uses_no_ftrace,
	.attach = attach_program,
};
