/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.bpf.h - all differences between kernels, each with its version and reason.
 */
#ifndef COMPAT_BPF_H
#define COMPAT_BPF_H

/* Reads facts about the current task before 5.11. It uses helpers of about 40 instructions each. */
static __attribute__((noinline)) int task_read_5_10(struct bp_rec *rec)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 id = bpf_get_current_pid_tgid();
	unsigned long tif = 0;

	bpf_core_read(&tif, sizeof(tif), &task->thread_info.flags);
	rec->common_pid = id;
	rec->tgid = id >> 32;
	rec->tif = tif;
	rec->migrate = 0;
	bpf_get_current_comm(rec->comm, sizeof(rec->comm));
	return 0;
}

/* The current task. From 5.11 on (bpf_get_current_task_btf) its fields are plain loads. NULL: they are not. */
static __always_inline struct task_struct *task_current(void)
{
	struct task_struct *task;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf))
		return (void *)bpf_get_current_task_btf();
	asm volatile("%0 = 0" : "=r"(task));	/* assembly, because the compiler would move it before the test */
	return task;
}

/*
 * The address of the probe that current is in; at a return the function's. The kernel's own tracer of user probes finds it here, and
 * runs the programs of perf's user probes, too (5.10 to 7.2, kernel/trace/trace_uprobe.c, uprobe_dispatcher()).
 */
static __attribute__((noinline)) __u64 uprobe_place(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct uprobe_task *utask = (void *)0;
	unsigned long data = 0, place = 0;

	bpf_core_read(&utask, sizeof(utask), &task->utask);
	bpf_core_read(&data, sizeof(data), &utask->vaddr);
	bpf_core_read(&place, sizeof(place), &((struct uprobe_dispatch_data *)data)->bp_addr);
	return place;
}

static __always_inline __u32 task_tgid(const struct task_struct *task)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf))
		return bpf_get_current_pid_tgid() >> 32;
	return task->tgid;
}

/* @task: task_current(). @all: see record_fill() */
static __always_inline void task_read(struct bp_rec *rec, const struct task_struct *task, bool all)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)) {
		task_read_5_10(rec);
		return;
	}
	if (all || PATCH(BP_PATCH_HEAD_PID))
		rec->common_pid = task->pid;
	if (all || PATCH(BP_PATCH_HEAD_LINE)) {
		rec->tgid = task->tgid;
		rec->tif = task->thread_info.flags;
		/* 5.12 and CONFIG_SMP. The program itself may add one to this count. */
		if (bpf_core_field_exists(task->migration_disabled))
			rec->migrate = task->migration_disabled;
		else
			rec->migrate = 0;
	}
	if (all || PATCH(BP_PATCH_HEAD_COMM)) {
		*(__u64 *)&rec->comm[0] = *(__u64 *)&task->comm[0];
		*(__u64 *)&rec->comm[8] = *(__u64 *)&task->comm[8];
	}
}

/* The number of a task. @task: task_current() */
static __always_inline __u32 task_number(const struct task_struct *task)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf))
		return bpf_get_current_pid_tgid();
	return task->pid;
}

/* When the task was created: CLOCK_MONOTONIC ns; ~0: not known. @current: task_current() */
static __always_inline __u64 task_started(const struct task_struct *current)
{
	const struct task_struct *task;
	__u64 started = ~0ull;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf))
		return current->start_time;
	task = (void *)bpf_get_current_task();
	bpf_core_read(&started, sizeof(started), &task->start_time);
	return started;
}

/*
 * Two rules for loops that search a list, so that the verifier is fast. The verifier follows each way out of a step, and each way to the
 * next step.
 *
 * - WAYS_MEET() stands where all ways out of a loop meet. The verifier goes on with each of them until it finds a state that it has kept.
 *   It keeps one only at the target of a jump, two jumps and eight instructions behind the last one that it kept (5.10 to 7.3,
 *   kernel/bpf/verifier.c, is_state_visited()).
 * - A step has one condition: key_unless() has no jump. If two ways led to the next step, the verifier would often follow both of them.
 * - A step calls one helper: it reads all words of the entry at once. The verifier looks for an equal state behind each call (5.10: is_state_visited()).
 */
