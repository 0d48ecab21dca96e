/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * emit_priv.h - what the files that emit fetch code share.
 *
 * Registers while the body runs:
 *
 *	r6  the context			r8  bytes of strings so far (at first: the saved parameters)
 *	r7  the record			r9  BP_FETCH_* bits
 *	r3  the value or the address of the argument being fetched
 *
 * Code for rare cases (a fault, a cut string) stands behind the body and jumps back, so that the hot path falls
 * through. Where two paths meet, the verifier skips the second one if its state is contained in the first one's.
 * So each path leaves values in r8 and r9 that the hot path can have, too. Then the verifier checks the code behind
 * that point once, and not once for each path that leads there.
 */
#ifndef GEN_EMIT_PRIV_H
#define GEN_EMIT_PRIV_H

#include "bprobe_abi.h"
#include "gen/count_code.h"
#include "gen/emit.h"
#include "gen/fetch.h"
#include "gen/limit.h"

/* Words of the BPF stack. */
enum {
	SPILL = -8,		/* a value that the next read needs */
	ARRAY = -16,		/* address of an array's next element */
	SAVED = -24,		/* address of the parameters that were saved at the entry */
	ASIDE = -32,		/* put aside: the old value of the register that counts elements in a loop; then bytes of all strings */
	MARKS = -40,		/* marks of the elements so far, the latest in bit 63 */
	LIVE = -48,		/* -1: string[*] has not ended yet, else 0 */
	PRESENT = -56,		/* -1: string[*] has this string, else 0 */
	LENGTH = ASIDE,		/* a buffer's length, while it is read: no loop, and not behind the strings */
	FULL = -EMIT_STACK,	/* -1: there is no space left for this string, else 0 */
	/* Until a field's address is known, the words from MARKS to FULL are those of a calculation (FETCH_CALC_WORDS). */
};

enum { EMIT_BLOCK_MOST = 110 };	/* bytes of struct sockaddr_un, the longest that is known by name */

enum cold_kind {
	COLD_FAULT,			/* the value could not be read */
	COLD_ARRAY_FAULT,		/* no element of the array could be read */
	COLD_ELEMENTS,			/* the array could not be read at once */
	COLD_NO_STRING,			/* a string's helper returned 0 or an error */
	COLD_CUT,			/* a string filled the largest possible space */
	COLD_FULL,			/* the record has no space left for a string */
	COLD_FILLED,			/* a string filled its short space */
	COLD_FILLED_ARRAY,		/* the same in an array, whose loop uses r6 */
	COLD_BLOCK,			/* a block could not be read at once */
	COLD_PATH,			/* a path is longer than its space, or is marked */
	COLD_NO_LENGTH,			/* a buffer's length is below 0 */
	COLD_LONGER,			/* a buffer is longer than the most that is read */
	COLD_BUFFER,			/* a buffer could not be read at once */
	COLD_KERNEL_STRING,		/* the address is not in the user half of the address space */
};

struct cold_jump {
	struct cold_jump *next;
	unsigned jump;
};

struct cold {
	struct cold *next;
	enum cold_kind kind;
	struct cold_jump *jumps;	/* the jumps that go here */
	unsigned back;			/* where it resumes, behind the element */
	unsigned store;			/* where a string of r0 bytes is stored; BLOCK: behind the read */
	bool more;			/* more strings come behind this one */
	const struct layout_field *field;
	const struct fetch *fetch;
};

struct emitter {
	struct code *code;
	const struct plan *plan;
	bool is_long;			/* the code is a function of its own, which returns */
	int stack;			/* stack bytes of the surrounding program: the words in the enum lie below these */
	bool begun;			/* a string was emitted; else r8 is 0 */
	unsigned left;			/* number of strings to come; behind the last one r8 is not needed */
	bool may_be_full;		/* there may be no space for a string */
	bool tests;			/* code between the strings and the stacks uses r8; the word ASIDE has its value */
	uint32_t fixed;			/* bytes of those strings to come that cannot grow */
	struct counter *counter;	/* counts the hit by its record; NULL: nothing is counted here */
	unsigned counted;		/* the jump of a counted hit over what only a record needs; 0: there is none */
	unsigned uncounted;		/* index of what follows for a hit that could not be counted */
	unsigned faulted;		/* the jump of a hit with values that may be cold; 0: nobody counts them */
	unsigned end;			/* index behind the hot part */
	struct cold *cold;		/* the latest first */
	const struct limit_jump *limited;	/* jumps of hits that a limit drops */
	const struct layout_field *field;	/* the field being emitted */
	const struct fetch *fetch;
	struct fetcher fetcher;
	enum cold_kind failing;
};

static inline int16_t emit_word(const struct emitter *e, int which)
{
	return (int16_t)(which - e->stack);
}

