/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * style.h - the styles of lines, and lines and headers in the form of older tracers.
 *
 *	2.6	myprobe: (do_sys_open+0x0/0xd6) dfd=3 filename=7fffd1ec4440	(2.6.33; no flags)
 *	3.x	myprobe: (do_sys_open+0x0/0xd6) dfd=0x3				(four flags)
 *	rfc-v2	do_sys_open: @do_sys_open+0 0x3		sys_open: <-do_sys_open+0 0x5
 *	v13	do_sys_open+0x0/0xd6: 0x3		sys_open+0x1b/0x1d <- do_sys_open: 0x3
 *	function	PARENT->SyS_openat(dfd=-100, path=/etc/passwd)	(four flags; entries of other dialects fetch
 *		PARENT for this style: lang/funcev.h. Without PARENT, as for a kept probe: FUNC(...))
 *
 * Functions had no landing pad at that time. So in all these styles a probe behind one is at +0x0.
 *
 * Differences that all these styles share: a value that could not be read is (fault); those tracers printed
 * 0 or nothing. comm is the name at the time of the hit. Strings are escaped (--raw-strings). Function
 * events had no return event; here it is CALLER<-FUNC(...).
 */
#ifndef PRINT_STYLE_H
#define PRINT_STYLE_H

#include "base/buf.h"
#include "print/event.h"

struct columns;
struct entries;
struct sink;
struct text;

enum style {
	STYLE_OWN,		/* the style of each definition's dialect */
	STYLE_KPROBE,		/* the style of Linux 6.12: text.h */
	STYLE_2_6,
	STYLE_3_X,
	STYLE_RFC_V2,
	STYLE_V13,
	STYLE_FUNCTION,
	STYLE_SHORT,		/* for people: short.h */
	STYLE_COUNT
};

/* Which options have a meaning for the lines of a style. */
enum style_takes {
	STYLE_TAKES_COLUMNS = 1 << 0,	/* --flags, --tgid, --for */
	STYLE_TAKES_TIME = 1 << 1,	/* --time */
	STYLE_TAKES_CLOCK = 1 << 2,
	STYLE_TAKES_RAW_STRINGS = 1 << 3,
};

/* False: no style has the name @name. "own" is not one of the names. */
bool style_find(const char *name, enum style *ret);

/* Appends the names, separated by commas, with "or" before the last one. */
void style_names(struct buf *out);

/* The same, of the styles that take @takes (enum style_takes), with "and" before the last one. */
void style_names_taking(unsigned takes, struct buf *out);

/* enum style_takes */
unsigned style_takes(enum style style);

/* What prints the lines of @style. */
const struct sink *style_sink(enum style style);

/* Parses "braces" or "commas": the form of arrays in STYLE_FUNCTION, {1:2} or 1,2. False: neither. */
bool style_find_arrays(const char *name, bool *ret_commas);

/* The style of a definition's lines if the user asked for @wanted. Never STYLE_OWN. */
enum style style_of(enum style wanted, enum dialect dialect);

/* The header of @style. @columns are for STYLE_KPROBE. @entries (or NULL) are for styles whose tracer had them: from 3.2 on. */
void style_header(enum style style, const struct columns *columns, const struct entries *entries, struct buf *out);

/* One whole line of an older style: one that sink_text prints, and not STYLE_KPROBE. */
void style_event(const struct text *t, const struct event *ev, enum style style, struct buf *out);

#endif
