// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn.c - the length of the instruction at given bytes, and where it jumps to.
 *
 * An opcode has a form (insn_table.h), which tells what follows it. Nearly all instructions that compilers generate
 * from C are at most a REX and an opcode of one of two maps. Such an instruction is never longer than INSN_MAX bytes,
 * so if so many bytes are available, no bounds are checked. Everything else is decoded in a copy with zeroes after it.
 * That always ends, because zero is an opcode and not a prefix.
 *
 * Only the length must be right. So it also accepts instructions that raise #UD but have a known length: lock before an
 * instruction that cannot be locked, reserved numbers after an existing opcode, and any opcode after 0F 38, 0F 3A, VEX,
 * EVEX and XOP, because new instructions are still added to those maps. If Intel and AMD differ, the length is Intel's:
 * 66 does not shorten jumps and calls.
 *
 * INSN_CALL is call rel32; INSN_JMP is jmp rel8 and rel32; INSN_JCC is jcc, loop, jrcxz and xbegin. INSN_CALL_INDIRECT and
 * INSN_JMP_INDIRECT are far ones, too. INSN_RET is ret, lret, iret, sysret, sysexit, eretu and rsm. INSN_BREAKPOINT is int3, and
 * INSN_UNDEFINED is ud0, ud1, ud2 and udb.
 */
#include <stdbool.h>

#include "arch/x86_64/insn_table.h"
#include "base/macros.h"

/* The size of ModRM byte, SIB byte and displacement together, indexed by the ModRM byte. */
#define SIB_DISP	0x80		/* the base in the SIB byte can require four more bytes */
#define EIGHT(...)	__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, \
			__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__

static const uint8_t modrm_size[256] = {
	EIGHT(1, 1, 1, 1, 2 | SIB_DISP, 5, 1, 1),
	EIGHT(2, 2, 2, 2, 3, 2, 2, 2),
	EIGHT(5, 5, 5, 5, 6, 5, 5, 5),
	EIGHT(1, 1, 1, 1, 1, 1, 1, 1),
};

/* The state while prefixes and opcode are read. */
struct cursor {
	const uint8_t *at;	/* the next byte */
	unsigned seen;		/* enum insn_seen */
	unsigned rex;		/* not 0: the last prefix was a REX or REX2 */
};

/*
 * Map 1 of VEX and EVEX: opcodes with an immediate in map 0F have one here too. The row of the jumps is refused: it
 * never contained anything but the jumps of Knights Corner, which was not x86-64.
 */
static unsigned form_vector_0f(unsigned op)
{
	bool imm = (op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6);

	return op >> 4 == 8 ? STEP_REFUSE : FORM_MODRM | imm;
}

/*
 * What follows @op in a map of VEX. Reserved opcodes are treated as if they existed: all opcodes of a map have one
 * form, and kernels can be newer than this code.
 */
static unsigned form_vex(unsigned map, unsigned op)
{
	switch (map) {
	case 1:
		return op == 0x77 ? 0 : form_vector_0f(op);	/* vzeroupper, vzeroall */
	case 2:
	case 5:				/* AMX with 8-bit floats */
		return FORM_MODRM;
	case 3:
		return FORM_MODRM | 1;
	case 7:
		return FORM_MODRM | 4;	/* urdmsr and similar: the register's number */
	default:
		return STEP_REFUSE;
	}
}

/* Map 4 of EVEX: the opcodes that APX took from the one-byte map, and a few more. */
static unsigned form_apx(unsigned op)
{
	switch (op) {
	case 0x24: case 0x2c: case 0x6b: case 0x80: case 0x83: case 0xc0: case 0xc1:
		return FORM_MODRM | 1;
	case 0x69: case 0x81:
		return FORM_MODRM | FORM_Z | 4;
	case 0xf6: case 0xf7:
		return insn_one[op];
	default:
		return FORM_MODRM;
	}
}

static unsigned form_evex(unsigned map, unsigned op)
{
	switch (map) {
	case 1:
		return form_vector_0f(op);
	case 4:
		return form_apx(op);
	case 6:				/* 16-bit floats, as map 5 */
		return FORM_MODRM;
	default:
		return form_vex(map, op);
	}
}

/* C4 and C5, and 8F if it is XOP: five bits choose the map; C5 has map 0F. */
static unsigned after_vex(struct cursor *c, unsigned step)
{
	unsigned map = step == STEP_VEX2 ? 1 : *c->at++ & 0x1f, op;

	if (step == STEP_XOP ? map > 10 : form_vex(map, 0) == STEP_REFUSE)
		return STEP_REFUSE;
	c->at++;			/* a register, and a legacy prefix */
	op = *c->at++;
	if (step != STEP_XOP)
		return form_vex(map, op);
	return FORM_MODRM | (map == 8 ? 1 : map == 9 ? 0 : 4);
}