static inline int16_t emit_slot(const struct layout_field *f)
{
	return (int16_t)(BP_BODY_OFF + f->off);
}

/* Where the strings begin in the record. */
static inline int16_t emit_strings(const struct emitter *e)
{
	return (int16_t)(BP_BODY_OFF + e->plan->layout.dyn_off);
}

static inline bool emit_reads_user(const struct fetch *f)
{
	return f->nr_derefs && f->derefs[f->nr_derefs - 1].user;
}

/* Where paths are made, in bytes from the record's start. */
static inline int32_t emit_path_room(const struct emitter *e)
{
	return (int32_t)(e->is_long ? e->plan->layout.long_size : e->plan->layout.short_size);
}

/* Does the record give back what it does not need? Then it must be known how much its strings take. */
static inline bool emit_shrinks(const struct emitter *e)
{
	return e->is_long || count_gives_back(e->plan);
}

/* emit.c */

/* @jump goes to cold code behind the body. That code resumes behind the element, unless the caller sets another place. */
struct cold *emit_cold_jump(struct emitter *e, enum cold_kind kind, unsigned jump);

/* The same, and the code resumes here. @jump is the last instruction. */
void emit_cold_detour(struct emitter *e, enum cold_kind kind, unsigned jump);

/* read(dst = r1, size, r3), with a jump to cold code of @kind if it fails. */
void emit_read(struct emitter *e, unsigned bytes, bool user, enum cold_kind kind);

/* Sets r3 to the value, or with derefs to the address that the last one reads. */
void emit_address(struct emitter *e, const struct fetch *f, enum cold_kind kind);

/* r1 becomes the bits of r1 that the bit-field of @f names. */
void emit_bit_field(struct code *c, const struct layout_field *f);

/* Bytes that a string may take in this body, with its NUL. */
uint32_t emit_string_room(const struct emitter *e);

/* The largest r8 that leaves space for a string of emit_string_room(); -1: r8 is never too large. */
int32_t emit_string_limit(const struct emitter *e);

/* Stores the __data_loc of a string at r8; register @bytes has its length. */
void emit_data_loc(struct emitter *e, unsigned bytes, unsigned scratch);

/* Notes that the next @count strings have been emitted. */
void emit_take_strings(struct emitter *e, unsigned count);

/*
 * A long record may be too small for all strings at full length: tests whether there is space for one more. A string that cannot grow
 * always has its own space.
 */
void emit_room_check(struct emitter *e);

/* Reads the first @bytes of a block from the address on the stack; r0 is the helper's result. */
void emit_block_read(struct emitter *e, const struct fetch *f, unsigned bytes);

/* Notes in a block's last byte how many bytes of it could be read. */
void emit_block_size(struct emitter *e, unsigned bytes);

/* emit_array.c */
void emit_array(struct emitter *e, const struct fetch *f);

/* The elements one by one, if the array could not be read at once; r3 is behind. */
void emit_elements(struct emitter *e, const struct layout_field *field, const struct fetch *f);

/*
 * emit_stack.c: the stacks behind the strings, whose bytes are in r8, or with emitter.tests in the word ASIDE. Stands behind the
 * tests of filter and limits. A hit that these reject, or whose strings need a long record, is not unwound.
 */
void emit_stacks(struct emitter *e, const struct gate_env *env);

/*
 * One of them, if layout.stacks has it, r8 bytes behind the start of the strings; r8 is moved behind it. If there is no such stack
 * (a kernel thread has none of user space), it has no frames. emit_no_stack() gives it none without unwinding.
 */
void emit_stack(struct emitter *e, enum stack_kind kind, const struct gate_env *env);
void emit_no_stack(struct emitter *e, enum stack_kind kind);

/*
 * Unwinds to the address in r2, where layout_stack_room(kind) bytes are; r6 is a context of struct pt_regs (gives_stacks of struct
 * backend). r0 becomes the bytes of the frames, or 0 or less. The helper fills the rest of the room with zeroes.
 */
void emit_unwind(struct code *c, enum stack_kind kind);

/* emit_path.c */
void emit_path(struct emitter *e, const struct fetch *f);

/* Behind the jump of COLD_PATH. */
void emit_long_path(struct emitter *e, const struct cold *cold);

/* emit_buffer.c: a value of TYPE_BUFFER, and its part in front of a page that cannot be read. */
void emit_buffer(struct emitter *e, const struct fetch *f);
void emit_buffer_part(struct emitter *e, const struct cold *cold);

/* emit_cold.c */

/* Sets the marks of all elements of @field. */
void emit_marks(struct emitter *e, const struct layout_field *field);

/* The string needs a long record: ends the body. */
void emit_filled(struct emitter *e, const struct cold *cold);

/* No part of the value could be read. */
void emit_fault(struct emitter *e, const struct cold *cold);

void emit_cold(struct emitter *e, const struct cold *cold);

#endif
