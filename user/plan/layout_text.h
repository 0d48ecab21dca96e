/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout_text.h - a record's layout as text, so that the records can be read later.
 *
 *	layout r fentry - kprobe - entry do_sys_openat2
 *					return or entry, backend, BREAKPOINT_NAME, dialect, parent, entry, function (none: an address)
 *	typed SyS_openat			the typed name, if it is another one
 *	field s 4 0 0 0 1 mark 0 - 0 0 - dfd	one for each argument, see layout_print()
 *	label TEXT				of the argument before, if it has one
 *	own-type TEXT				... if the kernel's event has a name for its type
 *	elapsed call|pair			... if it is $elapsed: of a call, or of a pair
 */
#ifndef PLAN_LAYOUT_TEXT_H
#define PLAN_LAYOUT_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "plan/layout.h"

/* Appends the lines. They have no offsets: layout_compute() computes the same offsets again. */
void layout_print(const struct layout *l, struct buf *out);

/*
 * Reads the lines that layout_print() wrote, from *@text on, and moves *@text behind the last one. All that *ret holds
 * is in @arena, except group and event, which the caller owns. -EBADMSG: these are not such lines.
 */
int layout_parse(struct arena *arena, const char **text, struct layout *ret);

#endif