/*
 * 62: three bits choose the map. W and a legacy prefix are in the second byte. Some bits used to be fixed (3 of the
 * first byte, 2 of the second); with APX they belong to numbers of registers.
 */
static unsigned after_evex(struct cursor *c)
{
	unsigned map = *c->at++ & 7, second;

	if (!map)
		return STEP_REFUSE;
	second = *c->at++;
	c->seen |= (second & 0x80 ? SEEN_W : 0) | ((second & 3) == 1 ? SEEN_66 : 0);
	c->at++;
	return form_evex(map, *c->at++);
}

/*
 * D5: the payload is like that of REX, with the map in its highest bit. Whole rows of both maps are refused, except
 * jmpabs. So are opcodes that lead to other maps.
 */
static unsigned after_rex2(struct cursor *c)
{
	unsigned payload = *c->at++, op, row, form;

	op = *c->at++;
	row = op >> 4;
	c->rex = 0x40 | payload;
	c->seen |= payload & 8 ? SEEN_W : 0;
	if (payload & 0x80)
		return row == 3 || row == 8 ? STEP_REFUSE : insn_0f[op];
	if (op == 0xa1)
		return 8 | FORM_FLOWS(INSN_JMP_INDIRECT);
	form = insn_one[op];
	if (row == 4 || row == 7 || row == 10 || row == 14 || (form & FORM_STEP) > STEP_GROUP)
		return STEP_REFUSE;
	return form;
}

static unsigned after_0f(struct cursor *c)
{
	unsigned form = insn_0f[*c->at++], step = form & FORM_STEP;

	if (step != STEP_0F38 && step != STEP_0F3A)
		return form;
	c->at++;			/* each of these two maps has only one form */
	return FORM_MODRM | (step == STEP_0F3A);
}

/* VEX, EVEX and XOP contain REX and the opcodes' prefixes themselves, so after such a prefix they raise #UD. */
static bool may_be_vector(const struct cursor *c)
{
	return !c->rex && !(c->seen & (SEEN_66 | SEEN_LOCK | SEEN_REPS));
}

/* Reads all prefixes and the opcode; returns its form. A REX counts only if it is the last prefix. */
static unsigned read_opcode(struct cursor *c)
{
	unsigned form, step;

	for (;; c->at++) {
		form = insn_one[*c->at];
		step = form & FORM_STEP;
		if (step == STEP_REX) {
			c->rex = *c->at;
		} else if (step == STEP_PREFIX) {
			c->rex = 0;
			c->seen &= form & SEEN_REPS ? ~SEEN_REPS : ~0;
			c->seen |= form & FORM_LOW;
		} else {
			break;
		}
	}
	c->at++;
	c->seen |= c->rex & 8 ? SEEN_W : 0;
	switch (step) {
	case STEP_0F:
		return after_0f(c);
	case STEP_REX2:
		return c->rex ? STEP_REFUSE : after_rex2(c);
	case STEP_VEX2:
	case STEP_VEX3:
		return may_be_vector(c) ? after_vex(c, step) : STEP_REFUSE;
	case STEP_EVEX:
		return may_be_vector(c) ? after_evex(c) : STEP_REFUSE;
	default:
		return form;
	}
}

/* The form of an opcode in @group (of STEP_GROUP), or STEP_XOP. */
static unsigned choose(unsigned group, unsigned modrm, unsigned seen)
{
	unsigned reg = modrm >> 3 & 7;

	switch (group & FORM_LOW) {
	case GROUP_F6:
		return FORM_MODRM | (reg < 2);			/* test */
	case GROUP_F7:
		return FORM_MODRM | (reg < 2 ? FORM_Z | 4 : 0);
	case GROUP_FE:
		return reg < 2 ? FORM_MODRM : STEP_REFUSE;
	case GROUP_FF:
		if (reg == 7 || (modrm >= 0xc0 && (reg == 3 || reg == 5)))
			return STEP_REFUSE;			/* far calls and jumps need memory */
		return FORM_MODRM | (reg == 2 || reg == 3 ? FORM_FLOWS(INSN_CALL_INDIRECT) :
				     reg == 4 || reg == 5 ? FORM_FLOWS(INSN_JMP_INDIRECT) : 0);
	case GROUP_8F:
		return reg == 0 ? FORM_MODRM : (modrm & 0x1f) >= 8 ? STEP_XOP : STEP_REFUSE;
	case GROUP_C6:
		return reg == 0 || modrm == 0xf8 ? FORM_MODRM | 1 : STEP_REFUSE;	/* xabort */
	case GROUP_C7:
		if (modrm == 0xf8)				/* xbegin: the address it aborts to */
			return FORM_MODRM | FORM_Z | 4 | FORM_FLOWS(INSN_JCC);
		return reg == 0 ? FORM_MODRM | FORM_Z | 4 : STEP_REFUSE;
	case GROUP_0F01:
		if ((modrm == 0xca && seen & SEEN_REPS) ||	/* erets, eretu */
		    (modrm == 0xec && seen & SEEN_F3))		/* uiret */
			return FORM_MODRM | FORM_FLOWS(INSN_RET);
		return FORM_MODRM;
	case GROUP_0F78:					/* vmread; AMD's extrq, insertq */
		if (seen & SEEN_F3)
			return STEP_REFUSE;
		return FORM_MODRM | (seen & (SEEN_66 | SEEN_F2) ? 2 : 0);
	default:						/* 0F B8: popcnt */
		return seen & SEEN_F3 ? FORM_MODRM : STEP_REFUSE;
	}
}

