/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - what is true of the kernel on the CPU that bprobe is built for: where its code is, how it uses registers and words.
 *
 * Each CPU's header gives these names their values:
 *
 *	KERNEL_MACHINE				how uname(2) calls the CPU
 *	KERNEL_CODE_FIRST, KERNEL_CODE_LAST	all code of the kernel and its modules is at these addresses
 *	KERNEL_STACK_SHIFT			a task's kernel stack has 1 << this many bytes, and is aligned
 *	ENTRY_PAD_SIZE				bytes of a landing pad, the first instruction of a function that may be called
 *						through a pointer
 *	ENTRY_PAD_NAME				how people call it: "an ENDBR"
 *	KPROBE_IP_BEHIND, FTRACE_IP_BEHIND	at a hit of a kprobe, or of kprobe.multi, which ftrace calls: the program counter is this many
 *						bytes behind the probe's address
 *	PREEMPT_VARIABLES			rows { VARIABLE, MEMBER }, : per-CPU variables that may have preempt_count, or that are a structure
 *						with this member (else NULL) that has it. The first one that the kernel has counts. None: it is
 *						found at the task
 *	KERNEL_BTF_NAMES			names, each with a comma: what is to be found in BTF only because of this CPU
 *	KERNEL_SEALS				the kernel has a symbol of this name if it overwrites landing pads of functions that no pointer
 *						refers to, when it starts; NULL: none does
 *	KERNEL_THUNKS				rows { PREFIX, WHY } of functions that compilers call for an indirect call or a return
 *	SYSCALL_WRAPPER				a system call's function has this in front of the call's name
 *	SYSCALL_WRAPPER_COMPAT			the same in front of a call of 32-bit programs that differs from that of 64-bit ones
 *	SYSCALL_WRAPPERS_32			what may be in front of a call of 32-bit programs: the first of these that the kernel has
 *	SYSCALL_WRAPPED_SINCE			the version that began to put it there
 *	SYSCALL_PARAMS				the number of registers that pass a system call's parameters
 *	FLAGS_INTERRUPTS, FLAGS_INTERRUPTS_ON	bits of the flags register, and their value while interrupts are enabled
 *	COUNT_NO_RESCHED			the bit of preempt_count that is set while no reschedule is requested
 *	TIF_RESCHED, TIF_RESCHED_LAZY		bits of thread_info.flags, where Linux numbers them as for all CPUs
 *	TIF_RESCHED_OWN, TIF_RESCHED_LAZY_OWN	the same with the CPU's own numbers
 *	SINCE_...				the version, as RELEASE(), in which this CPU got a feature (kernel/features.h); NEVER: none has it
 */
#ifndef ARCH_KERNEL_H
#define ARCH_KERNEL_H

#include "arch/regs.h"
#if defined(__x86_64__)
#include "arch/x86_64/kernel.h"
#elif defined(__aarch64__)
#include "arch/arm64/kernel.h"
#endif

/* Why bprobe cannot trace on this CPU; NULL: it can. */
extern const char *const kernel_refusal;

/* Later than any version. */
#define NEVER	RELEASE(255, 0)

/* The registers of struct pt_regs that pass a system call's parameters, in their order: SYSCALL_PARAMS of them. */
extern const enum reg syscall_params[];

#endif