#define WAYS_MEET()							\
	asm volatile("r1 = 0\n" "r1 = 0\n" "r1 = 0\n" "r1 = 0\n"		\
		     "r1 = 0\n" "r1 = 0\n" "r1 = 0\n" "r1 = 0\n"		\
		     "if r1 == 0 goto +0\n" "if r1 == 0 goto +0\n" : : : "r1")

/* @key; 0 if @value is @unwanted. */
static __always_inline __u64 key_unless(__u64 key, __u64 value, __u64 unwanted)
{
	__u64 differ = value ^ unwanted;

	differ |= -differ;
	asm volatile("" : "+r"(differ));	/* the compiler must not make a jump of it again */
	return key & -(differ >> 63);
}

/* What a step reads: the words of an entry that it needs lie in so many bytes, in all kernels that have such entries. */
struct list_words {
	__u64 word[6];
};

/* libbpf makes the offsets constants. */
static __always_inline bool has_word(__u32 off)
{
	return off <= sizeof(struct list_words) - sizeof(__u64);
}

static __always_inline __u64 word_at(const struct list_words *words, __u32 off)
{
	return *(const __u64 *)((const void *)words + off);
}

enum { INST_BUCKETS_BITS = 6, INST_WALK_MAX = 512 };

/*
 * 5.10: a return probe's context shows the trampoline as ip. The caller is in the
 * instance that the kernel is handling. This is the first instance of this task
 * in its bucket of kretprobe_inst_table (kernel/kprobes.c), because the instances
 * handled before have left the list. Its ret_addr is final at this point, also
 * with other return probes on the same frame: __kretprobe_trampoline_handler()
 * sets it before it calls the handler.
 */
static __attribute__((noinline)) __u64 caller_5_10(__u64 trampoline)
{
	__u64 table = PATCH64(BP_PATCH_INST_TABLE);
	struct task_struct *current = (void *)bpf_get_current_task();
	const __u32 next = bpf_core_field_offset(struct kretprobe_instance___5_10, hlist);
	const __u32 ret_addr = bpf_core_field_offset(struct kretprobe_instance___5_10, ret_addr);
	const __u32 task = bpf_core_field_offset(struct kretprobe_instance___5_10, task);
	__u64 bucket, caller = trampoline;
	struct list_words inst;
	void *at;
	int i;

	if (!bpf_core_field_exists(struct kretprobe_instance___5_10, hlist) || !has_word(next) || !has_word(ret_addr) || !has_word(task))
		return trampoline;
	/* Like hash_ptr() of include/linux/hash.h: multiply by 2^64/phi, keep the top bits. */
	bucket = ((__u64)current * 0x61c8864680b583ebull) >> (64 - INST_BUCKETS_BITS);
	if (bpf_probe_read_kernel(&at, sizeof(at), (void *)(table + bucket * sizeof(at))))
		return trampoline;
	for (i = 0; i < INST_WALK_MAX && at; i++) {
		bpf_probe_read_kernel(&inst, sizeof(inst), at);		/* zeroes if it cannot be read */
		at = (void *)word_at(&inst, next);
		if (key_unless(word_at(&inst, task), word_at(&inst, ret_addr), trampoline) == (__u64)current) {
			caller = word_at(&inst, ret_addr);
			break;
		}
	}
	WAYS_MEET();
	return caller;
}

/*
 * The address to which the function returns. From 5.16 on the context's ip is the
 * caller. From 5.11 to 5.15 ip is the trampoline, and the instance has left its list
 * before the program runs, so an entry probe has saved the address.
 */
static __always_inline __u64 caller_read(__u64 ip, const struct bp_saved *saved)
{
	__u64 trampoline = PATCH64(BP_PATCH_TRAMPOLINE);

	if (!trampoline || ip != trampoline)
		return ip;
	if (PATCH64(BP_PATCH_INST_TABLE))
		return caller_5_10(trampoline);
	return saved ? saved->caller : ip;
}

enum { RETHOOK_WALK_MAX = 64 };

