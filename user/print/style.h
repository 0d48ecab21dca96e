/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * style.h - lines and headers as tracers of other days printed them.
 *
 *	2.6	myprobe: (do_sys_open+0x0/0xd6) dfd=3 filename=7fffd1ec4440	(2.6.33; no flags)
 *	3.x	myprobe: (do_sys_open+0x0/0xd6) dfd=0x3				(four flags)
 *	rfc-v2	do_sys_open: @do_sys_open+0 0x3		sys_open: <-do_sys_open+0 0x5
 *	v13	do_sys_open+0x0/0xd6: 0x3		sys_open+0x1b/0x1d <- do_sys_open: 0x3
 *	function	PARENT->SyS_openat(dfd=-100, path=/etc/passwd)	(four flags; other dialects' entries fetch
 *		PARENT for it: lang/funcev.h. Without, as for a kept probe, FUNC(...))
 *
 * Functions had no ENDBR then: a probe that stands behind one is at +0x0 of all these.
 *
 * Departures, the same everywhere: what could not be read is (fault), which those tracers printed
 * as 0 or nothing; comm is the name at the hit; strings are escaped (--raw-strings). A function
 * event's return, which they had none of, is CALLER<-FUNC(...).
 */
#ifndef PRINT_STYLE_H
#define PRINT_STYLE_H

#include "base/buf.h"
#include "print/event.h"

struct columns;
struct text;

enum style {
	STYLE_OWN,		/* each definition's dialect's own */
	STYLE_KPROBE,		/* Linux 6.12's: text.h */
	STYLE_2_6,
	STYLE_3_X,
	STYLE_RFC_V2,
	STYLE_V13,
	STYLE_FUNCTION,
	STYLE_COUNT
};

/* False: no style is called @name. "own" is none. */
bool style_find(const char *name, enum style *ret);

/* "braces" or "commas": how arrays of STYLE_FUNCTION look, {1:2} or 1,2. False: neither. */
bool style_find_arrays(const char *name, bool *ret_commas);

/* That of a definition's lines, where @wanted was asked for: never STYLE_OWN. */
enum style style_of(enum style wanted, enum dialect dialect);

/* The header of @style, without the line of entries; @columns are STYLE_KPROBE's. */
void style_header(enum style style, const struct columns *columns, struct buf *out);

/* And with it (columns_header_entries()), where that time had one: from 3.2 on. */
void style_header_entries(enum style style, const struct columns *columns, uint64_t in_buffer, uint64_t written,
			  unsigned cpus, struct buf *out);

/* One whole line of @style, which is not STYLE_KPROBE. */
void style_event(const struct text *t, const struct event *ev, enum style style, struct buf *out);

#endif
