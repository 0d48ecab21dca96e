/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - x86-64: only for arch/text.h.
 */
#ifndef ARCH_X86_64_TEXT_H
#define ARCH_X86_64_TEXT_H

#define BREAKPOINT_NAME	"int3"
#define A_BREAKPOINT	"an int3"

enum {
	BREAKPOINT_SIZE = 1,
	PROBE_JUMP_SIZE = 5,		/* jmp rel32 */
	STATIC_CALL_SIZE = 5,		/* call rel32, or a nop of that size */
	NEAR_REACH = 130,		/* of jmp rel8, with its own two bytes: text_references() finds rel32 only */
};

#define TEXT_LEADS	4, 5, 9		/* ENDBR, call __fentry__, both */

#endif
