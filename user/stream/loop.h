/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - waits for records, a full output, a deadline, and whatever else the caller names.
 */
#ifndef STREAM_LOOP_H
#define STREAM_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"

enum { LOOP_SOURCES = 7 };

/* Something else to wait for; a descriptor of -1 is never ready, and all zeroes are nothing. */
struct loop_source {
	int fd;
	void (*serve)(void *ctx);	/* called when fd is readable */
};

struct loop {
	void *ctx;
	struct loop_source signals;
	struct loop_source others[LOOP_SOURCES - 1];
	uint64_t deadline_ns;		/* compared with now_ns(); 0: none */
	uint64_t tick_ns;		/* ... of what is done from time to time; 0: nothing */
};

enum loop_news {
	LOOP_READER_LEFT = 1 << 0,	/* nobody reads the stream's output any more */
	LOOP_TIME_IS_UP = 1 << 1,
	LOOP_TICK = 1 << 2,
};

/*
 * Waits once, and serves what is ready. Returns what else happened (enum loop_news). The caller takes the records:
 * stream_step().
 */
unsigned loop_wait(const struct loop *l, struct stream *s);

/*
 * Writes the rest of the output as long as somebody reads it; with @hurry for at most two seconds. Signals are served;
 * @stopped (or NULL) tells whether one of them ends the writing. Returns the last result of output_flush().
 */
int loop_flush(const struct loop *l, struct output *out, bool hurry, bool (*stopped)(void *ctx));

#endif
