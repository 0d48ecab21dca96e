// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn_regs.c - which general registers an instruction reads and writes.
 *
 * (Intel SDM, vol. 2: 2.1.3 ModR/M and SIB, 2.2.1 REX, appendix A opcode maps.)
 */
#include "arch/insn.h"
#include "base/macros.h"

enum { REX_B = 1, REX_X = 2, REX_R = 4, NO_REG = -1 };

struct operands {
	int reg, rm;			/* numbers; @rm NO_REG: the operand is in memory */
	uint16_t address;		/* registers used in the memory's address */
	unsigned digit;			/* part of the opcode, stored in place of @reg */
};

static uint16_t bit(int reg)
{
	return reg == NO_REG ? 0 : (uint16_t)(1u << reg);
}

static unsigned extend(unsigned number, unsigned rex, unsigned which)
{
	return number | (rex & which ? 8 : 0);
}

/* @is_byte: without REX, the numbers 4 to 7 mean the second bytes (ah, ch, dh, bh) of the first four registers. */
static int register_of(unsigned number, unsigned rex, unsigned which, bool is_byte)
{
	if (is_byte && !rex && number >= 4)
		return (int)number - 4;
	return (int)extend(number, rex, which);
}

static struct operands operands_at(const uint8_t *modrm, unsigned rex, bool is_byte)
{
	unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7, number = modrm[0] >> 3 & 7;
	struct operands o = { .rm = NO_REG, .digit = number, .reg = register_of(number, rex, REX_R, is_byte) };

	if (mod == 3) {
		o.rm = register_of(rm, rex, REX_B, is_byte);
	} else if (rm == 4) {
		unsigned base = modrm[1] & 7, index = extend(modrm[1] >> 3 & 7, rex, REX_X);

		if (index != 4)
			o.address |= bit((int)index);
		if (mod || base != 5)
			o.address |= bit((int)extend(base, rex, REX_B));
	} else if (mod || rm != 5) {
		o.address = bit((int)extend(rm, rex, REX_B));
	}
	return o;
}

/* Reads both operands, and changes the first one. But xor and sub of a register with itself only write it. */
static struct insn_regs arithmetic(const struct operands *o, bool clears)
{
	if (clears && o->reg == o->rm)
		return (struct insn_regs){ .writes = bit(o->reg) };
	return (struct insn_regs){ .reads = o->address | bit(o->reg) | bit(o->rm) };
}

static bool one_byte(uint8_t op, const struct operands *o, unsigned rex, struct insn_regs *ret)
{
	switch (op) {
	case 0x01: case 0x03: case 0x09: case 0x0b: case 0x11: case 0x13: case 0x21: case 0x23:
	case 0x38: case 0x39: case 0x3a: case 0x3b: case 0x84: case 0x85:
		*ret = arithmetic(o, false);
		return true;
	case 0x29: case 0x2b: case 0x31: case 0x33:
		*ret = arithmetic(o, true);
		return true;
	case 0x80: case 0x81: case 0x83: case 0xc0: case 0xc1: case 0xd0: case 0xd1:
		*ret = (struct insn_regs){ .reads = o->address | bit(o->rm) };
		return true;
	case 0xf6: case 0xf7:
		if (o->digit > 3)		/* mul and div also use ax and dx */
			return false;
		*ret = (struct insn_regs){ .reads = o->address | bit(o->rm) };
		return true;
	case 0x88: case 0x89:
		*ret = (struct insn_regs){ .reads = o->address | bit(o->reg), .writes = op == 0x89 ? bit(o->rm) : 0 };
		return true;
	case 0x8a: case 0x8b: case 0x63:
		*ret = (struct insn_regs){ .reads = o->address | bit(o->rm), .writes = op == 0x8a ? 0 : bit(o->reg) };
		return true;
	case 0x8d:
		*ret = (struct insn_regs){ .reads = o->address, .writes = bit(o->reg) };
		return true;
	case 0xc6: case 0xc7:
		*ret = (struct insn_regs){ .reads = o->address, .writes = op == 0xc7 ? bit(o->rm) : 0 };
		return true;
	default:
		if (op >= 0xb8 && op <= 0xbf) {
			*ret = (struct insn_regs){ .writes = bit((int)extend(op & 7, rex, REX_B)) };
			return true;
		}
		if ((op >= 0x50 && op <= 0x57) || op == 0x90 || (op >= 0x70 && op <= 0x7f)) {
			*ret = (struct insn_regs){ 0 };
			return true;
		}
		return false;
	}
}

static bool two_bytes(uint8_t op, const struct operands *o, struct insn_regs *ret)
{
	switch (op) {
	case 0x1e: case 0x1f:			/* endbr and nops */
		*ret = (struct insn_regs){ 0 };
		return true;
	case 0xb6: case 0xb7: case 0xbe: case 0xbf:
		*ret = (struct insn_regs){ .reads = o->address | bit(o->rm), .writes = bit(o->reg) };
		return true;
	case 0xa3:
		*ret = (struct insn_regs){ .reads = o->address | bit(o->rm) | bit(o->reg) };
		return true;
	case 0xba:
		*ret = (struct insn_regs){ .reads = o->address | bit(o->rm) };
		return true;
	default:
		if (op < 0x80 || op > 0x8f)
			return false;
		*ret = (struct insn_regs){ 0 };		/* jcc */
		return true;
	}
}

/* Is the first operand a byte? */
static bool is_byte(uint8_t op)
{
	return op == 0x38 || op == 0x3a || op == 0x80 || op == 0x84 || op == 0x88 || op == 0x8a || op == 0xc0 || op == 0xc6 ||
	       op == 0xd0 || op == 0xf6;
}

bool insn_regs(const uint8_t *bytes, unsigned len, struct insn_regs *ret)
{
	/* The copy is longer than an instruction, because ModR/M and SIB are read even if the instruction has none. */
	uint8_t copy[18] = { 0 };
	const uint8_t *at = copy;
	struct operands o;
	unsigned rex = 0;

	for (unsigned i = 0; i < len && i < 15; i++)
		copy[i] = bytes[i];
	while (*at == 0x66 || *at == 0x65 || *at == 0x2e || *at == 0x3e || *at == 0xf3)
		at++;
	if ((*at & 0xf0) == 0x40)
		rex = *at++;
	if (*at == 0x0f) {
		o = operands_at(at + 2, rex, false);
		/* movzx and movsx of a byte: only the source is a byte. */
		if ((at[1] & 0xf7) == 0xb6 && o.rm != NO_REG)
			o.rm = operands_at(at + 2, rex, true).rm;
		return two_bytes(at[1], &o, ret);
	}
	o = operands_at(at + 1, rex, is_byte(*at));
	return one_byte(*at, &o, rex, ret);
}

unsigned insn_params(uint32_t regs)
{
	static const uint8_t numbers[] = { 7, 6, 2, 1, 8, 9 };	/* di si dx cx r8 r9, as instructions number them */
	unsigned params = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++)
		params |= (unsigned)(regs >> numbers[i] & 1) << i;
	return params;
}