/*
 * The caller of a function whose return address at @slot is the trampoline of a kernel return probe. That caller is in one of the task's
 * rethook nodes (5.18; kernel/trace/rethook.c), which are listed with the newest first. If several nodes belong to one frame, the oldest
 * one has the caller.
 */
static __attribute__((noinline)) __u64 caller_of_rethook(__u64 trampoline, __u64 slot)
{
	struct task_struct___rethook *task = (void *)bpf_get_current_task();
	const __u32 list = bpf_core_field_offset(struct rethook_node, llist);
	const __u32 ret_addr = bpf_core_field_offset(struct rethook_node, ret_addr) - list;
	const __u32 frame = bpf_core_field_offset(struct rethook_node, frame) - list;
	__u64 found = trampoline;
	struct list_words node;
	void *at;
	int i;

	if (!bpf_core_field_exists(task->rethooks) || !has_word(ret_addr) || !has_word(frame) ||
	    bpf_core_read(&at, sizeof(at), &task->rethooks.first))
		return trampoline;
	for (i = 0; i < RETHOOK_WALK_MAX && at; i++) {
		bpf_probe_read_kernel(&node, sizeof(node), at);		/* zeroes if it cannot be read */
		at = (void *)node.word[0];				/* a list's node is its next pointer */
		if (key_unless(word_at(&node, frame), word_at(&node, ret_addr), trampoline) == slot) {
			found = word_at(&node, ret_addr);
			break;
		}
	}
	WAYS_MEET();
	return found;
}

/*
 * The caller of the function at @func, by what the trampoline has at @slot (TRAMPOLINE_FRAME). A kretprobe on the function may have been
 * first to put its own trampoline there.
 */
static __always_inline __u64 caller_behind(void *slot, __u64 func)
{
	__u64 trampoline = PATCH64(BP_PATCH_RETHOOK);
	struct trampoline_call call = trampoline_call(slot, func);

	if (trampoline && call.caller == trampoline)
		return caller_of_rethook(trampoline, (__u64)call.slot);
	return call.caller;
}

/*
 * The caller at a return by kprobe.multi. From 6.14 on (then the context shows no flags), a kretprobe on the function may have been
 * first to put its trampoline there.
 */
static __always_inline __u64 caller_of_multi(const struct pt_regs *regs)
{
	__u64 trampoline = PATCH64(BP_PATCH_RETHOOK), caller = regs_ip(regs);

	if (!PATCH(BP_PATCH_FLAGS) && trampoline && caller == trampoline)
		return caller_of_rethook(trampoline, return_slot(regs));
	return caller;
}

/*
 * The @slot of caller_behind() if the program is on functions with different numbers of parameters. The verifier lets nobody add
 * a variable number to the context. But the address becomes a plain number when it is stored and loaded again. @scratch is the
 * place for that.
 */
static __always_inline void *slot_behind(void *ctx, __u64 *scratch)
{
	__u64 nr;

	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_func_arg_cnt))
		return ctx;	/* such old kernels have no links to many trampolines */
	nr = bpf_get_func_arg_cnt(ctx);
	*(void *volatile *)scratch = ctx;
	return (void *)(*(volatile __u64 *)scratch + nr * sizeof(__u64) + TRAMPOLINE_FRAME);
}

/*
 * kprobe.session (6.10): the same program runs at a function's entry and return, and both can use one word of the call.
 * user/gen/patch.c puts calls of the kernel's functions in place of the markers. libbpf would search every module for functions
 * that do not exist.
 */
static __always_inline __u64 session_call(void *ctx, int which)
{
	register __u64 result asm("r0");

	asm volatile("r1 = %1\n"
		     "r0 = %2\n"
		     : "=r"(result) : "r"(ctx), "i"(which) : "r1", "r2", "r3", "r4", "r5", "memory");
	return result;
}

/* The parameter of the function that the return needs. */
static __always_inline __u64 session_param(void *ctx)
{
	__u64 value;

	asm volatile("%0 = %2\n"
		     "%0 = %1\n"
		     : "=&r"(value) : "r"(ctx), "i"(BP_PATCH_SESSION_PARAM));
	return value;
}

#endif
