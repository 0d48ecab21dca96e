/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fetch.h - BPF that loads a value, or the address of a string, into a register.
 */
#ifndef GEN_FETCH_H
#define GEN_FETCH_H

#include "gen/code.h"
#include "plan/plan.h"

/*
 * The environment of the fetch code. r6 is the context; the code may use r0 to r5. If a value cannot be read, the
 * code jumps away: @failed gets that jump.
 */
struct fetcher {
	struct code *code;
	const struct plan *plan;
	int16_t spill;			/* a word of the stack (from r10) for a value that the next read needs */
	int16_t words;			/* the first of FETCH_CALC_WORDS words of the stack, one below the other; 0: nothing is calculated */
	int16_t saved;			/* stack word with the address of the saved parameters (0: there are none) */
	bool no_record;			/* the hit has no record, so its time is now */
	void (*failed)(void *ctx, unsigned jump);
	void *ctx;
};

/* r3 = @f's value, or with derefs the address that the last one reads. FETCH_COMM needs the record in r7. */
void fetch_address(const struct fetcher *fetcher, const struct fetch *f);

/* r3 = where @f begins, before its derefs. */
void fetch_source(const struct fetcher *fetcher, const struct fetch *f);

/* r3 = the address of the hit, as its record has it. Needs only code and plan; uses r0 to r5. */
void fetch_place(const struct fetcher *fetcher);

/* read(dst = r1, size = @bytes, r3); @user: only user memory */
void fetch_read(const struct fetcher *fetcher, unsigned bytes, bool user);

/* r3 = the word at r3 */
void fetch_follow(const struct fetcher *fetcher, bool user);

#endif
