/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * made.h - makes the records of synthetic events.
 */
#ifndef HIST_MADE_H
#define HIST_MADE_H

#include "hist/hist_table.h"
#include "lang/synthetic.h"
#include "print/event.h"

struct text;

/* Bytes of the longest record of a synthetic event. */
enum { MADE_MAX = BP_BODY_OFF + LAYOUT_COMMON + 8 + SYNTHETIC_MAX_FIELDS * (8 + SYNTHETIC_MAX_STRING) + 64 };

/*
 * Writes the record of a synthetic event to @to, and makes *ret the event. Task, CPU, time and context are those of @cause.
 * @values: one for each field of @layout. @number is the record's bp_rec.probe.
 */
void made_record(const struct layout *layout, unsigned number, const struct event *cause, const struct text *text,
		 const struct hist_slot *values, unsigned char to[MADE_MAX], struct event *ret);

#endif
