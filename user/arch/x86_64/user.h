/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - x86-64: only for arch/user.h.
 */
#ifndef ARCH_X86_64_USER_H
#define ARCH_X86_64_USER_H

enum { USER_DWARF_STACK = 7, USER_DWARF_VECTOR = 17 };		/* the numbers of %sp, and of the first vector register, %xmm0 */
enum { USER_SYSCALL_SIZE = 2 };

#define USER_OLD_READS(X)	X(poll) X(epoll_wait) X(readlink) X(access) X(dup2) X(stat) X(lstat) X(alarm) X(pause) X(select) X(time) X(getpgrp)
#define USER_OLD_OPEN(X)	X(open)
#define USER_OLD_FILES(X)	X(rename) X(mkdir) X(rmdir) X(symlink) X(link) X(chmod)
#define USER_OLD_REMOVALS(X)	X(unlink)
#define USER_OLD_FORKS(X)	X(fork) X(vfork)

#endif
