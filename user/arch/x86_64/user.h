/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - x86-64: only for arch/user.h.
 */
#ifndef ARCH_X86_64_USER_H
#define ARCH_X86_64_USER_H

enum { USER_DWARF_STACK = 7, USER_DWARF_VECTOR = 17 };		/* the numbers of %sp, and of the first vector register, %xmm0 */
enum { USER_SYSCALL_SIZE = 2 };

#endif
