/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bprobe_abi.h - the contract between bpf/ and user/: what crosses the border.
 *
 * A record in a ring:
 *
 *	0         56        64           fixed     marks       dyn        size
 *	| bp_rec  | common_*| ip, args … | pad to 8 | u64 bits | strings … |
 *	          `-- the body: laid out as the event's format text says ---'
 *
 * The body begins with the four common fields, which are the last 8 bytes of
 * struct bp_rec; user space fills in those that BPF leaves (type, flags, depth).
 * Each value that can fault owns one bit of the marks, each string one that says
 * "cut". A string that could not be read has length 0 in its __data_loc.
 *
 * Any change here is a change of the ABI: raise BP_ABI_VERSION.
 */
#ifndef BPROBE_ABI_H
#define BPROBE_ABI_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define BP_ABI_VERSION	4
#define BP_ABI_OLDEST	3		/* records and counters of that are read as well */
#define BP_ABI_SELVES	4		/* since then programs ask struct bp_selves */
#define BP_COMM_LEN	16

struct bp_rec {
	__u64 ts;			/* CLOCK_MONOTONIC ns, read after the reservation */
	__u32 probe;			/* which definition: its number in this bprobe, or among the kept ones */
	__u32 lost;			/* hits of this definition that found the CPU's ring full so far */
	__u32 tgid;
	__u16 cpu;
	__u16 migrate;			/* task_struct.migration_disabled, as seen by the program */
	__u32 preempt;			/* preempt_count(), as seen by the program; or UNKNOWN */
	__u32 tif;			/* thread_info.flags, low half */
	__u32 eflags;			/* RFLAGS of the traced code, low half; or UNKNOWN */
	__u32 reserved;
	char comm[BP_COMM_LEN];
	/* ---- the body ---- */
	__u16 common_type;
	__u8 common_flags;
	__u8 common_preempt_count;
	__s32 common_pid;		/* the thread, in the initial pid namespace */
};
_Static_assert(sizeof(struct bp_rec) == 64, "struct bp_rec is ABI");

#define BP_BODY_OFF		56	/* of the body in a record */
#define BP_PREEMPT_UNKNOWN	0xffffffffu
#define BP_EFLAGS_UNKNOWN	0xffffffffu

/* One for each possible CPU; on a cache line of its own. */
struct bp_cpu {
	__u64 preempt_addr;		/* where this CPU's preempt_count lies; 0: not looked yet */
	__u64 reserved[7];
};
_Static_assert(sizeof(struct bp_cpu) == 64, "struct bp_cpu is ABI");

/*
 * What some definitions count together is the one value of a map:
 *
 *	0          64                                     64 + (CPUs << shift)
 *	| bp_head  | CPU 0: bp_stat of each | CPU 1 ... | bp_rate of each definition |
 *
 * where shift is BP_PATCH_STATS_SHIFT.
 */
struct bp_head {
	__u32 self[2];			/* until version 3: who is left out, or BP_SELF_NONE; since then struct bp_selves tells */
	__u64 cleared;			/* records that are stamped before were cleared: CLOCK_MONOTONIC ns; 0: none were */
	__u64 reserved[6];
};
_Static_assert(sizeof(struct bp_head) == 64, "struct bp_head is ABI");

/*
 * Processes whose hits are left out: bprobe's own. The one value of a map that a run has for itself, and all kept events of a
 * store together. A process has one of the two entries of its row, which its number tells. An entry may stay when its process
 * ends. A later process with that number started after `since`, so it is not left out.
 */
#define BP_SELF_ROWS	512		/* a power of two */
#define BP_SELF_NONE	0xffffffffu	/* 0 is the idle task: what interrupts do there is traced */

struct bp_self {
	__u32 tgid;			/* in the initial pid namespace, or BP_SELF_NONE */
	__u32 reserved;
	__u64 since;			/* CLOCK_MONOTONIC ns */
};
_Static_assert(sizeof(struct bp_self) == 16, "struct bp_self is ABI");

struct bp_selves {
	struct bp_self rows[BP_SELF_ROWS][2];
};
_Static_assert(sizeof(struct bp_selves) == 16384, "struct bp_selves is ABI");

/* Hits of tasks that are not traced are in none of these; any other is in one of the first three. */
struct bp_stat {
	__u64 hits;			/* to be recorded */
	__u64 filtered;			/* the filter did not want them */
	__u64 limited;			/* a limit (rate, once) did not */
	__u64 lost;			/* of the hits, without room in the ring */
	__u64 faults;			/* of the hits, with a value that could not be read */
};
_Static_assert(sizeof(struct bp_stat) == 40, "struct bp_stat is ABI");

struct bp_rate {
	__u64 next;			/* CLOCK_MONOTONIC ns when the bucket will be full again */
};
_Static_assert(sizeof(struct bp_rate) == 8, "struct bp_rate is ABI");

/*
 * A function's parameters, kept by an entry probe for the return probe of the same
 * call: the one of this task that returns to the stack pointer behind its caller's
 * address. Six come in registers, the others are the words on the stack there.
 */
struct bp_saved_key {
	__u64 sp;
	__u32 pid;
	__u32 probe;
};
_Static_assert(sizeof(struct bp_saved_key) == 16, "struct bp_saved_key is ABI");

#define BP_REG_PARAMS	6
#define BP_SAVED_PARAMS	14

struct bp_saved {
	__u64 param[BP_SAVED_PARAMS];
	__u64 caller;			/* where the call returns to */
};
_Static_assert(sizeof(struct bp_saved) == 120, "struct bp_saved is ABI");

/* What the generated fetch code returns. */
#define BP_FETCH_FILLED	1		/* a string filled its short room: fetch again, with more */
#define BP_FETCH_FAULT	2		/* a value could not be read */
#define BP_FETCH_FILTERED 4		/* the filter does not want this record */
#define BP_FETCH_LIMITED 8		/* a limit does not */

/*
 * Immediates that stand in the compiled program where each definition's copy
 * gets its own value; user/gen/model.c replaces them. No other constant of the
 * program may have these values.
 */
#define BP_PATCH_BASE	0x42500000
enum bp_patch {
	BP_PATCH_PROBE = BP_PATCH_BASE,	/* number of the definition: bp_rec.probe */
	BP_PATCH_FETCH,			/* becomes the body of the fetch code */
	BP_PATCH_FETCH_LONG,		/* the function that begins so becomes the body for long strings */
	BP_PATCH_CPUS,			/* possible CPUs */
	BP_PATCH_STATS,			/* 64 bits: becomes the address of the first CPU's bp_stat */
	BP_PATCH_STATS_SHIFT,		/* bytes of the statistics of one CPU: 1 << this */
	BP_PATCH_SHORT,			/* bytes to reserve at first */
	BP_PATCH_LONG,			/* bytes to reserve when a string filled those; 0: never */
	BP_PATCH_SELVES,		/* 64 bits: becomes the address of bp_selves */
	BP_PATCH_SELF,			/* 0: nobody's hits are left out */
	BP_PATCH_ALL_TASKS,		/* 0: only the tasks marked in bp_tasks */
	BP_PATCH_FUNC,			/* 64 bits: address of the probed function */
	BP_PATCH_FRAME,			/* trampolines: bytes of the parameters in the context */
	BP_PATCH_FLAGS,			/* kprobe.multi: 1: the context shows the flags */
	BP_PATCH_CAST,			/* 1: memory can be loaded by a cast, and BP_PATCH_CAST_CODE is used */
	BP_PATCH_CAST_CODE,		/* instructions that become such loads */
	BP_PATCH_RETHOOK,		/* 64 bits: arch_rethook_trampoline; 0: there is none */
	BP_PATCH_PERCPU,		/* 64 bits: address of __per_cpu_offset[] */
	BP_PATCH_PREEMPT,		/* 64 bits: per-CPU address of __preempt_count or pcpu_hot; 0: unknown */
	BP_PATCH_PREEMPT_VAR,		/* 1: BTF knows that variable, and BP_PATCH_PREEMPT_CODE is used */
	BP_PATCH_PREEMPT_CODE,		/* four instructions that are replaced by a read of it */
	BP_PATCH_TRAMPOLINE,		/* 64 bits: kretprobe_trampoline, where ip shows it; 0: it does not */
	BP_PATCH_INST_TABLE,		/* 64 bits: kretprobe_inst_table (5.10); 0: there is none */
	BP_PATCH_END
};

/* Tasks are marked one byte each, indexed by pid; a map entry holds this many. */
#define BP_TASKS_PER_ENTRY	64

#endif
