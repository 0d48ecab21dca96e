/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - waits for records, for a full output, for time to be up, and for whatever else its user names.
 */
#ifndef TRACE_LOOP_H
#define TRACE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/stream.h"

enum { LOOP_SOURCES = 3 };

/* Something else to wait for; a descriptor of -1 is never ready. */
struct loop_source {
	int fd;
	void (*serve)(void *ctx);	/* called when it can be read */
};

struct loop {
	void *ctx;
	struct loop_source signals;
	struct loop_source others[LOOP_SOURCES - 1];
	uint64_t deadline_ns;		/* now_ns(); 0: none */
};

enum loop_news {
	LOOP_READER_LEFT = 1 << 0,	/* nobody reads the stream's output any more */
	LOOP_TIME_IS_UP = 1 << 1,
};

/* Waits once, and serves what is ready. Returns what else happened (enum loop_news). Records are the caller's: stream_step(). */
unsigned loop_wait(const struct loop *l, struct stream *s);

/*
 * Writes what is left of the output for as long as somebody takes it; with @hurry for two seconds at most. Signals are served, and
 * end it when @stopped (or NULL) says so. Returns what output_flush() did last.
 */
int loop_flush(const struct loop *l, struct output *out, bool hurry, bool (*stopped)(void *ctx));

#endif
