/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regs.h - the x86-64 registers in the order of struct pt_regs (6.12, arch/x86/include/asm/ptrace.h). Only for
 * arch/regs.h.
 */
#ifndef ARCH_X86_64_REGS_H
#define ARCH_X86_64_REGS_H

enum reg {
	X86_R15, X86_R14, X86_R13, X86_R12, X86_BP, X86_BX, X86_R11, X86_R10,
	X86_R9, X86_R8, X86_AX, X86_CX, X86_DX, X86_SI, X86_DI, X86_ORIG_AX,
	X86_IP, X86_CS, X86_FLAGS, X86_SP, X86_SS,
	REG_COUNT,

	REG_RETURN = X86_AX, REG_SP = X86_SP, REG_IP = X86_IP, REG_FRAME = X86_BP,
};

enum {
	REG_PARAMS = 6,
	STACK_PARAMS = 1,		/* behind the return address */
};

#define REG_NAME_RETURN		"%ax"
#define REG_NAME_IP		"%ip"
#define REG_NAME_FIRST		"%di"
#define REG_NAME_SECOND		"%si"
#define REG_NAME_NUMBERED	"%r8"
#define REG_PARAMS_NAMES	"%di %si %dx %cx %r8 %r9"
#define REG_PARAMS_WORD		"six"

#endif
