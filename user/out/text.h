/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - events as the lines that ftrace prints.
 */
#ifndef OUT_TEXT_H
#define OUT_TEXT_H

#include "base/buf.h"
#include "out/event.h"

struct ksyms;

struct text_opts {
	const struct ksyms *ks;
	struct context_rules rules;
	bool raw_strings;		/* the kernel's bytes, unescaped */
};

/* ftrace's header without the entries line, which a stream cannot know. */
void text_header(struct buf *out);

/* One whole line, as 6.12 prints it with default options. */
void text_event(const struct text_opts *opts, const struct event *ev, struct buf *out);

/* CPU:n [LOST n EVENTS] */
void text_lost(unsigned cpu, uint64_t count, struct buf *out);

#endif
