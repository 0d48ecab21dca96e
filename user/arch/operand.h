/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * operand.h - an operand as the assembler writes it: what a USDT marker's notes have for an argument.
 */
#ifndef ARCH_OPERAND_H
#define ARCH_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"

enum asm_kind {
	ASM_CONSTANT,		/* @value */
	ASM_REGISTER,		/* @reg, shifted right by @shift */
	ASM_MEMORY,		/* the memory at @value + @symbol + @reg + @index * @scale, as far as there are such */
};

struct asm_operand {
	enum asm_kind kind;
	int64_t value;
	bool has_reg, has_index;
	enum reg reg;		/* REGISTER; MEMORY: the base */
	uint8_t shift;		/* bits: 8 for %ah */
	uint8_t bytes;		/* REGISTER: of the part that the name means */
	enum reg index;		/* MEMORY */
	uint8_t scale;		/* 1, 2, 4, 8 */
	const char *symbol;	/* MEMORY: at this symbol; NULL: none. @symbol_len bytes of the text */
	uint32_t symbol_len;
};

/*
 * Parses @len bytes of @text. NULL, and *ret is filled in; or why it is none that can be fetched: "%xmm0 is a vector register". The address of a
 * symbol does not depend on %rip's value, so %rip is then not mentioned in *ret.
 */
const char *asm_operand_parse(const char *text, size_t len, struct asm_operand *ret);

#endif
