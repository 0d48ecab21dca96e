/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regs.h - the registers of the CPU that bprobe is built for, by what they are for.
 *
 * Each CPU's header has enum reg, in the order of its struct pt_regs (8 bytes each), and gives these roles to members of it:
 *
 *	REG_RETURN	a function's return value
 *	REG_SP, REG_IP, REG_FRAME
 *	REG_COUNT	the number of registers
 *	REG_PARAMS	the number of those that pass parameters
 */
#ifndef ARCH_REGS_H
#define ARCH_REGS_H

#include <stdbool.h>

#include "arch/x86_64/regs.h"
#include "base/buf.h"

/* The registers of a function's first parameters, in their order: REG_PARAMS. */
extern const enum reg reg_params[];

/* "di", as the kernel calls it, without the '%'. */
const char *reg_name(enum reg reg);

/* By that name. False: there is none; *ret is untouched. */
bool reg_find(const char *name, enum reg *ret);

/* The parameter that @reg holds at a function's entry; -1: none. */
int reg_param_of(enum reg reg);

/* What to write instead of @name, which no register has, but people write: "write %di". False: nobody knows. */
bool reg_advise(const char *name, struct buf *ret);

#endif
