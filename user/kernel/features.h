/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * features.h - what this kernel has that decides how a probe can be attached.
 */
#ifndef KERNEL_FEATURES_H
#define KERNEL_FEATURES_H

#include <stdbool.h>

struct kbtf;
struct ksyms;

struct features {
	/*
	 * fentry and fexit with a guard against recursion (struct bpf_prog has a member
	 * "active", 5.12): without it, a probe on what a program's helpers call never ends.
	 */
	bool fentry;
	/* The trampoline saves whole registers, not the bytes of the argument's type (6.6). */
	bool whole_args;
	/* bpf_get_func_arg() and bpf_get_func_ret() (5.17) read a trampoline's values whatever their types. */
	bool func_arg;
	/* preempt_count as BTF knows it: the per-CPU variable's number (0: unknown), the offset in it. */
	unsigned preempt_var, preempt_off;
	/* bpf_rdonly_cast() (6.2) and a structure of two 64-bit numbers; 0: not known. */
	unsigned cast_func, cast_struct;
	bool multi;		/* kprobe.multi (5.18 and CONFIG_FPROBE) */
	bool multi_whole;	/* ... with all registers and the flags (until 6.13) */
};

/* Asks BTF and symbols (NULL or none: nothing is known to be there) and the version. */
void features_find(struct kbtf *kb, const struct ksyms *ks, struct features *ret);

#endif
