// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.bpf.c - the programs for probes, and the programs that follow tasks.
 *
 * The programs for probes are models, and are never loaded: user/gen/model.c makes a copy
 * for each definition, and fills in the definition's fetch code and constants.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bprobe_abi.h"

#include "maps.bpf.h"

#include "patch.bpf.h"

#include "arch.bpf.h"

#include "compat.bpf.h"

#include "ring.bpf.h"

#include "scratch.bpf.h"

#include "capture.bpf.h"

#include "calls.bpf.h"

#include "places.bpf.h"

#include "pair.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* user/run/engine.c takes what libbpf has made of such a program, and loads an empty one in its place. */
#define MODEL SEC("model")

#include "path.bpf.h"

MODEL
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

/* A model for returns for which an entry probe saves parameters or the caller. */
MODEL
int bp_return_saved(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(return_sp(ctx));
	struct bp_saved *saved = bpf_map_lookup_elem(&bp_saved, &key);

	if (task_traced())
		capture(ctx, HOOK_KRETPROBE, saved);
	if (saved)
		bpf_map_delete_elem(&bp_saved, &key);
	return 0;
}

/*
 * The time of the entry if it is certain that it is of this call; 0: it is not.
 *
 * @deleted: the result of removing the entry from the map after @time was read. Only this task adds entries with its key. If the
 * key was still there, the map has not given the entry's memory to another call before @time was read.
 *
 * A task that died in the function has left its entry. A later task with the same number was created after that.
 *
 * If a return's program was missed, and the one at the task's next entry too, the entry is that of the earlier call. Both can be
 * missed only on a CPU whose bpf_prog_active is set: it skips kprobe programs. Was the task put on one after the entry was made? bp_note_skip().
 */
static __always_inline __u64 checked_time(__u64 time, __u32 pid, long deleted)
{
	__u32 slot = pid & (BP_SKIPS - 1);
	const __u64 *skipped;

	if (deleted || time < task_started(task_current()))
		return 0;
	if (PATCH(BP_PATCH_WATCHES) != 1)
		return time;
	skipped = bpf_map_lookup_elem(&bp_skips, &slot);
	return skipped && *(volatile const __u64 *)skipped < time ? time : 0;
}

/* The same models for definitions with $elapsed. The entry is removed first. */
MODEL
int bp_return_copied(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(return_sp(ctx));
	const struct bp_saved *saved = bpf_map_lookup_elem(&bp_saved, &key);
	struct bp_saved copy = { 0 };

	if (saved) {
		copy = *saved;
		copy.time = checked_time(copy.time, key.pid, bpf_map_delete_elem(&bp_saved, &key));
	}
	return task_traced() ? capture(ctx, HOOK_KRETPROBE, &copy) : 0;
}

MODEL
int bp_return_timed(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(return_sp(ctx));
	const __u64 *saved = bpf_map_lookup_elem(&bp_times, &key);
	struct bp_saved copy;		/* these copies of the model use only the time */

	copy.time = 0;
	if (saved) {
		copy.time = *(volatile const __u64 *)saved;
		copy.time = checked_time(copy.time, key.pid, bpf_map_delete_elem(&bp_times, &key));
	}
	return task_traced() ? capture(ctx, HOOK_KRETPROBE, &copy) : 0;
}

/* The same where a table has the times (struct bp_calls). */
MODEL
int bp_return_called(struct pt_regs *ctx)
{
	__u32 pid = bpf_get_current_pid_tgid();
	struct bp_saved copy;

	if (PATCH(BP_PATCH_PROBE) == BP_PATCH_PROBE)	/* only in the model */
		return 0;
	copy.time = call_end(return_sp(ctx), pid);
	if (copy.time)
		copy.time = checked_time(copy.time, pid, 0);
	return task_traced() ? capture(ctx, HOOK_KRETPROBE, &copy) : 0;
}

MODEL
int bp_return(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_KRETPROBE, (void *)0) : 0;
}

/* One program on many functions (kprobe.multi). The hit shows which function it is. */
MODEL
int bp_multi(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_MULTI, (void *)0) : 0;
}

MODEL
int bp_multi_return(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_MULTI_RETURN, (void *)0) : 0;
}

/*
 * One program at the entries and returns of many functions (kprobe.session). The entry saves a parameter or the time for the
 * return of the same call. If it returns 1 or was missed, the program does not run at the return (FEATURE_SESSION).
 */
