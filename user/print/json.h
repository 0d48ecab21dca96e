/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - events as JSON: one object a line. doc/json.md says what is in it.
 */
#ifndef PRINT_JSON_H
#define PRINT_JSON_H

#include "base/buf.h"
#include "print/event.h"

struct text;

/* One whole line. Of @t count symbols and rules; who writes JSON with it writes no text. */
void json_event(struct text *t, const struct event *ev, struct buf *out);

/* {"lost":N,"cpu":N}, a line of its own. @count UINT64_MAX: null, nobody knows how many. */
void json_lost(unsigned cpu, uint64_t count, struct buf *out);

/*
 * A string; {"bytes":"HEX"} if it is not UTF-8. Of one that was @cut the last character goes if it is not whole.
 */
void json_string(struct buf *out, const char *s, uint32_t len, bool cut);

#endif
