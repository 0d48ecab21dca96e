/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - what the bytes of the kernel's code mean, as far as they must be known without decoding each instruction.
 *
 * Pure, like insn.h.
 */
#ifndef ARCH_TEXT_H
#define ARCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the first bytes of a function tell. Tests print these numbers. */
enum entry {
	ENTRY_UNSEEN,		/* these bytes were not in the memory that was read */
	ENTRY_PLAIN,		/* no landing pad */
	ENTRY_PAD,		/* a landing pad: may be called through a pointer */
	ENTRY_SEALED,		/* a landing pad that the kernel overwrote: nobody takes the function's address */
};

/* Looks at the ENTRY_PAD_SIZE bytes at @bytes. A kprobe's breakpoint over the first one does not matter. */
enum entry text_entry(const uint8_t *bytes);

/* Is @byte the breakpoint that kprobes write, which is also padding? */
bool text_is_breakpoint(uint8_t byte);

/* Is the instruction of @len bytes at @at a nop, in one of the lengths that compilers and assemblers use for padding? */
bool text_is_filler(const uint8_t *at, uint8_t len);

/* The instruction that a relative operand belongs to. */
enum operand { OPERAND_NONE, OPERAND_BRANCH, OPERAND_ADDRESS };

/*
 * What a 32-bit operand at bytes[@i] belongs to, by the bytes before it, if it is relative to its own end: a call or a jump, or an
 * instruction that computes an address. A kprobe's breakpoint may be over the first byte of the instruction.
 */
enum operand text_relative_at(const uint8_t *bytes, size_t i);

/* Does a 32-bit immediate begin at bytes[@i], of an instruction that may hold an address? */
bool text_immediate_at(const uint8_t *bytes, size_t i);

/*
 * With call depth tracking (6.2, arch/x86/kernel/callthunks.c; retbleed=stuff), all direct calls go to an instruction in the
 * padding before a function. The index of that instruction in the @len bytes of padding; -1: there is none.
 */
int text_find_thunk(const uint8_t *padding, size_t len);

#endif