MODEL
int bp_session(struct pt_regs *ctx)
{
	struct bp_saved copy, *saved;
	__u64 *word;

	if (!task_traced())
		return 1;
	if (session_call(ctx, BP_PATCH_SESSION_RETURN)) {
		word = (void *)session_call(ctx, BP_PATCH_SESSION_COOKIE);
		saved = (void *)word;
		if (PATCH(BP_PATCH_SAVES_TIME) == 1) {		/* never true in the model, where the word is no address */
			copy.time = *word;
			saved = &copy;
		}
		return capture(ctx, HOOK_MULTI_RETURN, saved);
	}
	word = (void *)session_call(ctx, BP_PATCH_SESSION_COOKIE);
	if (PATCH(BP_PATCH_SAVES_TIME))
		*word = bpf_ktime_get_ns();
	else
		*word = session_param(ctx);
	return 0;
}

/* A place in a program. */
MODEL
int bp_uprobe(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_UPROBE, (void *)0) : 0;
}

MODEL
int bp_uprobe_return(struct pt_regs *ctx)
{
	return task_traced() ? capture(ctx, HOOK_UPROBE_RETURN, (void *)0) : 0;
}

/*
 * The same for definitions with $elapsed: as bp_return_copied, bp_return_timed and bp_return_called. A CPU whose bpf_prog_active is set
 * runs programs of user probes all the same.
 */
MODEL
int bp_uprobe_copied(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(return_sp(ctx));
	const struct bp_saved *saved = bpf_map_lookup_elem(&bp_saved, &key);
	struct bp_saved copy = { 0 };

	if (saved) {
		copy = *saved;
		copy.time = checked_time(copy.time, key.pid, bpf_map_delete_elem(&bp_saved, &key));
	}
	return task_traced() ? capture(ctx, HOOK_UPROBE_RETURN, &copy) : 0;
}

MODEL
int bp_uprobe_timed(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(return_sp(ctx));
	const __u64 *saved = bpf_map_lookup_elem(&bp_times, &key);
	struct bp_saved copy;

	copy.time = 0;
	if (saved) {
		copy.time = *(volatile const __u64 *)saved;
		copy.time = checked_time(copy.time, key.pid, bpf_map_delete_elem(&bp_times, &key));
	}
	return task_traced() ? capture(ctx, HOOK_UPROBE_RETURN, &copy) : 0;
}

MODEL
int bp_uprobe_called(struct pt_regs *ctx)
{
	__u32 pid = bpf_get_current_pid_tgid();
	struct bp_saved copy;

	if (PATCH(BP_PATCH_PROBE) == BP_PATCH_PROBE)	/* only in the model */
		return 0;
	copy.time = user_call_end(user_call(return_sp(ctx), pid), pid);
	if (copy.time)
		copy.time = checked_time(copy.time, pid, 0);
	return task_traced() ? capture(ctx, HOOK_UPROBE_RETURN, &copy) : 0;
}

/* A tracepoint. The context is an array of its arguments, which only the generated code reads. */
MODEL
int bp_tracepoint(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_TRACEPOINT, (void *)0) : 0;
}

/* The same for the tracepoints of system calls, where the program may wait for memory on some kernels. */
MODEL
int bp_tracepoint_waits(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_TRACEPOINT | MAY_WAIT, (void *)0) : 0;
}

/* An event. The context is its record, which only the generated code reads. */
MODEL
int bp_event(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_EVENT, (void *)0) : 0;
}

/* The same for places and kernels where the program may wait for memory. */
MODEL
int bp_event_waits(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_EVENT | MAY_WAIT, (void *)0) : 0;
}

/*
 * Called by a trampoline (fentry, fexit). The context is an array of the function's
 * parameters, which only the generated code reads.
 */
MODEL
int bp_fentry(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FENTRY, (void *)0) : 0;
}

MODEL
int bp_fexit(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FEXIT, (void *)0) : 0;
}

/* The same where the program may wait for memory. */
MODEL
int bp_fentry_waits(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FENTRY | MAY_WAIT, (void *)0) : 0;
}

MODEL
int bp_fexit_waits(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FEXIT | MAY_WAIT, (void *)0) : 0;
}

/* The same for one program on many functions (fentry.multi, fexit.multi). */
MODEL
int bp_fmulti(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FENTRY_MULTI, (void *)0) : 0;
}

MODEL
int bp_fmulti_return(void *ctx)
{
	return task_traced() ? capture(ctx, HOOK_FEXIT_MULTI, (void *)0) : 0;
}

/* Saves the stack of this call. If that fails, the stack of an earlier call is removed, so that the return has none. */
static __always_inline void save_stack(struct pt_regs *ctx, const struct bp_saved_key *key)
{
	__u32 zero = 0;
	struct bp_saved_stack *stack = bpf_map_lookup_elem(&bp_stack, &zero);
	long len = stack ? bpf_get_stack(ctx, stack->frames, sizeof(stack->frames), 0) : 0;

	if (stack && len > 0) {
		stack->len = len;
		if (!bpf_map_update_elem(&bp_stacks, key, stack, BPF_ANY))
			return;
	}
	bpf_map_delete_elem(&bp_stacks, key);
}

