// SPDX-License-Identifier: GPL-2.0-only
/*
 * regs.c - x86-64: the names of the registers, and what people write instead of them.
 */
#include "arch/kernel.h"

#include <stddef.h>
#include <string.h>

#include "base/macros.h"

const char *const kernel_refusal = NULL;

const enum reg reg_params[REG_PARAMS] = { X86_DI, X86_SI, X86_DX, X86_CX, X86_R8, X86_R9 };
const enum reg reg_returns[] = { X86_AX, X86_DX };
const enum reg syscall_params[SYSCALL_PARAMS] = { X86_DI, X86_SI, X86_DX, X86_R10, X86_R8, X86_R9 };

static const char *const names[REG_COUNT] = {
	[X86_R15] = "r15", [X86_R14] = "r14", [X86_R13] = "r13", [X86_R12] = "r12",
	[X86_BP] = "bp", [X86_BX] = "bx", [X86_R11] = "r11", [X86_R10] = "r10",
	[X86_R9] = "r9", [X86_R8] = "r8", [X86_AX] = "ax", [X86_CX] = "cx",
	[X86_DX] = "dx", [X86_SI] = "si", [X86_DI] = "di", [X86_ORIG_AX] = "orig_ax",
	[X86_IP] = "ip", [X86_CS] = "cs", [X86_FLAGS] = "flags", [X86_SP] = "sp",
	[X86_SS] = "ss",
};

const char *reg_name(enum reg reg)
{
	return names[reg];
}

bool reg_find(const char *name, enum reg *ret)
{
	for (unsigned i = 0; i < REG_COUNT; i++) {
		if (!strcmp(names[i], name)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

int reg_param_of(enum reg reg)
{
	for (int i = 0; i < REG_PARAMS; i++) {
		if (reg_params[i] == reg)
			return i;
	}
	return -1;
}

/* ---- other spellings ---- */

/* Names of parts of a register, and how to fetch the part. */
static const struct {
	const char *name, *fetch;
} parts[] = {
	{ "al", "%ax:u8" }, { "bl", "%bx:u8" }, { "cl", "%cx:u8" }, { "dl", "%dx:u8" },
	{ "sil", "%si:u8" }, { "dil", "%di:u8" }, { "bpl", "%bp:u8" }, { "spl", "%sp:u8" },
	{ "ah", "%ax:b8@8/16" }, { "bh", "%bx:b8@8/16" }, { "ch", "%cx:b8@8/16" },
	{ "dh", "%dx:b8@8/16" }, { "pc", "%ip" },
};

/* r8d, r8w and r8b: the register's number, or 0. */
static unsigned numbered_part(const char *name, char *ret_suffix)
{
	unsigned n = 0;

	if (*name++ != 'r')
		return 0;
	while (*name >= '0' && *name <= '9' && n < 100)
		n = n * 10 + (unsigned)(*name++ - '0');
	*ret_suffix = *name;
	if (n < 8 || n > 15 || !*name || !strchr("dwb", *name) || name[1])
		return 0;
	return n;
}

bool reg_advise(const char *name, struct buf *ret)
{
	enum reg reg;
	unsigned n;
	char suffix;

	if ((*name == 'r' || *name == 'e') && reg_find(name + 1, &reg)) {
		buf_addf(ret, "the kernel's register names have no leading 'r' or 'e': write %%%s%s", name + 1,
			 *name == 'e' ? ":u32" : "");
		return true;
	}
	if (!strncmp(name, "orig_r", 6) && !strcmp(name + 6, "ax")) {
		buf_adds(ret, "write %orig_ax");
		return true;
	}
	n = numbered_part(name, &suffix);
	if (n) {
		buf_addf(ret, "a type selects the part of a register: write %%r%u:u%d", n,
			 suffix == 'd' ? 32 : suffix == 'w' ? 16 : 8);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!strcmp(parts[i].name, name)) {
			buf_addf(ret, "write %s", parts[i].fetch);
			return true;
		}
	}
	return false;
}
