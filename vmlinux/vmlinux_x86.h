/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vmlinux_x86.h - kernel types that only x86-64 has, or has in its own way. Only for vmlinux.h.
 */
#ifndef VMLINUX_X86_H
#define VMLINUX_X86_H

/* The registers as every program of type kprobe sees them: an ABI. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* 6.2 to 6.14: the per-CPU variables that every kernel entry touches, in one line. */
struct pcpu_hot {
	int preempt_count;
};

#pragma clang attribute pop

#endif
