/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_show.h - the live view of a run (--live): on a screen that is drawn again each second, or as lines.
 */
#ifndef TRACE_LIVE_SHOW_H
#define TRACE_LIVE_SHOW_H

#include <stdbool.h>
#include <stdint.h>

struct live_show;
struct tracer;

/* Call it when the probes are attached, and the loop begins. It opens the screen, if there is to be one. The caller closes. */
struct live_show *live_show_open(struct tracer *t);
void live_show_close(struct live_show *s);	/* NULL is fine */

/* The time between two readings, ns. */
uint64_t live_show_interval(const struct live_show *s);

/* Reads all figures, and puts a screen or lines into the output of the stream. @last: the run is over, and so is the screen. */
void live_show_print(struct live_show *s, bool last);

/* The keys: -1 without a screen. */
int live_show_fd(const struct live_show *s);
void live_show_keys(struct live_show *s);

/* Gives the terminal back, because the loop has ended. What was not drawn is thrown away. NULL is fine. */
void live_show_leave(struct live_show *s);

#endif
