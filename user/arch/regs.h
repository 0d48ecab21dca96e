/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regs.h - the registers of the CPU that bprobe is built for, and their roles.
 *
 * Each CPU's header has enum reg, in the order of its struct pt_regs (8 bytes each), and gives these roles to members
 * of it:
 *
 *	REG_RETURN	a function's return value
 *	REG_SP, REG_IP, REG_FRAME
 *	REG_COUNT	the number of registers
 *	REG_PARAMS	the number of registers that pass parameters
 *	STACK_PARAMS	at a function's entry, its first parameter on the stack is this many words above the stack pointer: what a
 *			call puts there is below it
 *
 * For texts it says how people write registers, with the '%':
 *
 *	REG_NAME_RETURN		of the return value
 *	REG_NAME_IP		the program counter
 *	REG_NAME_FIRST, REG_NAME_SECOND		of the first two parameters
 *	REG_NAME_NUMBERED	one whose name is mostly a number
 *	REG_PARAMS_NAMES	all of parameters, and REG_PARAMS_WORD: how many, as a word
 */
#ifndef ARCH_REGS_H
#define ARCH_REGS_H

#include <stdbool.h>

#if defined(__x86_64__)
#include "arch/x86_64/regs.h"
#elif defined(__aarch64__)
#include "arch/arm64/regs.h"
#endif
#include "base/buf.h"

/* The registers that pass a function's first parameters, in the order of the parameters: REG_PARAMS of them. */
extern const enum reg reg_params[];

/* The registers that return a value of one or two words. */
extern const enum reg reg_returns[];

/* The kernel's name of the register, without the '%'. */
const char *reg_name(enum reg reg);

/* The register with that name. False: there is none; *ret is unchanged. */
bool reg_find(const char *name, enum reg *ret);

/* The number of the parameter that @reg holds at a function's entry; -1: none. */
int reg_param_of(enum reg reg);

/*
 * @name is no register's name, but people write it. Appends advice what to write instead: "write %REG". False: there is
 * no advice.
 */
bool reg_advise(const char *name, struct buf *ret);

#endif
