/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reach.h - can anything still call a function?
 *
 * A verdict on what xref.h has found, for functions that a probe may be put on (a
 * kprobe refuses those without a site of ftrace, so assembly code is not asked about).
 * What boot code did before it was freed has left no trace but in the functions
 * themselves: see reach.c for what can be told from them.
 */
#ifndef KERNEL_XREF_REACH_H
#define KERNEL_XREF_REACH_H

#include <stdbool.h>

#include "kernel/xref/xref.h"

struct kbtf;
struct kmem;
struct ksym;
struct ksyms;
struct reach_source;

enum reach {
	REACH_YES,		/* something refers to it, or a task is in it */
	REACH_UNKNOWN,		/* nothing does, but boot code may have passed its address on */
	REACH_BPF,		/* nothing but BPF programs can call it, by its number */
	REACH_NEVER,		/* nothing can: it was inlined everywhere, or only served booting */
};

/* What there is to know beside the references. A thing that cannot be found out is false. */
struct reach_facts {
	bool seals;		/* the kernel overwrites ENDBRs that no pointer leads to */
	bool kfunc;		/* it is listed for BPF programs to call */
	bool callback;		/* its first parameter is a struct seq_file * */
	bool on_stack;		/* a task is in it now */
};

/* @facts may be all false where @ref has references. */
enum reach reach_judge(const struct ksym *sym, const struct xref *ref,
		       const struct reach_facts *facts);

/*
 * Facts about functions of the kernel's that nothing refers to. Opening reads a few pages of
 * @km, and the stacks in /proc as they are now, which only root sees. @kb is borrowed; NULL:
 * no BTF. NULL: out of memory; the caller closes.
 */
struct reach_source *reach_open(struct kmem *km, const struct ksyms *ks, struct kbtf *kb);
void reach_close(struct reach_source *source);	/* NULL is fine */
void reach_find(const struct reach_source *source, const struct ksym *sym,
		struct reach_facts *ret);

#endif
