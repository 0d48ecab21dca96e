/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout_text.h - a record's layout as text, for who reads the records later.
 *
 *	layout r fentry - kprobe - entry do_sys_openat2
 *						return or entry, backend, int3, dialect, parent, entry, function (none: an address)
 *	typed SyS_openat			as it was typed, where it is another name
 *	field s 4 0 0 0 1 mark 0 - 0 0 - dfd	one for each argument, see layout_print()
 *	label TEXT				of the argument before, where it has one
 */
#ifndef PLAN_LAYOUT_TEXT_H
#define PLAN_LAYOUT_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "plan/layout.h"

/* Appends the lines. Offsets are not in them: layout_compute() gives the same again. */
void layout_print(const struct layout *l, struct buf *out);

/*
 * Reads lines as layout_print() wrote them from *@text on, and sets it behind the last one. All that *ret holds is in
 * @arena, but group and event, which are the caller's. -EBADMSG: these are no such lines.
 */
int layout_parse(struct arena *arena, const char **text, struct layout *ret);

#endif
