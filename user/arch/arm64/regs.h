/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regs.h - arm64: the registers in the order of struct pt_regs (6.12). Only for arch/regs.h.
 */
#ifndef ARCH_ARM64_REGS_H
#define ARCH_ARM64_REGS_H

enum reg {
	ARM64_X0, ARM64_X1, ARM64_X2, ARM64_X3, ARM64_X4, ARM64_X5, ARM64_X6, ARM64_X7, ARM64_X8, ARM64_X9, ARM64_X10,
	ARM64_X29 = 29, ARM64_X30, ARM64_SP, ARM64_PC, ARM64_PSTATE,
	REG_COUNT,
	ARM64_ORIG_X0 = REG_COUNT,	/* kprobe_events has no name for it */

	REG_RETURN = ARM64_X0, REG_SP = ARM64_SP, REG_IP = ARM64_PC, REG_FRAME = ARM64_X29,
};

enum {
	REG_PARAMS = 8,
	STACK_PARAMS = 0,		/* the return address is in x30 */
};

#define REG_NAME_RETURN		"%x0"
#define REG_NAME_IP		"%pc"
#define REG_NAME_FIRST		"%x0"
#define REG_NAME_SECOND		"%x1"
#define REG_NAME_NUMBERED	"%x8"
#define REG_PARAMS_NAMES	"%x0 %x1 %x2 %x3 %x4 %x5 %x6 %x7"
#define REG_PARAMS_WORD		"eight"

#endif
