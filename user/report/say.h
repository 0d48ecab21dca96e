/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * say.h - what both forms of a report say in words: times, the head, and what the recording does not tell.
 */
#ifndef REPORT_SAY_H
#define REPORT_SAY_H

#include <stdint.h>

#include "base/buf.h"

struct report;

/* Appends a duration with four digits: "812 ns", "31.20 us", "100.8 ms", "1.235 s". */
void say_time(struct buf *out, uint64_t ns);

/* Appends a point of time in seconds, with microseconds: "12.950734". */
void say_point(struct buf *out, uint64_t ns);

/* Appends lines of at most @width columns: the file, the host, the time, how many events there are and were lost. */
void say_head(const struct report *r, unsigned width, struct buf *out);

/* Appends a line or more for each thing that is not known or not shown. */
void say_doubts(const struct report *r, unsigned width, struct buf *out);

#endif
