// SPDX-License-Identifier: GPL-2.0-only
/*
 * operand.c - arm64: operands as the assembler writes them are not read yet.
 */
#include "arch/operand.h"

const char *asm_operand_parse(const char *text, size_t len, struct asm_operand *ret)
{
	(void)text;
	(void)len;
	*ret = (struct asm_operand){ 0 };
	return "bprobe does not read operands of arm64 yet";
}
