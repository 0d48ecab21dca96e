/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - standard output that never blocks bprobe; or a file.
 *
 * bprobe must hear a signal even if nobody reads the pipe or the terminal is
 * stopped. So it writes without waiting and asks to be polled.
 */
#ifndef STREAM_OUTPUT_H
#define STREAM_OUTPUT_H

#include <stdbool.h>

#include "base/buf.h"

enum { OUTPUT_BLOCK = 64 << 10 };	/* a pipe takes this much; to wait for more is of no use */

struct output {
	int fd;
	bool own_fd, is_socket, is_terminal;
	struct buf text;		/* text to be written; callers append here */
	size_t done;			/* bytes of text that have been written */
};

void output_open(struct output *o);
void output_close(struct output *o);

/*
 * Writes as much as possible. 0: all is written; -EAGAIN: poll fd for POLLOUT and call again; -EPIPE: the reader has gone;
 * otherwise -errno.
 */
int output_flush(struct output *o);

/* Writes all text, however long it takes. Only ->fd and ->text are used. 0 or -errno. */
int output_wait(struct output *o);

#endif
