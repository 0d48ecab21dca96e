/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - what the bytes of the kernel's code mean, as far as they must be known without decoding each instruction.
 *
 * Pure, like insn.h. Each CPU's header gives:
 *
 *	BREAKPOINT_NAME, A_BREAKPOINT		what people call the breakpoint that kprobes write: "int3" and "an int3"
 *	BREAKPOINT_SIZE				its bytes
 *	PROBE_JUMP_SIZE				bytes of the jump that the kernel writes over code for an optimised kprobe; 0: it has none
 *	STATIC_CALL_SIZE			bytes of code that the kernel patches for a static call
 *	NEAR_REACH				a branch over fewer bytes than this may be of a form that text_references() does not find
 *	TEXT_LEADS				a compiler that describes variables only from behind a function's landing pad, and the call of
 *						ftrace's behind it, begins at one of these distances from the function's first byte
 */
#ifndef ARCH_TEXT_H
#define ARCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "arch/x86_64/text.h"
#elif defined(__aarch64__)
#include "arch/arm64/text.h"
#endif

/* What the first bytes of a function tell. Tests print these numbers. */
enum entry {
	ENTRY_UNSEEN,		/* these bytes were not in the memory that was read */
	ENTRY_PLAIN,		/* no landing pad */
	ENTRY_PAD,		/* a landing pad: may be called through a pointer */
	ENTRY_SEALED,		/* a landing pad that the kernel overwrote: nobody takes the function's address */
};

/* Looks at the ENTRY_PAD_SIZE bytes at @bytes. A kprobe's breakpoint over the first one does not matter. */
enum entry text_entry(const uint8_t *bytes);

/* Are the BREAKPOINT_SIZE bytes at @at the breakpoint that kprobes write? Compilers may use it as padding. */
bool text_is_breakpoint(const uint8_t *at);

/* Is the instruction of @len bytes at @at a nop, in one of the lengths that compilers and assemblers use for padding? */
bool text_is_filler(const uint8_t *at, uint8_t len);

/* ---- references ---- */

/* What is searched for: 32 bits tell addresses of code apart (KERNEL_CODE_FIRST). */
struct text_search {
	uint32_t low, span;		/* of the addresses [low, low + span] ... */
	const uint8_t *filter;		/* ... those whose bit is set here: TEXT_FILTER_BITS bits, see text_filter_has() */
	void (*branch)(void *ctx, uint64_t to, uint64_t place);		/* an instruction at or before @place calls or jumps to @to */
	void (*address)(void *ctx, uint64_t value, uint64_t place);	/* ... or makes this address */
	void *ctx;
};

/* The filter has one bit for each address modulo TEXT_FILTER_BITS: 1 MiB. */
#define TEXT_FILTER_BITS	((uint32_t)1 << 23)

static inline bool text_filter_has(const uint8_t *filter, uint32_t addr)
{
	addr &= TEXT_FILTER_BITS - 1;
	return filter[addr / 8] >> addr % 8 & 1;
}

/*
 * Searches the @len bytes of code from address @base for references that begin at bytes[@from] or behind it. The bytes before it only
 * show what instruction they belong to. A kprobe's breakpoint may be over the first byte of the instruction. What is found by chance, in bytes
 * that are no such instruction, is found, too.
 */
void text_references(const struct text_search *s, const uint8_t *bytes, size_t from, size_t len, uint64_t base);

/*
 * The kernel may let all direct calls of a function go to an instruction in the padding before it. The index of that instruction in the
 * @len bytes of padding; -1: there is none.
 */
int text_find_thunk(const uint8_t *padding, size_t len);

#endif
