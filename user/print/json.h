/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - events as JSON: one object per line. doc/json.md describes it.
 */
#ifndef PRINT_JSON_H
#define PRINT_JSON_H

#include "base/buf.h"
#include "print/event.h"

struct text;

/* One whole line. It uses only the symbols and rules of @t. A @t that is used for JSON must not be used for text. */
void json_event(struct text *t, const struct event *ev, struct buf *out);

/* {"lost":N,"cpu":N} on a line of its own. @count UINT64_MAX: null, since the number is not known. */
void json_lost(const struct text *t, unsigned cpu, uint64_t count, struct buf *out);

/* Which numbers are missing, on a line of its own. @t has a sender. */
void json_gap(const struct text *t, const struct gap *gap, struct buf *out);

#endif
