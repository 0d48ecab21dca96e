// SPDX-License-Identifier: GPL-2.0-only
/*
 * made.c - makes the records of synthetic events.
 */
#include "hist/made.h"

#include "hist/hist_value.h"
#include "print/text.h"

/* Returns the offset behind the string. */
static uint32_t put_string(unsigned char *body, const struct layout_field *f, const char *s, uint32_t off)
{
	uint32_t len = s ? (uint32_t)strnlen(s, HIST_STRING_SIZE - 1) : 0, loc = (len + 1) << 16 | off;

	memcpy(body + f->off, &loc, sizeof(loc));
	if (len)
		memcpy(body + off, s, len);
	body[off + len] = '\0';
	return off + len + 1;
}

void made_record(const struct layout *layout, unsigned number, const struct event *cause, const struct text *text,
		 const struct hist_slot *values, unsigned char to[MADE_MAX], struct event *ret)
{
	struct bp_rec *rec = (struct bp_rec *)(void *)to;
	unsigned char *body = to + BP_BODY_OFF;
	uint32_t end = layout->dyn_off;

	memset(to, 0, BP_BODY_OFF + layout->dyn_off);
	*rec = *cause->rec;
	rec->probe = number;
	context_settle(&text->rules, rec, cause->layout);
	for (unsigned i = 0; i < layout->nr_fields; i++) {
		const struct layout_field *f = &layout->fields[i];

		if (f->type.is_stack)
			memcpy(body + f->off, values[i].string, f->size);
		else if (type_is_dynamic(&f->type))
			end = put_string(body, f, values[i].string, end);
		else
			memcpy(body + f->off, &values[i].number, f->type.size);
	}
	*ret = (struct event){ .layout = layout, .rec = rec, .body = body, .len = end };
}