static unsigned immediates(unsigned form, unsigned seen)
{
	unsigned size = form & FORM_IMM;

	if (!(form & FORM_VARIES))
		return size;
	if (form & FORM_ADDRESS)
		return seen & SEEN_67 ? 4 : 8;
	if (seen & SEEN_W)
		return form & FORM_V ? 8 : 4;
	return seen & SEEN_66 ? 2 : 4;
}

static int32_t relative(const uint8_t *at, unsigned size)
{
	int16_t word;
	int32_t dword;

	if (size == 1)
		return (int8_t)*at;
	if (size == 2) {
		memcpy(&word, at, sizeof(word));
		return word;
	}
	memcpy(&dword, at, sizeof(dword));
	return dword;
}

/* The instruction at @bytes has @form; its opcode ends before @at. */
static inline int measure(const uint8_t *bytes, const uint8_t *at, unsigned form, unsigned seen,
			  struct insn *ret)
{
	unsigned size, flow = form >> FORM_FLOW_SHIFT;

	if (form & FORM_MODRM) {
		size = modrm_size[at[0]];
		if (size & SIB_DISP)
			size = (at[1] & 7) == 5 ? 6 : 2;
		at += size;
	}
	size = immediates(form, seen);
	ret->len = at + size - bytes;
	ret->flow = flow;
	ret->rel = flow >= INSN_CALL && flow <= INSN_JCC ? relative(at, size) : 0;
	return at + size - bytes;
}

/* Decodes any instruction, also if fewer than INSN_MAX bytes may be read. */
static NOINLINE int decode_copy(const uint8_t *bytes, size_t avail, struct insn *ret)
{
	uint8_t copy[INSN_MAX + 17] = { 0 };
	struct cursor c = { .at = copy };
	struct insn insn;
	unsigned form;

	avail = MIN(avail, (size_t)INSN_MAX);
	memcpy(copy, bytes, avail);
	form = read_opcode(&c);
	if ((form & FORM_STEP) == STEP_GROUP)
		form = choose(form, *c.at, c.seen);
	if (form == STEP_XOP)
		form = may_be_vector(&c) ? after_vex(&c, form) : STEP_REFUSE;
	/* If only a zero after the copied bytes caused the refusal, another byte there could make it an instruction. */
	if (form == STEP_REFUSE)
		return c.at > copy + avail && avail < INSN_MAX ? -1 : 0;
	if ((size_t)measure(copy, c.at, form, c.seen, &insn) > avail)
		return avail < INSN_MAX ? -1 : 0;
	*ret = insn;
	return insn.len;
}

/* For insn_decode(): it need not save registers as long as its calls are the last thing that it does. */
static NOINLINE int decode_group(const uint8_t *bytes, size_t avail, const uint8_t *at,
				 unsigned form, unsigned seen, struct insn *ret)
{
	form = choose(form, *at, seen);
	if (form & FORM_STEP)
		return decode_copy(bytes, avail, ret);
	return measure(bytes, at, form, seen, ret);
}

int insn_decode(const uint8_t *bytes, size_t avail, struct insn *ret)
{
	const uint8_t *at = bytes;
	unsigned form, seen = 0;

	if (avail < INSN_MAX)
		return decode_copy(bytes, avail, ret);
	form = insn_one[*at++];
	if (form >= STEP_GROUP) {
		if (form == STEP_REX) {
			seen = at[-1] & 8 ? SEEN_W : 0;
			form = insn_one[*at++];
		}
		if (form == STEP_0F)
			form = insn_0f[*at++];
		if (form >= STEP_REFUSE)
			return decode_copy(bytes, avail, ret);
		if (form >= STEP_GROUP)
			return decode_group(bytes, avail, at, form, seen, ret);
	}
	return measure(bytes, at, form, seen, ret);
}
