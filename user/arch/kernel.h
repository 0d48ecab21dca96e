/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - what is true of the kernel on the CPU that bprobe is built for: where its code is, how it uses registers and words.
 *
 * Each CPU's header gives these names their values:
 *
 *	KERNEL_CODE_FIRST, KERNEL_CODE_LAST	all code of the kernel and its modules is at these addresses
 *	KERNEL_STACK_SHIFT			a task's kernel stack has 1 << this many bytes, and is aligned
 *	ENTRY_PAD_SIZE				bytes of a landing pad, the first instruction of a function that may be called
 *						through a pointer
 *	KERNEL_SEALS				the kernel has a symbol of this name if it overwrites landing pads of functions that no pointer
 *						refers to, when it starts; NULL: none does
 *	KERNEL_THUNKS				rows { PREFIX, WHY } of functions that compilers call for an indirect call or a return
 *	SYSCALL_WRAPPER				a system call's function has this in front of the call's name
 *	SYSCALL_PARAMS				the number of registers that pass a system call's parameters
 *	FLAGS_INTERRUPTS_ON			the bit of the flags register: interrupts are enabled
 *	COUNT_NO_RESCHED			the bit of preempt_count that is set while no reschedule is requested
 *	TIF_RESCHED, TIF_RESCHED_LAZY		bits of thread_info.flags, where Linux numbers them as for all CPUs
 *	TIF_RESCHED_OWN, TIF_RESCHED_LAZY_OWN	the same with the CPU's own numbers
 */
#ifndef ARCH_KERNEL_H
#define ARCH_KERNEL_H

#include "arch/regs.h"
#include "arch/x86_64/kernel.h"

/* The registers of struct pt_regs that pass a system call's parameters, in their order: SYSCALL_PARAMS of them. */
extern const enum reg syscall_params[];

#endif
