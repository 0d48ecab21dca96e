/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - arm64: what is true of the kernel there. Only for arch/kernel.h.
 */
#ifndef ARCH_ARM64_KERNEL_H
#define ARCH_ARM64_KERNEL_H

#define KERNEL_MACHINE		"aarch64"

/* The half that modules and the kernel are in, with addresses of 48 bits (Documentation/arch/arm64/memory.rst). */
#define KERNEL_CODE_FIRST	0xffff800000000000ull
#define KERNEL_CODE_LAST	0xfffffffffeffffffull

enum { KERNEL_STACK_SHIFT = 14 };	/* 6.12, THREAD_SHIFT, without KASAN */

enum { ENTRY_PAD_SIZE = 4 };		/* bti c, or paciasp */
#define ENTRY_PAD_NAME	"a bti"

enum {
	KPROBE_IP_BEHIND = 0,		/* the exception of a brk has the address of the brk */
	FTRACE_IP_BEHIND = 8,		/* behind "mov x9, x30; bl"; a landing pad may be in front of these */
};

#define PREEMPT_VARIABLES		/* none: preempt_count is in thread_info */
#define KERNEL_BTF_NAMES
#define KERNEL_SEALS	((const char *)0)
#define KERNEL_THUNKS

#define SYSCALL_WRAPPER		"__arm64_sys_"
#define SYSCALL_WRAPPERS_32	SYSCALL_WRAPPER_COMPAT	/* other calls are those of 64-bit programs */
#define SYSCALL_WRAPPER_COMPAT	"__arm64_compat_sys_"
#define SYSCALL_WRAPPED_SINCE	"4.19"

enum { SYSCALL_PARAMS = 6 };

#define FLAGS_INTERRUPTS	0x00000080u	/* PSR_I_BIT: they are disabled */
#define FLAGS_INTERRUPTS_ON	0u
#define COUNT_NO_RESCHED	0x80000000u	/* as records have it: the kernel has it in a word of its own */

#define TIF_RESCHED		(1u << 4)
#define TIF_RESCHED_LAZY	(1u << 5)
#define TIF_RESCHED_OWN		(1u << 1)	/* 6.12, TIF_NEED_RESCHED */
#define TIF_RESCHED_LAZY_OWN	0u

#define SINCE_DIRECT_CALLS	RELEASE(6, 4)
#define SINCE_MULTI		RELEASE(6, 14)		/* not with 6.12; 7.2 has it */
#define SINCE_TIF_LAZY		NEVER
#define SINCE_TIF_GENERIC	NEVER
#define SINCE_UPROBE_DAMAGES	NEVER
#define UNTIL_UPROBE_DAMAGES	0

#endif
