// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c - x86-64: what the bytes of the kernel's code mean.
 *
 * (Intel SDM, vol. 2, appendix A: opcode maps.)
 */
#include "arch/text.h"

#include <string.h>

#include "arch/kernel.h"
#include "base/macros.h"

enum { INT3 = 0xcc };

/*
 * An entry can begin with ENDBR64, or with the instruction that the kernel writes over it if nobody takes the
 * function's address: "osp nopl (%rax)" up to 6.15, "nopl -42(%rax)" since (arch/x86/include/asm/ibt.h,
 * gen_endbr_poison()).
 */
enum entry text_entry(const uint8_t *bytes)
{
	static const uint8_t endbr[ENTRY_PAD_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t sealed[][ENTRY_PAD_SIZE] = { { 0x66, 0x0f, 0x1f, 0x00 }, { 0x0f, 0x1f, 0x40, 0xd6 } };
	uint8_t seen[ENTRY_PAD_SIZE];

	memcpy(seen, bytes, sizeof(seen));
	for (size_t i = 0; i <= ARRAY_SIZE(sealed); i++) {
		const uint8_t *known = i ? sealed[i - 1] : endbr;

		if ((seen[0] == known[0] || seen[0] == INT3) && !memcmp(seen + 1, known + 1, sizeof(seen) - 1))
			return i ? ENTRY_SEALED : ENTRY_PAD;
	}
	return ENTRY_PLAIN;
}

bool text_is_breakpoint(uint8_t byte)
{
	return byte == INT3;
}

bool text_is_filler(const uint8_t *at, uint8_t len)
{
	while (len > 1 && (*at == 0x66 || *at == 0x2e)) {
		at++;
		len--;
	}
	return *at == 0x90 || (len > 2 && at[0] == 0x0f && at[1] == 0x1f);
}

/* A call or jump, a jcc with its two bytes of opcode, or a lea. If a kprobe is on it, an int3 is over its first byte. */
enum operand text_relative_at(const uint8_t *bytes, size_t i)
{
	uint8_t last = i > 0 ? bytes[i - 1] : 0, before = i > 1 ? bytes[i - 2] : 0;

	if (last == 0xe8 || last == 0xe9 || last == INT3 || ((before == 0x0f || before == INT3) && (last & 0xf0) == 0x80))
		return OPERAND_BRANCH;
	return before == 0x8d && (last & 0xc7) == 0x05 ? OPERAND_ADDRESS : OPERAND_NONE;
}

/*
 * These are mov to a register or to memory (c7 and its operand, 2 to 7 bytes in all), cmp and add likewise (81), push, and
 * movabs (this is the lower half of its address). Other matches are chance, or bytes of other instructions: "test %al,%al; je"
 * reads 84 c0 0f 84, and 81 may follow.
 */
bool text_immediate_at(const uint8_t *bytes, size_t i)
{
	static const uint8_t operands[] = { 2, 3, 4, 6, 7 };
	uint8_t last = i > 0 ? bytes[i - 1] : 0, before = i > 1 ? bytes[i - 2] : 0;

	if (last == 0x68 || last == 0x3d || last == 0x05)
		return true;
	if ((last & 0xf8) == 0xb8 && (before & 0xfe) == 0x48)
		return true;
	for (size_t k = 0; k < sizeof(operands) && operands[k] <= i; k++) {
		uint8_t opcode = bytes[i - operands[k]];

		if (opcode == 0xc7 || opcode == 0x81)
			return true;
	}
	return false;
}

/* The instruction shifts the depth: "sarq $5, %gs:...". */
int text_find_thunk(const uint8_t *padding, size_t len)
{
	static const uint8_t sarq[] = { 0x65, 0x48, 0xc1 };

	for (size_t i = 0; i + sizeof(sarq) <= len; i++) {
		if (!memcmp(padding + i, sarq, sizeof(sarq)))
			return (int)i;
	}
	return -1;
}
