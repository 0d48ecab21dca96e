/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - arm64: only for arch/user.h.
 */
#ifndef ARCH_ARM64_USER_H
#define ARCH_ARM64_USER_H

enum { USER_DWARF_STACK = 31, USER_DWARF_VECTOR = 64 };	/* the numbers of sp, and of the first vector register, v0 */
enum { USER_SYSCALL_SIZE = 4 };

#define USER_OLD_READS(X)
#define USER_OLD_OPEN(X)
#define USER_OLD_FILES(X)
#define USER_OLD_REMOVALS(X)
#define USER_OLD_FORKS(X)

#endif
