/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * features.h - features of this kernel that decide how a probe can be attached.
 */
#ifndef KERNEL_FEATURES_H
#define KERNEL_FEATURES_H

#include <stdbool.h>

struct kbtf;
struct ksyms;

struct features {
	/*
	 * fentry and fexit with a guard against recursion (struct bpf_prog has a member "active", 5.12). Without the
	 * guard, a probe on a function that a program's helpers call never ends.
	 */
	bool fentry;
	/* The trampoline saves whole registers, not only the bytes of the argument's type (6.6). */
	bool whole_args;
	/* bpf_get_func_arg() and bpf_get_func_ret() (5.17) read a trampoline's values of any type. */
	bool func_arg;
	/* preempt_count in BTF: the number of the per-CPU variable (0: unknown) and the offset in it. */
	unsigned preempt_var, preempt_off;
	/* bpf_rdonly_cast() (6.2), and a structure of two 64-bit numbers; 0: not known. */
	unsigned cast_func, cast_struct;
	bool multi;		/* kprobe.multi (5.18 and CONFIG_FPROBE) */
	bool multi_whole;	/* ... with all registers and the flags (until 6.13) */
};

/*
 * Finds them from BTF, symbols and the version. Without BTF or symbols (NULL or none), what needs them counts as
 * absent.
 */
void features_find(struct kbtf *kb, const struct ksyms *ks, struct features *ret);

#endif
