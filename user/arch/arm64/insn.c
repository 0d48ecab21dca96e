// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn.c - arm64: no instruction is known yet, so bprobe refuses to trace (kernel_refusal).
 */
#include "arch/insn.h"

int insn_decode(const uint8_t *bytes, size_t avail, struct insn *ret)
{
	(void)bytes;
	(void)ret;
	return avail < INSN_MAX ? -1 : 0;
}

bool insn_regs(const uint8_t *bytes, unsigned len, struct insn_regs *ret)
{
	(void)bytes;
	(void)len;
	(void)ret;
	return false;
}

unsigned insn_params(uint32_t regs)
{
	return regs & ((1u << 8) - 1);
}
