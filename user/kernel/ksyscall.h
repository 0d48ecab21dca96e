/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyscall.h - system calls by the names that their functions have had, and what
 * the kernel's own metadata tells of their parameters.
 */
#ifndef KERNEL_KSYSCALL_H
#define KERNEL_KSYSCALL_H

#include <stdbool.h>

#include "base/arena.h"

struct kbtf;
struct kmem;
struct ksym;
struct ksyms;

/*
 * The function that runs a system call (__x64_sys_NAME): its one parameter is a
 * struct pt_regs, in which the call's own parameters are.
 */
struct ksyscall {
	const struct ksym *wrapper;
	const char *name;		/* "openat" */
	bool known;			/* the metadata could be read: what follows is filled in */
	unsigned nr_params;		/* at most KSYSCALL_PARAMS */
	const char *const *params;	/* their names */
	const char *const *types;	/* their types, as C writes them: "const char *" */
};

enum { KSYSCALL_PARAMS = 6 };

/*
 * Is @name one that a system call's function has or had: sys_NAME (up to 4.16), SyS_NAME,
 * __se_sys_NAME, __do_sys_NAME? The kernel that has such a symbol itself is not asked.
 * 0; -ENOENT: no, or this kernel has no such call. @mem and @kb may be NULL. Results live
 * in @arena.
 */
int ksyscall_find(struct arena *arena, const struct ksyms *ks, struct kbtf *kb, struct kmem *mem,
		  const char *name, struct ksyscall *ret);

/* "openat" of "sys_openat" and the like, in @name; NULL: it has no such prefix. */
const char *ksyscall_bare_name(const char *name);

/*
 * @pattern is one of names, or a name: what behind its prefix the names of system calls have to be like ("open*" of "sys_open*");
 * NULL: it means functions. A name that the kernel has a function of means that one.
 */
const char *ksyscall_wanted(const struct ksyms *ks, const char *pattern);

/* The call that a function runs: "openat" of "__x64_sys_openat"; NULL: none. */
const char *ksyscall_run_by(const char *function);

/* The name by which ksyscall_find() finds @call, in @arena: sys_NAME, or where a function is called so SyS_NAME. */
const char *ksyscall_name(struct arena *arena, const struct ksyms *ks, const char *call);

/* Bytes from the start of struct pt_regs to parameter @i (from 0) of a 64-bit system call. */
unsigned ksyscall_param_offset(unsigned i);

#endif
