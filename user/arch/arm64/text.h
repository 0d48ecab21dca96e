/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - arm64: only for arch/text.h.
 */
#ifndef ARCH_ARM64_TEXT_H
#define ARCH_ARM64_TEXT_H

#define BREAKPOINT_NAME	"brk"
#define A_BREAKPOINT	"a brk"

enum {
	BREAKPOINT_SIZE = 4,
	PROBE_JUMP_SIZE = 0,		/* no kprobe is optimised */
	STATIC_CALL_SIZE = 4,
	NEAR_REACH = 4,			/* no branch is shorter than others; but code may continue into the next symbol */
};

#define TEXT_LEADS	4, 8, 12	/* bti c, or the two nops that ftrace patches, or both */

#endif
