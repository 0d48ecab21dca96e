/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyscall.h - finds system calls by the names that their functions have or had, and reads what the kernel's own
 * metadata tells about their parameters.
 */
#ifndef KERNEL_KSYSCALL_H
#define KERNEL_KSYSCALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct kbtf;
struct kmem;
struct ksym;
struct ksyms;

/*
 * The function that runs a system call (SYSCALL_WRAPPER and NAME). It has one parameter: a struct pt_regs, which contains the
 * parameters of the call.
 */
struct ksyscall {
	const struct ksym *wrapper;
	const char *name;		/* "openat" */
	bool known;			/* the metadata could be read; only then are the members below set */
	unsigned nr_params;		/* at most SYSCALL_PARAMS */
	const char *const *params;	/* their names */
	const char *const *types;	/* their types, written in C: "const char *" */
};


/*
 * Is @name a name that a system call's function has or had: sys_NAME (up to 4.16), SyS_NAME, __se_sys_NAME,
 * __do_sys_NAME? Does not check whether this kernel itself has such a symbol. 0; -ENOENT: it is no such name, or this
 * kernel has no such call. @mem and @kb may be NULL. Results live in @arena.
 */
int ksyscall_find(struct arena *arena, const struct ksyms *ks, struct kbtf *kb, struct kmem *mem,
		  const char *name, struct ksyscall *ret);

/* Returns the part of @name after the prefix: "openat" for "sys_openat"; NULL: it has no such prefix. */
const char *ksyscall_bare_name(const char *name);

/*
 * @pattern is a name or a pattern of names. If it means system calls: the pattern for their names, without the prefix
 * ("open*" for "sys_open*"). NULL: it means functions. A name that the kernel has a function for means that function.
 */
const char *ksyscall_wanted(const struct ksyms *ks, const char *pattern);

/* The system call that a function runs: "openat" for SYSCALL_WRAPPER "openat"; NULL: none. */
const char *ksyscall_run_by(const char *function);

/*
 * The function that runs the system call @call of 32-bit programs, in @arena: one of SYSCALL_WRAPPERS_32 and "openat" for "openat". NULL: the kernel
 * has none, or it is the one of 64-bit programs, too.
 */
const char *ksyscall_function_32(struct arena *arena, const struct ksyms *ks, const char *call);

/*
 * The function that runs what @function looks like. Of SYSCALL_WRAPPERS_32 only the first one that a call has is ever called; this
 * is the function for one of the others. In @arena; NULL: @function runs it itself, or is no such function.
 */
const char *ksyscall_run_instead_of(struct arena *arena, const struct ksyms *ks, const char *function);

/* The name of the function that runs the system call @call, in @arena: SYSCALL_WRAPPER and "openat" for "openat". */
const char *ksyscall_function(struct arena *arena, const char *call);

/* The name by which ksyscall_find() finds @call, in @arena: sys_NAME, or SyS_NAME if a function is called sys_NAME. */
const char *ksyscall_name(struct arena *arena, const struct ksyms *ks, const char *call);

/*
 * The names of the 64-bit system calls by their numbers, as the kernel's metadata has them ("sys_openat"); NULL: it has none. Starts as
 * all zeroes.
 */
struct ksyscall_names {
	struct arena arena;		/* of the names */
	bool read;
	unsigned nr;			/* 0: nothing is known */
	const char **names;
};

/*
 * Fills in @names, unless that was done before. Reads the kernel's memory: if that cannot be read, there are no names. @ks and @mem may
 * be NULL.
 */
void ksyscall_names_read(struct ksyscall_names *names, const struct ksyms *ks, struct kmem *mem);
void ksyscall_names_fini(struct ksyscall_names *names);

/* The name of system call @nr, until ksyscall_names_fini(); NULL: there is none, or it is not known. */
const char *ksyscall_by_number(struct ksyscall_names *names, const struct ksyms *ks, struct kmem *mem, uint64_t nr);

/* The offset in struct pt_regs of parameter @i (from 0) of a 64-bit system call, in bytes. */
unsigned ksyscall_param_offset(unsigned i);

#endif
