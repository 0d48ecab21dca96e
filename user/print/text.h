/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - events as the lines that ftrace prints.
 */
#ifndef PRINT_TEXT_H
#define PRINT_TEXT_H

#include "base/buf.h"
#include "print/columns.h"
#include "print/event.h"
#include "print/style.h"
#include "print/timebase.h"

struct ksyms;
struct sites;

/* Begins as zeroes and what the caller sets; text_fini() frees what lines left in it. */
struct text {
	const struct ksyms *ks;		/* changed by text_symbols() once a line was printed */
	struct context_rules rules;
	bool comma_arrays;		/* of STYLE_FUNCTION: 1,2 and not {1:2} */
	bool raw_strings;		/* the kernel's bytes, unescaped */
	enum style style;
	struct columns columns;		/* of STYLE_KPROBE */
	struct timebase base;		/* of all times */
	struct sites *sites;		/* NULL: none yet */
	uint64_t second;		/* ns of the second printed last */
	char seconds[16];		/* and its text, with the dot */
	uint32_t seconds_len;		/* 0: none yet */
};

void text_fini(struct text *t);

/* From now on places are named by @ks, and layouts may be others. */
void text_symbols(struct text *t, const struct ksyms *ks);

/* One whole line: as 6.12 prints it with the options that the columns stand for, or in the style of another day. */
void text_event(struct text *t, const struct event *ev, struct buf *out);

/* SYM+0xOFF/0xSIZE [MODULE], or with @with_offset false SYM [MODULE]; without a symbol the address. @ks: or NULL */
void text_symbol(struct buf *out, const struct ksyms *ks, uint64_t addr, bool with_offset);

/* CPU:n [LOST n EVENTS]; @count UINT64_MAX: [LOST EVENTS], as the kernel says where it knows no number (6.12, trace.c). */
void text_lost(unsigned cpu, uint64_t count, struct buf *out);

/* ---- parts of a line, for style.c ---- */

/* (SYM+0xOFF/0xSIZE), or (CALLER+0xOFF/0xSIZE <- SYM) */
void text_location(const struct text *t, const struct event *ev, struct buf *out);

/* One element of a field, as 6.12 prints its type. */
void text_value(const struct text *t, const struct event *ev, const struct layout_field *f,
		unsigned element, struct buf *out);

/* Control characters, '\\' and @quote are escaped. */
void text_escaped(struct buf *out, const char *s, uint32_t len, char quote);

#endif
