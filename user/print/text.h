/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - events as the lines that ftrace prints.
 */
#ifndef PRINT_TEXT_H
#define PRINT_TEXT_H

#include "base/buf.h"
#include "print/columns.h"
#include "print/event.h"
#include "print/palette.h"
#include "print/style.h"
#include "print/timebase.h"

struct builds;
struct cgroups;
struct heads;
struct home;
struct ksyms;
struct later;
struct sender;
struct sites;
struct users;

/* The first member of what a style remembers from line to line. The style allocates it. */
struct own {
	void (*renew)(struct own *own);	/* forgets the layouts of before: they are no longer valid */
	void (*free)(struct own *own);
};

/* Starts as zeroes, except what the caller sets. text_fini() frees the memory that printing has allocated. */
struct text {
	struct builds *builds;		/* learns the builds of the programs whose frames are printed; NULL: nobody asks */
	struct users *users;		/* what programs have mapped, for their stacks; NULL: not known */
	const struct ksyms *ks;		/* after the first printed line only text_symbols() may change it */
	struct context_rules rules;
	bool comma_arrays;		/* for STYLE_FUNCTION: 1,2 instead of {1:2} */
	bool raw_strings;		/* print the kernel's bytes, unescaped */
	bool ascii;			/* lines are for a terminal whose locale is not UTF-8: bytes from 0x80 on are escaped */
	enum style style;
	struct columns columns;		/* for STYLE_KPROBE */
	struct timebase base;		/* for all times */
	struct palette palette;
	struct own *own;		/* NULL: the style remembers nothing, or nothing yet */
	/* for STYLE_SHORT: */
	uint64_t start;			/* CLOCK_MONOTONIC ns from which times count; 0: from the first event's */
	unsigned width;			/* lines are cut at this column; 0: never */
	bool utf8;			/* and end with U+2026 then, not with three dots */
	struct sites *sites;		/* NULL: none yet */
	struct heads *heads;		/* NULL: none yet */
	struct cgroups *cgroups;	/* objects say which container an event's cgroup is; NULL: they do not */
	unsigned machine;		/* home.machine of the events that come; 0 if they are from one */
	bool decimal;			/* objects have decimal digits where a number is a string */
	const struct sender *sender;	/* objects say which machine they are from, and have numbers; NULL: they do not */
	struct later *later;		/* stacks are printed with lines, at the end; NULL: they are not */
};

void text_fini(struct text *t);

/* From now on symbols come from @ks, and layouts may have changed. */
void text_symbols(struct text *t, const struct ksyms *ks);

/* The same, and none of the layouts of before is valid. The widths of columns, the colours and the start of times stay. */
void text_renew(struct text *t, const struct ksyms *ks);

/*
 * From now on events are from @home. Each layout must be of one home, so what was remembered of the layouts of others stays valid, and is
 * used again when the events of their home come.
 */
void text_move(struct text *t, const struct home *home);

/* One whole line: as 6.12 prints it with the options that match the columns, or in an older style. */
void text_event(struct text *t, const struct event *ev, struct buf *out);

/* SYM+0xOFF/0xSIZE [MODULE], or without @with_offset SYM [MODULE]; the address if there is no symbol. @ks may be NULL. */
void text_symbol(struct buf *out, const struct ksyms *ks, uint64_t addr, bool with_offset);

/* CPU:n [LOST n EVENTS]. @count UINT64_MAX: [LOST EVENTS], as the kernel prints when the number is not known (6.12, trace.c). */
void text_lost(unsigned cpu, uint64_t count, struct buf *out);

/* ---- parts of a line, for style.c ---- */

/* (SYM+0xOFF/0xSIZE), or (CALLER+0xOFF/0xSIZE <- SYM) */
void text_location(const struct text *t, const struct event *ev, struct buf *out);

/* One element of a field, printed as 6.12 prints its type. */
void text_value(const struct text *t, const struct event *ev, const struct layout_field *f,
		unsigned element, struct buf *out);

/* The whole field: {1,2} for an array. */
void text_field(const struct text *t, const struct event *ev, const struct layout_field *f, struct buf *out);

#endif
