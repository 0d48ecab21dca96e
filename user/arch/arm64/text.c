// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c - arm64: what the bytes of the kernel's code mean. References are not found yet, so bprobe refuses to trace (kernel_refusal).
 */
#include "arch/text.h"

#include <string.h>

enum { BTI_C = 0xd503245f, PACIASP = 0xd503233f, NOP = 0xd503201f, BRK_KPROBES = 0xd4200080 };

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

enum entry text_entry(const uint8_t *bytes)
{
	uint32_t word = word_at(bytes);

	return word == (uint32_t)BTI_C || word == (uint32_t)PACIASP ? ENTRY_PAD : ENTRY_PLAIN;
}

bool text_is_breakpoint(const uint8_t *at)
{
	return word_at(at) == (uint32_t)BRK_KPROBES;
}

bool text_is_filler(const uint8_t *at, uint8_t len)
{
	return len == 4 && word_at(at) == (uint32_t)NOP;
}

void text_references(const struct text_search *s, const uint8_t *bytes, size_t from, size_t len, uint64_t base)
{
	(void)s;
	(void)bytes;
	(void)from;
	(void)len;
	(void)base;
}

int text_find_thunk(const uint8_t *padding, size_t len)
{
	(void)padding;
	(void)len;
	return -1;
}
