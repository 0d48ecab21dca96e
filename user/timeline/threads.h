/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads.h - what is remembered of each thread: its name, and the calls that it has entered and not left.
 *
 * So many threads, calls of each, and calls of all are remembered: THREADS_MAX, CALLS_MAX, OPEN_MAX. Beyond that the oldest ones are
 * forgotten, and the owner is told: threads.forget.
 */
#ifndef TIMELINE_THREADS_H
#define TIMELINE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "bprobe_abi.h"
#include "timeline/details.h"

enum {
	THREADS_MAX = 4096,
	CALLS_MAX = 256,		/* of a thread, one inside the other */
	OPEN_MAX = 65536,		/* of all threads */
	STRETCHES_MAX = 1024,		/* of a thread */
};

/* A call that was entered. */
struct call {
	uint64_t function;		/* which function: its return has the same */
	uint64_t start, least_end;	/* ns; it cannot end before what is inside */
	uint32_t name, event, category;	/* texts in details.text */
	unsigned own;			/* bprobe's part of the args: what details_open() returned */
	struct details args;
};

/* A slice that is over; or several of them, and what is between them. */
struct stretch {
	uint64_t start, end;
};

struct thread {
	uint64_t key;
	uint32_t pid;			/* its process */
	bool told;			/* its track was described, with this name */
	bool as_process;		/* ... and its process's, with this name */
	char comm[BP_COMM_LEN];
	uint64_t latest;		/* ns: nothing on its track begins before, but for slices that are known only by their duration */
	struct call *calls;		/* the outermost first */
	unsigned nr, room, used;	/* used: how many have memory */
	struct stretch *over;		/* slices that are inside no other one that is over, in their order */
	unsigned nr_over, room_over;
	struct thread *newer, *older;	/* by the time of their last events */
	struct thread *in_bucket;
};

struct threads {
	struct thread **buckets;
	struct thread *newest, *oldest;
	unsigned nr;
	unsigned nr_open;		/* calls of all */
	/* A thread is forgotten, or the first @nr calls of it. */
	void (*forget)(void *ctx, struct thread *t, unsigned nr);
	void *ctx;
};

void threads_init(struct threads *all, void (*forget)(void *ctx, struct thread *t, unsigned nr), void *ctx);
void threads_fini(struct threads *all);		/* tells nobody */

/* The thread with this key, from now on the newest one. *ret_new: it was not known, and has only its key. */
struct thread *threads_get(struct threads *all, uint64_t key, bool *ret_new);

/* Without changing the order; NULL: it is not known. */
struct thread *threads_find(const struct threads *all, uint64_t key);

/* A new innermost call, with empty args. */
struct call *threads_enter(struct threads *all, struct thread *t);

/* Takes out the calls from @from on. */
void threads_leave(struct threads *all, struct thread *t, unsigned from);

/*
 * Can a slice from @start to @end, which is over, be on the thread's track, beside and around the slices that are over? *ret_start: where
 * it begins, which may be 1 ns before @start, so that it begins before what is inside. False: it would cross one. Open calls are not
 * looked at.
 */
bool thread_over_fits(const struct thread *t, uint64_t start, uint64_t end, uint64_t *ret_start);

/* Remembers a slice that is over. If there are too many, the oldest half of them becomes one stretch, in which nothing can begin. */
void thread_over_add(struct thread *t, uint64_t start, uint64_t end);

#endif