/*
 * Runs at the entry of a function whose return probe needs parameters or the time, or cannot see
 * its caller on this kernel.
 */
MODEL
int bp_save(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(entry_return_sp(ctx));
	struct bp_saved saved = {
		.param = ENTRY_REG_PARAMS(ctx),
	};

	if (!task_traced())
		return 0;
	/* If the read fails, it clears what it could not read. In this case there are no such parameters. */
	bpf_probe_read_kernel(&saved.param[BP_REG_PARAMS],
			      sizeof(saved.param) - BP_REG_PARAMS * sizeof(saved.param[0]),
			      entry_stack_params(ctx));
	entry_caller(ctx, &saved.caller);
	if (PATCH(BP_PATCH_SAVES_STACK))
		save_stack(ctx, &key);
	if (!PATCH(BP_PATCH_SAVES_TIME)) {
		bpf_map_update_elem(&bp_saved, &key, &saved, BPF_ANY);
		return 0;
	}
	saved.time = bpf_ktime_get_ns();
	/* If this fails, there may still be an entry of an earlier call whose return was missed. */
	if (bpf_map_update_elem(&bp_saved, &key, &saved, BPF_ANY)) {
		struct bp_saved *old = bpf_map_lookup_elem(&bp_saved, &key);

		if (old)
			old->time = 0;
	}
	return 0;
}

/* The same if only the time is needed. */
MODEL
int bp_save_time(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(entry_return_sp(ctx));
	__u64 time, *old;

	if (!task_traced())
		return 0;
	time = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&bp_times, &key, &time, BPF_ANY)) {
		old = bpf_map_lookup_elem(&bp_times, &key);
		if (old)
			*old = 0;
	}
	return 0;
}

/* The same for a table of calls. */
MODEL
int bp_save_call(struct pt_regs *ctx)
{
	if (PATCH(BP_PATCH_PROBE) == BP_PATCH_PROBE || !task_traced())
		return 0;
	if (PATCH(BP_PATCH_USER))
		call_begin(user_call(entry_return_sp(ctx), bpf_get_current_pid_tgid()));
	else
		call_begin(entry_return_sp(ctx));
	return 0;
}

/* The number of a task. */
static __always_inline __u32 task_pid(__u64 task)
{
	int pid = 0;

	bpf_core_read(&pid, sizeof(pid), &((struct task_struct *)task)->pid);
	return pid;
}

struct raw_args {
	__u64 arg[3];
};

/* Pairs whose events may be of different tasks need to know whether any CPU skips programs, or has skipped some: BP_SKIPS_UNSURE. */
static __always_inline void note_state(__u32 nr, bool active)
{
	__u32 slot = BP_SKIPS_CPUS + nr;
	__u64 *state = bpf_map_lookup_elem(&bp_skips, &slot), *unsure, *sure;

	if (!state || *state == active)
		return;
	*state = active;
	slot = BP_SKIPS_UNSURE;
	unsure = bpf_map_lookup_elem(&bp_skips, &slot);
	slot = BP_SKIPS_SURE;
	sure = bpf_map_lookup_elem(&bp_skips, &slot);
	if (!unsure || !sure)
		return;
	if (!active)
		*(volatile __u64 *)sure = bpf_ktime_get_ns();
	__sync_fetch_and_add(unsure, active ? 1 : -1ull);
}

/*
 * While bpf_prog_active of a CPU is not 0, the programs of its kprobes are missed. Since 5.12 a task can be preempted in this state: in
 * bpf(2), when it changes a map (bpf_disable_instrumentation()). Until that task goes on, other tasks on the CPU miss programs. So this
 * notes each task that is put on such a CPU. As a program of a tracepoint it runs there all the same.
 */
MODEL						/* of raw_tp/sched_switch: preempt, previous task, next task */
int bp_note_skip(struct raw_args *ctx)
{
	__u64 base = PATCH64(BP_PATCH_ACTIVE), offsets = PATCH64(BP_PATCH_PERCPU), nr = bpf_get_smp_processor_id(), off = 0, *at;
	int active = 1;
	__u32 slot;

	/* If this cannot be read, it counts as active. */
	if (!bpf_probe_read_kernel(&off, sizeof(off), (void *)(offsets + nr * sizeof(off))))
		bpf_probe_read_kernel(&active, sizeof(active), (void *)(base + off));
	note_state(nr, active);
	if (!active)
		return 0;
	slot = task_pid(ctx->arg[2]) & (BP_SKIPS - 1);
	at = bpf_map_lookup_elem(&bp_skips, &slot);
	if (at)
		*(volatile __u64 *)at = bpf_ktime_get_ns();
	return 0;
}

