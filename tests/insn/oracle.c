// SPDX-License-Identifier: GPL-2.0-only
/*
 * oracle.c - Zydis, asked for lengths, flows and targets in the words of arch/insn.h.
 */
#include <Zydis/Zydis.h>

#include "oracle.h"

const char *const oracle_why_names[WHY_NR] = {
	[WHY_UNKNOWN] = "unknown opcode",
	[WHY_LOCK] = "lock",
	[WHY_PREFIX] = "prefix before a vector",
	[WHY_MAP] = "unknown map",
	[WHY_REGISTER] = "no such register",
	[WHY_VECTOR] = "bits of EVEX",
	[WHY_KNC] = "Knights Corner's",
	[WHY_LONG] = "too long",
	[WHY_OTHER] = "other",
};

static ZydisDecoder decoder;

void oracle_init(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static enum oracle_why why(ZyanStatus status)
{
	switch (status) {
	case ZYDIS_STATUS_DECODING_ERROR:
		return WHY_UNKNOWN;
	case ZYDIS_STATUS_ILLEGAL_LOCK:
		return WHY_LOCK;
	case ZYDIS_STATUS_ILLEGAL_LEGACY_PFX:
	case ZYDIS_STATUS_ILLEGAL_REX:
		return WHY_PREFIX;
	case ZYDIS_STATUS_INVALID_MAP:
		return WHY_MAP;
	case ZYDIS_STATUS_BAD_REGISTER:
		return WHY_REGISTER;
	case ZYDIS_STATUS_MALFORMED_EVEX:
	case ZYDIS_STATUS_MALFORMED_MVEX:
	case ZYDIS_STATUS_INVALID_MASK:
		return WHY_VECTOR;
	case ZYDIS_STATUS_INSTRUCTION_TOO_LONG:
		return WHY_LONG;
	default:
		return WHY_OTHER;
	}
}

static enum insn_flow flow(const ZydisDecodedInstruction *zi)
{
	bool relative = zi->raw.imm[0].is_relative;

	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
		return relative ? INSN_CALL : INSN_CALL_INDIRECT;
	case ZYDIS_MNEMONIC_JMP:
		return relative ? INSN_JMP : INSN_JMP_INDIRECT;
	case ZYDIS_MNEMONIC_RET:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_RSM:
	case ZYDIS_MNEMONIC_UIRET:
		return INSN_RET;
	case ZYDIS_MNEMONIC_INT3:
		return INSN_BREAKPOINT;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return INSN_UNDEFINED;
	default:
		return relative ? INSN_JCC : INSN_NEXT;
	}
}

static bool is_knights_corner(const ZydisDecodedInstruction *zi)
{
	return zi->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX || zi->meta.isa_ext == ZYDIS_ISA_EXT_KNC ||
	       zi->meta.isa_ext == ZYDIS_ISA_EXT_KNCE || zi->meta.isa_ext == ZYDIS_ISA_EXT_KNCV;
}

struct answer oracle_ask(const uint8_t *bytes, size_t avail)
{
	ZydisDecodedInstruction zi;
	ZyanStatus status = ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, avail, &zi);
	struct answer ret = { 0 };

	if (!ZYAN_SUCCESS(status)) {
		ret.why = why(status);
		return ret;
	}
	if (is_knights_corner(&zi)) {
		ret.why = WHY_KNC;
		return ret;
	}
	ret.len = zi.length;
	ret.insn.len = zi.length;
	ret.insn.flow = flow(&zi);
	ret.insn.rel = zi.raw.imm[0].is_relative ? (int32_t)zi.raw.imm[0].value.s : 0;
	return ret;
}
