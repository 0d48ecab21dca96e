/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - x86-64: what is true of the kernel there. Only for arch/kernel.h.
 */
#ifndef ARCH_X86_64_KERNEL_H
#define ARCH_X86_64_KERNEL_H

#define KERNEL_MACHINE		"x86_64"

/*
 * The memory map is fixed (Documentation/arch/x86/x86_64/mm.rst), and code is compiled for the top 2 GiB, because calls to
 * the kernel must reach it from there.
 */
#define KERNEL_CODE_FIRST	0xffffffff80000000ull
#define KERNEL_CODE_LAST	0xfffffffffeffffffull

enum { KERNEL_STACK_SHIFT = 14 };	/* 6.12, arch/x86/include/asm/page_64_types.h, without KASAN */

enum { ENTRY_PAD_SIZE = 4 };		/* ENDBR64 */
#define ENTRY_PAD_NAME	"an ENDBR"

enum {
	KPROBE_IP_BEHIND = 1,		/* an int3, or as if it were one with ftrace (6.12, arch/x86/kernel/kprobes/ftrace.c) */
	FTRACE_IP_BEHIND = 5,		/* a call */
};

/* A variable of its own (5.10, 6.1, 6.15 on), or a member of pcpu_hot (6.2 to 6.14). */
#define PREEMPT_VARIABLES	{ "__preempt_count", NULL }, { "pcpu_hot", "preempt_count" },
#define KERNEL_BTF_NAMES	"__preempt_count", "pcpu_hot",

#define KERNEL_SEALS	"__ibt_endbr_seal"	/* 6.12, arch/x86/kernel/alternative.c, apply_seal_endbr() */
#define KERNEL_THUNKS	{ "__x86_", "a thunk: an indirect call or a return" }, { "__pi___x86_", "a thunk" },

#define SYSCALL_WRAPPER	"__x64_sys_"	/* since 4.17 (arch/x86/include/asm/syscall_wrapper.h) */

/*
 * What runs the calls of 32-bit programs: the first of these that the kernel has (arch/x86/entry/syscalls/syscall_32.tbl). The
 * second one is there for each call, but the table has it only if the first one is missing.
 */
#define SYSCALL_WRAPPERS_32	SYSCALL_WRAPPER_COMPAT, "__ia32_sys_"
#define SYSCALL_WRAPPER_COMPAT	"__ia32_compat_sys_"
#define SYSCALL_WRAPPED_SINCE	"4.17"

enum { SYSCALL_PARAMS = 6 };

#define FLAGS_INTERRUPTS	0x00000200u	/* X86_EFLAGS_IF */
#define FLAGS_INTERRUPTS_ON	FLAGS_INTERRUPTS
#define COUNT_NO_RESCHED	0x80000000u	/* 6.12, arch/x86/include/asm/preempt.h, PREEMPT_NEED_RESCHED */

/* include/asm-generic/thread_info_tif.h, and before it arch/x86/include/asm/thread_info.h; lazy rescheduling came with 6.13. */
#define TIF_RESCHED		(1u << 4)
#define TIF_RESCHED_LAZY	(1u << 5)
#define TIF_RESCHED_OWN		(1u << 3)
#define TIF_RESCHED_LAZY_OWN	(1u << 4)

#define SINCE_DIRECT_CALLS	RELEASE(5, 5)
#define SINCE_MULTI		RELEASE(5, 18)
#define SINCE_TIF_LAZY		RELEASE(6, 13)
#define SINCE_TIF_GENERIC	RELEASE(6, 18)

/* arch/x86/kernel/uprobes.c, arch_uprobe_optimize() */
#define SINCE_UPROBE_DAMAGES	RELEASE(6, 18)
#define UNTIL_UPROBE_DAMAGES	RELEASE(7, 2)

#endif
