/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * put_values.h - writes the values of a hit into a record's body, at the places that its layout gives.
 */
#ifndef PUT_VALUES_H
#define PUT_VALUES_H

#include "plan/layout.h"

struct value {
	uint64_t n;
	const char *s;				/* of a string */
	bool fault;
};

static void put_string(unsigned char *body, const struct layout_field *f, const char *s, uint32_t *dyn)
{
	uint32_t len = s ? (uint32_t)strlen(s) + 1 : 0, loc = len << 16 | *dyn;

	memcpy(body + f->off, &loc, sizeof(loc));
	if (s)
		memcpy(body + *dyn, s, len);
	*dyn += len;
}

static void put_values(unsigned char *body, const struct layout *l, const struct value *values)
{
	uint32_t dyn = l->dyn_off;
	uint64_t marks = 0;

	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		if (type_is_dynamic(&f->type))
			put_string(body, f, values[i].s, &dyn);
		else
			memcpy(body + f->off, &values[i].n, f->size < 8 ? f->size : 8);
		if (values[i].fault && f->mark != LAYOUT_NO_MARK)
			marks |= 1ull << f->mark;
	}
	if (l->nr_marks)
		memcpy(body + l->marks_off, &marks, sizeof(marks));
}

#endif
