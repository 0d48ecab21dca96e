/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - standard output that never blocks bprobe.
 *
 * A pipe that nobody reads or a stopped terminal must not keep bprobe from
 * hearing a signal, so it writes without waiting and asks to be polled.
 */
#ifndef TRACE_OUTPUT_H
#define TRACE_OUTPUT_H

#include <stdbool.h>

#include "base/buf.h"

enum { OUTPUT_BLOCK = 64 << 10 };	/* as much as a pipe takes: not worth waiting for more */

struct output {
	int fd;
	bool own_fd, is_socket, is_terminal;
	struct buf text;		/* to be written; callers append here */
	size_t done;			/* bytes of it that are written */
};

void output_open(struct output *o);
void output_close(struct output *o);

/*
 * Writes what it can. 0: all is written; -EAGAIN: poll fd for POLLOUT and call
 * again; -EPIPE: nobody reads any more; else -errno.
 */
int output_flush(struct output *o);

/* Writes all of it to standard output, however long that takes. 0 or -errno. */
int output_wait(struct output *o);

#endif
