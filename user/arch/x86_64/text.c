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
#include "base/scan.h"

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

bool text_is_breakpoint(const uint8_t *at)
{
	return *at == INT3;
}

bool text_is_filler(const uint8_t *at, uint8_t len)
{
	while (len > 1 && (*at == 0x66 || *at == 0x2e)) {
		at++;
		len--;
	}
	return *at == 0x90 || (len > 2 && at[0] == 0x0f && at[1] == 0x1f);
}

/* ---- references ---- */

/* The instruction that a relative operand belongs to. */
enum operand { OPERAND_NONE, OPERAND_BRANCH, OPERAND_ADDRESS };

/*
 * What a 32-bit operand at bytes[@i] belongs to, by the bytes before it, if it is relative to its own end.
 *
 * A call or jump, a jcc with its two bytes of opcode, or a lea. If a kprobe is on it, an int3 is over its first byte.
 */
static enum operand relative_at(const uint8_t *bytes, size_t i)
{
	uint8_t last = i > 0 ? bytes[i - 1] : 0, before = i > 1 ? bytes[i - 2] : 0;

	if (last == 0xe8 || last == 0xe9 || last == INT3 || ((before == 0x0f || before == INT3) && (last & 0xf0) == 0x80))
		return OPERAND_BRANCH;
	return before == 0x8d && (last & 0xc7) == 0x05 ? OPERAND_ADDRESS : OPERAND_NONE;
}

/*
 * Does a 32-bit immediate begin at bytes[@i], of an instruction that may hold an address?
 *
 * These are mov to a register or to memory (c7 and its operand, 2 to 7 bytes in all), cmp and add likewise (81), push, and
 * movabs (this is the lower half of its address). Other matches are chance, or bytes of other instructions: "test %al,%al; je"
 * reads 84 c0 0f 84, and 81 may follow.
 */
static bool immediate_at(const uint8_t *bytes, size_t i)
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

/* The operand at @i is relative to its own end. */
static void found_relative(const struct text_search *s, const uint8_t *bytes, size_t i, uint64_t value, uint64_t place)
{
	enum operand operand = relative_at(bytes, i);

	if (operand == OPERAND_BRANCH)
		s->branch(s->ctx, value, place);
	else if (operand == OPERAND_ADDRESS)
		s->address(s->ctx, value, place);
}

/* Checks the operand at @i alone, in both ways of reading it. */
static void check_operand(const struct text_search *s, const uint8_t *bytes, size_t i, uint64_t base)
{
	uint64_t value = scan_address(bytes + i), place = base + i;

	if (text_filter_has(s->filter, (uint32_t)value) && immediate_at(bytes, i))
		s->address(s->ctx, value, place);
	value += place + 4;
	if (text_filter_has(s->filter, (uint32_t)value))
		found_relative(s, bytes, i, value, place);
}

/* Checks the relative operands among 16 places; @in: scan_near_relative(). */
static inline void check_relative(const struct text_search *s, const uint8_t *bytes, size_t i, uint64_t base, unsigned in)
{
	for (; in; in &= in - 1) {
		size_t at = i + scan_near_place((unsigned)__builtin_ctz(in));
		uint64_t value = scan_address(bytes + at) + base + at + 4;

		if (__builtin_expect(text_filter_has(s->filter, (uint32_t)value), 0))
			found_relative(s, bytes, at, value, base + at);
	}
}

static inline void check_absolute(const struct text_search *s, const uint8_t *bytes, size_t i, uint64_t base, unsigned in)
{
	for (; in; in &= in - 1) {
		size_t at = i + scan_near_place((unsigned)__builtin_ctz(in));
		uint64_t value = scan_address(bytes + at);

		if (__builtin_expect(text_filter_has(s->filter, (uint32_t)value), 0) && immediate_at(bytes, at))
			s->address(s->ctx, value, base + at);
	}
}

void text_references(const struct text_search *s, const uint8_t *bytes, size_t from, size_t len, uint64_t base)
{
	struct scan_near near = scan_near_start(s->low, s->span, (uint32_t)(base + from + 4));
	size_t i = from;

	for (; i + 19 <= len; i += 16) {
		check_relative(s, bytes, i, base, scan_near_relative(&near, bytes + i));
		check_absolute(s, bytes, i, base, scan_near_absolute(&near));
	}
	for (; i + 4 <= len; i++)
		check_operand(s, bytes, i, base);
}

/* Call depth tracking (6.2, arch/x86/kernel/callthunks.c; retbleed=stuff). The instruction shifts the depth: "sarq $5, %gs:...". */
int text_find_thunk(const uint8_t *padding, size_t len)
{
	static const uint8_t sarq[] = { 0x65, 0x48, 0xc1 };

	for (size_t i = 0; i + sizeof(sarq) <= len; i++) {
		if (!memcmp(padding + i, sarq, sizeof(sarq)))
			return (int)i;
	}
	return -1;
}
