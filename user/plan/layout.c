// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout.c - what lies where in a record.
 */
#include "plan/layout.h"

#include "bprobe_abi.h"

/* One after the other, and a mark bit for each element that wants one. */
static int place_fields(struct layout *l)
{
	l->fixed = l->args_off = LAYOUT_COMMON + (l->is_return ? 16 : 8);
	for (unsigned i = 0; i < l->nr_fields; i++) {
		struct layout_field *f = &l->fields[i];

		f->off = l->fixed;
		f->size = f->count * type_slot_size(&f->type);
		if (f->off + f->size - l->args_off > LANG_MAX_RECORD)
			return (int)i;
		l->fixed += f->size;
		if (f->mark != LAYOUT_NO_MARK) {
			f->mark = l->nr_marks;
			l->nr_marks += f->count;
		}
	}
	return -1;
}

int layout_compute(struct layout *l)
{
	uint32_t short_room = 0, long_room = 0;
	int overflow;

	l->nr_marks = l->nr_strings = 0;
	overflow = place_fields(l);
	if (overflow >= 0)
		return overflow;
	l->marks_off = ROUND_UP(l->fixed, 8u);
	l->dyn_off = l->marks_off + ROUND_UP(l->nr_marks, 64u) / 8;
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		if (!type_is_dynamic(&f->type))
			continue;
		l->nr_strings += f->count;
		short_room += f->count * f->room;
		long_room += f->count * (f->grows ? LAYOUT_LONG_STRING : f->room);
	}
	l->short_size = ROUND_UP(BP_BODY_OFF + l->dyn_off + short_room, 8u);
	l->long_size = 0;
	if (long_room > short_room)
		l->long_size = ROUND_UP(BP_BODY_OFF + MIN(l->dyn_off + long_room, (uint32_t)LAYOUT_MAX_BODY), 8u);
	return -1;
}
