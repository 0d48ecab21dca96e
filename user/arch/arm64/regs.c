// SPDX-License-Identifier: GPL-2.0-only
/*
 * regs.c - arm64: the names of the registers.
 */
#include "arch/kernel.h"

#include <string.h>

const char *const kernel_refusal = "bprobe cannot trace on arm64 yet";

const enum reg reg_params[REG_PARAMS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
const enum reg reg_returns[] = { 0, 1 };
const enum reg syscall_params[SYSCALL_PARAMS] = { ARM64_ORIG_X0, 1, 2, 3, 4, 5 };

static const char *const names[REG_COUNT] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19",
	"x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp", "pc", "pstate",
};

const char *reg_name(enum reg reg)
{
	return names[reg];
}

bool reg_find(const char *name, enum reg *ret)
{
	for (unsigned i = 0; i < REG_COUNT; i++) {
		if (!strcmp(names[i], name)) {
			*ret = (enum reg)i;
			return true;
		}
	}
	return false;
}

int reg_param_of(enum reg reg)
{
	return (int)reg < REG_PARAMS ? (int)reg : -1;
}

bool reg_advise(const char *name, struct buf *ret)
{
	enum reg reg;

	if (!strcmp(name, "lr") || !strcmp(name, "fp")) {
		buf_addf(ret, "write %%%s", *name == 'l' ? "x30" : "x29");
		return true;
	}
	if (*name != 'w')
		return false;
	for (reg = ARM64_X0; reg <= ARM64_X30; reg++) {
		if (!strcmp(name + 1, names[reg] + 1)) {
			buf_addf(ret, "a type selects the part of a register: write %%%s:u32", names[reg]);
			return true;
		}
	}
	return false;
}
