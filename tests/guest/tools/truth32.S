/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * truth32.S - a program of 32 bits, for truth.sh: openat() of a name that nobody has, then getppid(). It needs no C library.
 */
	.globl	_start
_start:	mov	$295, %eax		/* openat(AT_FDCWD, name, 0): arch/x86/entry/syscalls/syscall_32.tbl */
	mov	$-100, %ebx
	mov	$name, %ecx
	xor	%edx, %edx
	int	$0x80
	mov	$64, %eax		/* getppid() */
	int	$0x80
	mov	$1, %eax		/* exit(0) */
	xor	%ebx, %ebx
	int	$0x80
name:	.asciz	"/nobody/32"