/* ---- pairs ---- */

MODEL
int bp_pair_entry(struct pt_regs *ctx)
{
	struct bp_saved saved;		/* these copies of the model use only the time */

	return pair_hit(ctx, HOOK_KPROBE, &saved);
}

MODEL
int bp_pair_return(struct pt_regs *ctx)
{
	struct bp_saved saved;

	return pair_hit(ctx, HOOK_KRETPROBE, &saved);
}

MODEL
int bp_pair_uprobe(struct pt_regs *ctx)
{
	struct bp_saved saved;

	return pair_hit(ctx, HOOK_UPROBE, &saved);
}

MODEL
int bp_pair_uprobe_return(struct pt_regs *ctx)
{
	struct bp_saved saved;

	return pair_hit(ctx, HOOK_UPROBE_RETURN, &saved);
}

MODEL
int bp_pair_tracepoint(void *ctx)
{
	struct bp_saved saved;

	return pair_hit(ctx, HOOK_TRACEPOINT | MAY_WAIT, &saved);
}

MODEL
int bp_pair_event(void *ctx)
{
	struct bp_saved saved;

	return pair_hit(ctx, HOOK_EVENT | MAY_WAIT, &saved);
}

/* A call whose entry was not seen has no caller. */
MODEL
int bp_pair_return_saved(struct pt_regs *ctx)
{
	struct bp_saved_key key = saved_key(return_sp(ctx));
	struct bp_saved saved = { 0 };
	const struct bp_saved *found = bpf_map_lookup_elem(&bp_saved, &key);

	if (found) {
		__builtin_memcpy(&saved, found, BP_SAVED_NO_TIME);
		/* The map may have given the memory to another call. */
		if (bpf_map_delete_elem(&bp_saved, &key))
			saved.caller = 0;
	}
	return pair_hit(ctx, HOOK_KRETPROBE, &saved);
}

MODEL
int bp_pair_multi(struct pt_regs *ctx)
{
	struct bp_saved saved;

	return pair_hit(ctx, HOOK_MULTI, &saved);
}

MODEL
int bp_pair_multi_return(struct pt_regs *ctx)
{
	struct bp_saved saved;

	return pair_hit(ctx, HOOK_MULTI_RETURN, &saved);
}

/* Runs when nothing refers to a task any more: the task hits nothing from now on, and another task may get its address. */
MODEL						/* of raw_tp/sched_process_free: task */
int bp_pair_free(struct raw_args *ctx)
{
	__u64 key = ctx->arg[0];

	if (PATCH(BP_PATCH_ATOMICS))
		place_leave(key);
	bpf_map_delete_elem(&bp_pairs, &key);
	return 0;
}

/* ---- synthetic events ---- */

/*
 * Writes the record at @from into the ring, with a stamp of its own. It is a function that programs of definitions contain
 * (user/gen/model.c), with the values of the synthetic event; it is never a program by itself.
 */
MODEL
int bp_made(const struct bp_rec *from)
{
	__u64 nr = bpf_get_smp_processor_id(), at, seq;
	struct bp_ring *ring;
	struct bp_stat *stat;
	struct bp_rec *rec;
	__u32 key;

	if (PATCH(BP_PATCH_PROBE) == BP_PATCH_PROBE || nr >= PATCH(BP_PATCH_CPUS))	/* the first is true only in the model, the second never */
		return 0;
	if (is_off())
		return 0;
	stat = stat_of(nr);
	key = READ_SHARED(stat->ring);
	ring = bpf_map_lookup_elem(&bp_rings, &key);
	if (!ring)
		return 0;
	__sync_fetch_and_add(&stat->hits, 1);		/* programs of different backends may make it, one in the midst of another */
	seq = READ_SHARED(stat->hits);
	RING_RESERVE(ring, at, BP_PATCH_SHORT, full);
	rec = record_at(ring, at);
	bpf_probe_read_kernel(rec, PATCH(BP_PATCH_SHORT), from);
	rec->seq = seq;
	rec->probe = PATCH(BP_PATCH_PROBE);
	rec->ts = bpf_ktime_get_ns();
	ring_commit(ring, rec, at, PATCH64(BP_PATCH_SHORT_SEAL) ^ at, PATCH(BP_PATCH_SHORT));
	return 0;
full:
	__sync_fetch_and_add(&stat->lost, 1);
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
