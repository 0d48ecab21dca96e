// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.bpf.c - the programs for probes, and the programs that follow tasks.
 *
 * The programs for probes are models, and are never attached: user/gen/model.c makes a copy
 * for each definition, and fills in the definition's fetch code and constants. In the model
 * capture() ends at once, so the verifier need not accept the code behind that point before
 * it is filled in.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bprobe_abi.h"

#include "maps.bpf.h"

#include "compat.bpf.h"

#include "ring.bpf.h"

#include "capture.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("kprobe")
int bp_entry(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_KPROBE, (void *)0) : 0;
}

static __always_inline struct bp_saved_key saved_key(__u64 sp)
{
	return (struct bp_saved_key){
		.sp = sp,
		.pid = bpf_get_current_pid_tgid(),
		.probe = PATCH(BP_PATCH_PROBE),
	};
}

/* Two models. The first one is used if an entry probe saves facts for the return. */
SEC("kretprobe")
int bp_return_saved(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(ctx->sp);
	struct bp_saved *saved = bpf_map_lookup_elem(&bp_saved, &key);

	if (task_traced())
		capture(ctx, HOOK_KRETPROBE, saved);
	if (saved)
		bpf_map_delete_elem(&bp_saved, &key);
	return 0;
}

SEC("kretprobe")
int bp_return(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_KRETPROBE, (void *)0) : 0;
}

/* One program on many functions (kprobe.multi). The hit shows which function it is. */
SEC("kprobe")
int bp_multi(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_MULTI, (void *)0) : 0;
}

SEC("kprobe")
int bp_multi_return(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_MULTI_RETURN, (void *)0) : 0;
}

/*
 * One program at the entries and returns of many functions (kprobe.session). The entry keeps a parameter for the return of the
 * same call. If it returns 1, the program does not run at the return.
 */
SEC("kprobe")
int bp_session(struct pt_regs *ctx)
{
	__u64 *kept;

	if (!task_traced())
		return 1;
	if (session_call(ctx, BP_PATCH_SESSION_RETURN)) {
		kept = (void *)session_call(ctx, BP_PATCH_SESSION_COOKIE);
		return capture(ctx, HOOK_MULTI_RETURN, (struct bp_saved *)kept);
	}
	kept = (void *)session_call(ctx, BP_PATCH_SESSION_COOKIE);
	*kept = session_param(ctx);
	return 0;
}

/*
 * Called by a trampoline (fentry, fexit). The context is an array of the function's
 * parameters, which only the generated code reads. The models are loaded as kprobes, and the
 * copies with their real type.
 */
SEC("kprobe")
int bp_fentry(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FENTRY, (void *)0) : 0;
}

SEC("kprobe")
int bp_fexit(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FEXIT, (void *)0) : 0;
}

/* The same for one program on many functions (fentry.multi, fexit.multi). */
SEC("kprobe")
int bp_fentry_multi(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FENTRY_MULTI, (void *)0) : 0;
}

SEC("kprobe")
int bp_fexit_multi(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FEXIT_MULTI, (void *)0) : 0;
}

/*
 * Runs at the entry of a function whose return probe needs parameters, or cannot see
 * its caller on this kernel. At the return the stack pointer is one word higher,
 * behind the return address.
 */
SEC("kprobe")
int bp_save(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(ctx->sp + 8);
	struct bp_saved saved = {
		.param = { ctx->di, ctx->si, ctx->dx, ctx->cx, ctx->r8, ctx->r9 },
	};

	if (!task_traced())
		return 0;
	/* If the read fails, it clears what it could not read. In this case there are no such parameters. */
	bpf_probe_read_kernel(&saved.param[BP_REG_PARAMS],
			      sizeof(saved.param) - BP_REG_PARAMS * sizeof(saved.param[0]),
			      (void *)(ctx->sp + 8));
	bpf_probe_read_kernel(&saved.caller, sizeof(saved.caller), (void *)ctx->sp);
	bpf_map_update_elem(&bp_saved, &key, &saved, BPF_ANY);
	return 0;
}

/* ---- COMMAND and its descendants ---- */

/*
 * COMMAND's process runs this once on itself before it becomes COMMAND
 * (BPF_PROG_TEST_RUN). So the mark has the pid that programs see, no matter which
 * pid namespace bprobe itself is in.
 */
SEC("raw_tp")
int bp_mark_self(void *ctx)
{
	__u8 *mark = task_mark(bpf_get_current_pid_tgid());

	if (mark)
		*mark = 1;
	return 0;
}

struct raw_args {
	__u64 arg[3];
};

static __always_inline __u32 task_pid(__u64 task)
{
	int pid = 0;

	bpf_core_read(&pid, sizeof(pid), &((struct task_struct *)task)->pid);
	return pid;
}

SEC("raw_tp/sched_process_fork")		/* parent, child; runs in the parent */
int bp_fork(struct raw_args *ctx)
{
	__u8 *parent = task_mark(bpf_get_current_pid_tgid());
	__u8 *child = task_mark(task_pid(ctx->arg[1]));

	if (parent && child)
		*child = *parent;		/* also clears an old mark of a reused pid */
	return 0;
}

SEC("raw_tp/sched_process_exec")		/* task, its pid before, program */
int bp_exec(struct raw_args *ctx)
{
	/* A thread that executes a program gets its leader's pid. */
	__u8 *before = task_mark((__u32)ctx->arg[1]);
	__u8 *now = task_mark(bpf_get_current_pid_tgid());

	if (before && now && before != now) {
		*now = *before;
		*before = 0;
	}
	return 0;
}
