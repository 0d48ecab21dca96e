/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fetch.h - BPF that brings a value, or the address of a string, into a register.
 */
#ifndef GEN_FETCH_H
#define GEN_FETCH_H

#include "gen/code.h"
#include "plan/plan.h"

/*
 * How code fetches where it stands: r6 is the context; r0 to r5 are its own. What cannot be read jumps away:
 * @failed gets that jump.
 */
struct fetcher {
	struct code *code;
	const struct plan *plan;
	int16_t spill;			/* a word of the stack (from r10) for what is on the way to another read */
	int16_t saved;			/* where the address of the kept parameters is (0: there are none) */
	void (*failed)(void *ctx, unsigned jump);
	void *ctx;
};

/* r3 = @f's value; with derefs the address that the last one reads. FETCH_COMM wants the record in r7. */
void fetch_address(const struct fetcher *fetcher, const struct fetch *f);

/* read(dst = r1, size = @bytes, r3); @user: of user memory only */
void fetch_read(const struct fetcher *fetcher, unsigned bytes, bool user);

/* r3 = the word at r3 */
void fetch_follow(const struct fetcher *fetcher, bool user);

#endif
