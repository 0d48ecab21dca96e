/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reach.h - can anything still call a function?
 *
 * Judges the references that xref.h has found. It is for functions that a probe may be put on (a kprobe refuses
 * functions without an ftrace site, so there are no questions about assembly code). Boot code is freed, so what it did
 * has left no trace except in the functions themselves: see reach.c for what they tell.
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
	REACH_UNKNOWN,		/* nothing refers to it, but boot code may have passed its address on */
	REACH_BPF,		/* only BPF programs can call it, by its number */
	REACH_NEVER,		/* nothing can call it: it was inlined everywhere, or was needed only during boot */
};

/* Facts beside the references. A fact that cannot be found out is false. */
struct reach_facts {
	bool seals;		/* the kernel overwrites landing pads that no pointer refers to */
	bool kfunc;		/* it is in the list of functions that BPF programs may call */
	bool callback;		/* its first parameter is a struct seq_file * */
	bool on_stack;		/* a task is in it now */
};

/* If @ref has references, @facts may be all false. */
enum reach reach_judge(const struct ksym *sym, const struct xref *ref,
		       const struct reach_facts *facts);

/*
 * Finds the facts about functions of the kernel that nothing refers to. reach_open() reads a few pages of @km, and the
 * stacks in /proc as they are now, which only root can see. Borrows @kb; NULL: no BTF. Returns NULL: out of memory. The
 * caller frees the result with reach_close().
 */
struct reach_source *reach_open(struct kmem *km, const struct ksyms *ks, struct kbtf *kb);
void reach_close(struct reach_source *source);	/* NULL is fine */
void reach_find(const struct reach_source *source, const struct ksym *sym,
		struct reach_facts *ret);

#endif
