// SPDX-License-Identifier: GPL-2.0-only
/*
 * umulti.c - attaches by uprobe.multi: a place in a program or a library, without perf between the kernel's probe and the program.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/backends.h"
#include "attach/uprobe.h"
#include "kernel/features.h"
#include "plan/resolver.h"

enum { UPROBE_MULTI = 48, UPROBE_MULTI_RETURN = 1 };	/* BPF_TRACE_UPROBE_MULTI and BPF_F_UPROBE_MULTI_RETURN (6.6) */

/* This request of bpf(2): BPF_LINK_CREATE. The headers of the build machine may be older. */
struct link_create {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 path, offsets, ref_ctrs, cookies;
	__u32 cnt, multi_flags, pid;
};
_Static_assert(offsetof(struct link_create, path) == FEATURE_UPROBE_AT_PATH && offsetof(struct link_create, cnt) == FEATURE_UPROBE_AT_CNT &&
	       offsetof(struct link_create, pid) == FEATURE_UPROBE_AT_PID, "as the kernel has it");

static const char *missing(struct features *features)
{
	return feature(features, FEATURE_UPROBE_MULTI) ? NULL : "this kernel has no uprobe.multi (6.6 and newer have)";
}

/* Its private part of a plan; NULL in that of a kept probe, which is for all processes. */
struct own {
	unsigned only_pid;		/* the process that gets breakpoints; 0: all */
};

static const char *trouble(const struct resolver *r, struct plan *plan)
{
	struct own *own = arena_new(r->arena, struct own);

	/* Only that process gets breakpoints. The program tests the process all the same. */
	if (r->facts->features && feature(r->facts->features, FEATURE_UPROBE_PID))
		own->only_pid = r->facts->only_pid;
	plan->own = own;
	return r->facts->features ? missing(r->facts->features) : "nothing is known about this kernel";
}

static int create_link(const struct plan *plan, bool is_return, int prog_fd)
{
	const struct target *t = &plan->target;
	const struct own *own = plan->own;
	struct link_create attr = {
		.prog_fd = (__u32)prog_fd,
		.attach_type = UPROBE_MULTI,
		.path = (uint64_t)(uintptr_t)t->path,
		.offsets = (uint64_t)(uintptr_t)&t->file_off,
		.ref_ctrs = t->ref_ctr ? (uint64_t)(uintptr_t)&t->ref_ctr : 0,
		.cnt = 1,
		.pid = own ? own->only_pid : 0,
		.multi_flags = is_return ? UPROBE_MULTI_RETURN : 0,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, offsetof(struct link_create, pid) + sizeof(attr.pid));

	return fd < 0 ? -errno : (int)fd;
}

static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	int link = create_link(plan, plan->target.is_return && role == ATTACH_PROBE, prog_fd);

	(void)at;
	if (link < 0)
		return uprobe_explain_refusal(plan, link, diag);
	*ret = (struct attached){ .prog_fd = prog_fd, .event_fd = -1, .link_fd = link };
	return 0;
}

const struct backend backend_umulti = {
	.name = "umulti",
	.hooks = { "uprobe.multi", "uretprobe.multi" },
	.takes = { .kinds = 1u << PROBE_UPROBE },
	.program = {
		.type = BPF_PROG_TYPE_KPROBE, .attach_types = { UPROBE_MULTI, UPROBE_MULTI }, .may_nest = true,
		.models = UPROBE_MODELS,
	},
	.hit = { .places = { PLACE_IP, PLACE_FUNC_IP }, .gives_stacks = true },
	.doctor = {
		.needs = "CONFIG_UPROBES=y and CONFIG_BPF_EVENTS=y",
		.without = "user probes use perf's uprobes instead, at a higher cost",
	},
	.missing = missing,
	.trouble = trouble,
	.context_word = backend_register_word,
	.waits = uprobe_waits,
	.uses_ftrace = backend_uses_no_ftrace,
	.attach = attach_program,
};
