/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.S - what fuzz_program.c changes: a small library with functions of several versions, names of C++, a USDT marker and a debug link.
 * run.sh assembles it.
 */
	.text
	.globl	first, second_1, second_2, _ZN3net6Socket4readEPcm
	.type	first, @function
first:	push	%rbp
	mov	%rsp, %rbp
place:	nop
	call	first
	ret
	.size	first, . - first
	.type	second_1, @function
second_1:
	ret
	.size	second_1, . - second_1
	.type	second_2, @function
second_2:
	lock incl (%rdi)
	ret
	.size	second_2, . - second_2
	.symver	second_1, second@V_1
	.symver	second_2, second@@V_2
	.type	_ZN3net6Socket4readEPcm, @function
_ZN3net6Socket4readEPcm:
	ret
	.size	_ZN3net6Socket4readEPcm, . - _ZN3net6Socket4readEPcm

	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak	_.stapsdt.base
	.hidden	_.stapsdt.base
_.stapsdt.base:
	.space	1

	.section .probes, "aw"
semaphore:
	.short	0

	.section .note.stapsdt, "", "note"
	.rept	2
	.balign	4
	.4byte	8, 2f - 1f, 3
	.asciz	"stapsdt"
1:	.8byte	place, _.stapsdt.base, semaphore
	.asciz	"app"
	.asciz	"start"
	.asciz	"8@%rdi -4@-20(%rbp) 8@$-5 1@%ah 8@8(%rax,%rcx,8) 8@semaphore+2(%rip) 8f@%xmm0"
2:	.balign	4
	.endr

	.section .gnu_debuglink, "", "progbits"
	.asciz	"nothing.debug"
	.balign	4
	.4byte	0x12345678
	.section .note.GNU-stack, "", "progbits"
