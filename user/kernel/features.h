/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * features.h - what the running kernel can do, as far as it decides how probes are made.
 *
 * This is the only code that compares versions of Linux. Distributions add later features to older versions, so each
 * feature is asked of the kernel itself where that is possible: from its BTF, from its symbols, or by loading a program. Only
 * where nothing can be asked does the version decide; the table in features.c says why.
 */
#ifndef KERNEL_FEATURES_H
#define KERNEL_FEATURES_H

#include <stdbool.h>

struct buf;
struct kbtf;
struct ksyms;

enum feature {
	FEATURE_BTF,		/* types of the kernel can be read */
	FEATURE_BTF_CONSISTENT,	/* BTF has no function whose name others have with another prototype */
	FEATURE_DIRECT_CALLS,	/* ftrace calls trampolines */
	/*
	 * Programs in trampolines have a guard against recursion. Without it, a probe on a function that a program's helpers
	 * call never ends.
	 */
	FEATURE_GUARD,
	FEATURE_WHOLE_ARGS,	/* a trampoline saves whole registers, not only the bytes of the argument's type */
	FEATURE_FUNC_ARG,	/* bpf_get_func_arg() and bpf_get_func_ret() read a trampoline's values of any type */
	FEATURE_MULTI,		/* kprobe.multi */
	FEATURE_MULTI_WHOLE,	/* ... with all registers and the flags */
	FEATURE_MULTI_FTRACE,	/* ... whose entries are users of ftrace again, with a second guard */
	FEATURE_SESSION,	/* one program for entries and returns, by kprobe.multi */
	FEATURE_TRAMPOLINES,	/* one link for the trampolines of many functions */
	FEATURE_UPROBE_MULTI,	/* uprobe.multi: user probes without perf */
	FEATURE_UPROBE_PID,	/* ... whose pid means a process, and not one of its threads */
	FEATURE_UPROBE_SLEEPS,	/* programs of user probes may read memory that is not there yet */
	FEATURE_SYSCALL_SLEEPS,	/* ... and programs in trampolines of system calls */
	FEATURE_EVENT_SLEEPS,	/* ... and programs of the events of system calls */
	FEATURE_MAPPINGS,	/* programs can look into the mappings of a task */
	FEATURE_UPROBE_DAMAGES,	/* a user probe on some instructions writes below the program's stack pointer */
	FEATURE_PRIVATE_STACKS,	/* programs of kprobes have their stack in memory of the CPU */
	FEATURE_ATOMICS,	/* BPF has compare and exchange */
	FEATURE_TAI,		/* programs can read CLOCK_TAI */
	FEATURE_HASH_GROWS,	/* hash maps take memory for an entry when it is made, also in programs of tracing */
	FEATURE_HIDES_CALLER,	/* kretprobes do not show a return probe where the function returns to */
	FEATURE_UNWINDS_RETURNS,/* a stack goes on behind a function that has a return probe */
	FEATURE_LINK_MISSES,	/* links of perf events and of kprobe.multi count their misses */
	FEATURE_MAPS_FREE,	/* the memory of maps does not count as locked memory */
	FEATURE_KPROBE_MIGRATES,/* a kprobe's program runs with migration disabled, not preemption */
	FEATURE_TIF_LAZY,	/* this CPU has a flag for lazy rescheduling */
	FEATURE_TIF_GENERIC,	/* this CPU numbers the flags of tasks as all processors do */
	FEATURES
};

/* FEATURE_UPROBE_MULTI: the offsets of some of link_create.uprobe_multi's members in union bpf_attr. */
enum { FEATURE_UPROBE_AT_PATH = 16, FEATURE_UPROBE_AT_CNT = 48, FEATURE_UPROBE_AT_PID = 56 };

/* FEATURE_TRAMPOLINES: the offsets of link_create.tracing_multi's members there. */
enum { FEATURE_TRAMPOLINES_IDS = 16, FEATURE_TRAMPOLINES_COOKIES = 24, FEATURE_TRAMPOLINES_CNT = 32 };

/* What an attempt has shown. */
enum feature_trial { TRIAL_UNKNOWN, TRIAL_NO, TRIAL_YES };

/* Where answers come from, and the answers so far. All zeroes: nothing is known. Then each row answers as for Linux 0.0. */
struct features {
	struct kbtf *btf;	/* borrowed; NULL: none */
	const struct ksyms *ks;	/* borrowed; NULL: none */
	unsigned release;	/* as RELEASE() */
	bool may_load;		/* programs may be loaded to ask */
	enum feature_trial (*try_uprobe)(void);	/* FEATURE_UPROBE_DAMAGES; NULL: nothing may be attached */
	unsigned char answers[FEATURES];
};

/* Asks nothing yet: feature() asks at its first call for each feature. @btf and @ks must live as long as @ret. */
void features_init(struct features *ret, struct kbtf *btf, const struct ksyms *ks, bool may_load);

bool feature(struct features *f, enum feature which);

/* The same by the version alone, for what a file has recorded and where there are no other sources. @release: as RELEASE(). */
bool feature_by_release(enum feature which, unsigned release);

/*
 * Prints a line for each answer that came from the version so far, with the reason: "assumed of Linux 6.1: no whole registers in
 * trampolines (no type and no symbol shows it)". Prints nothing if all answers are the kernel's. Each line
 * begins with @prefix.
 */
void features_print_guessed(const struct features *f, const char *prefix, struct buf *out);

/* BTF's numbers of what programs name. They are found at each call. 0: this kernel has no such thing. */
struct feature_ids {
	unsigned preempt_var, preempt_off;	/* the per-CPU variable with preempt_count, and the offset in it */
	bool preempt_wide;			/* it has 64 bits, in 7.3's order */
	unsigned session_return, session_cookie;	/* bpf_session_is_return(), bpf_session_cookie() (6.10) */
	unsigned cast_func, cast_struct;	/* bpf_rdonly_cast() (6.2), and a structure that begins with six 64-bit numbers */
	unsigned vma_new, vma_next, vma_destroy;	/* FEATURE_MAPPINGS: bpf_iter_task_vma_new() and its like */
	unsigned vma_start, vma_flags;	/* ... offsets of these members of struct vm_area_struct */
};

void features_find_ids(const struct features *f, struct feature_ids *ret);

#endif
