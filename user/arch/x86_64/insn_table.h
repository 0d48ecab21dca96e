/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn_table.h - the bytes that follow an opcode, encoded as one number. Only for insn.c.
 *
 * Taken from the opcode maps of the Intel SDM (vol. 2D, appendix A) and the AMD APM (vol. 3, appendix A) for 64-bit
 * mode, and from the APX specification.
 */
#ifndef ARCH_X86_64_INSN_TABLE_H
#define ARCH_X86_64_INSN_TABLE_H

#include "arch/insn.h"

/*
 * A form has 16 bits: four for the number of immediate bytes, four flags, four for enum insn_flow, and four for the
 * next step of decoding. If the step is not STEP_DONE, the low eight bits mean something else.
 */
enum insn_form {
	FORM_IMM	= 0x000f,	/* bytes of immediates */
	FORM_MODRM	= 0x0010,
	FORM_Z		= 0x0020,	/* two bytes, not four, with prefix 66 and without W */
	FORM_V		= 0x0040,	/* the same, but eight with W */
	FORM_ADDRESS	= 0x0080,	/* four bytes, not eight, with prefix 67 */
	FORM_VARIES	= FORM_Z | FORM_V | FORM_ADDRESS,
	FORM_LOW	= 0x00ff,
	FORM_FLOW	= 0x0f00,
	FORM_STEP	= 0xf000,
};
#define FORM_FLOW_SHIFT		8
#define FORM_FLOWS(flow)	((flow) << FORM_FLOW_SHIFT)

enum insn_step {
	STEP_DONE	= 0x0000,
	STEP_GROUP	= 0x1000,	/* a ModRM byte follows, which decides; low bits: enum insn_group */
	STEP_REFUSE	= 0x2000,	/* no such instruction */
	STEP_PREFIX	= 0x3000,	/* low bits: enum insn_seen */
	STEP_REX	= 0x4000,
	STEP_REX2	= 0x5000,
	STEP_0F		= 0x6000,
	STEP_0F38	= 0x7000,
	STEP_0F3A	= 0x8000,
	STEP_VEX2	= 0x9000,
	STEP_VEX3	= 0xa000,
	STEP_EVEX	= 0xb000,
	STEP_XOP	= 0xc000,
};

enum insn_seen {
	SEEN_66		= 1,
	SEEN_W		= 2,		/* the W bit of REX, REX2 or EVEX */
	SEEN_67		= 4,
	SEEN_LOCK	= 8,
	SEEN_F2		= 16,		/* the last one of F2 and F3 counts */
	SEEN_F3		= 32,
	SEEN_REPS	= SEEN_F2 | SEEN_F3,
};

/* Opcodes whose form depends on the ModRM byte, or on a prefix that is a part of the opcode. */
enum insn_group {
	GROUP_F6,
	GROUP_F7,
	GROUP_FE,
	GROUP_FF,
	GROUP_8F,
	GROUP_C6,
	GROUP_C7,
	GROUP_0F01,
	GROUP_0F78,
	GROUP_0FB8,
};

extern const uint16_t insn_one[256];	/* forms of the one-byte map */
extern const uint16_t insn_0f[256];	/* forms of the map after 0F */

#endif
