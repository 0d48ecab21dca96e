/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.S - a small program whose functions and markers bprobe lists (functions.case).
 *
 * Code begins at 0x401000, which is 0x1000 in the file.
 */
.macro func name, bytes:vararg
.type \name, @function
\name: \bytes
	ret
.size \name, .-\name
.endm

.text
.globl plain
func plain, nop			/* 0x1000, 2 bytes */
func twin, nop			/* 0x1002: a static function of one file */
func alone			/* 0x1004, 1 byte */
func _ZN3net6Socket4readEPcm, nop	/* 0x1005 */
.type pick, %gnu_indirect_function
pick:
func pick_code, nop		/* 0x1007: the code of the IFUNC pick */
func locked, .byte 0xf0, 0xff, 0x07	/* 0x1009: lock incl (%rdi) */
.type part.cold, @function
part.cold: ret			/* 0x100d */
.size part.cold, 1
label: nop			/* 0x100e: no function */

/* A note of a marker: its place, no base, its counter, its names and arguments. */
.macro marker provider, name, place, counter, args
	.pushsection .note.stapsdt, "", "note"
	.balign 4
	.4byte 8, 992f - 991f, 3
	.asciz "stapsdt"
991:	.8byte \place, 0, \counter
	.asciz "\provider"
	.asciz "\name"
	.asciz "\args"
992:	.balign 4
	.popsection
.endm
marker web, request, plain, hits, "-4@%edi 8@%rsi 8f@%xmm0"
marker web, request, alone, hits, "-4@(%rsp) 8@%rdx 8f@%xmm1"
marker web, done, twin, 0, ""

.data
hits: .2byte 0
