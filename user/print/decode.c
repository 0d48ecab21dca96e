// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode.c - decodes a record's bytes to an event. Every offset is checked, because a record
 * comes from shared memory.
 */
#include <string.h>

#include "print/event.h"

static uint64_t read_u64(const unsigned char *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

bool event_marked(const struct event *ev, const struct layout_field *f, unsigned element)
{
	uint32_t bit = f->mark + element;

	if (f->mark == LAYOUT_NO_MARK)
		return false;
	return read_u64(ev->body + ev->layout->marks_off + bit / 64 * 8) >> (bit % 64) & 1;
}

uint64_t event_number(const struct event *ev, const struct layout_field *f, unsigned element)
{
	const unsigned char *at = ev->body + f->off + element * f->type.size;
	unsigned spare = 64 - 8 * f->type.size;
	uint64_t n = 0;

	/* The size is a constant in each case, so each is one load. */
	switch (f->type.size) {
	case 8:
		return read_u64(at);
	case 4:
		memcpy(&n, at, 4);
		break;
	case 2:
		memcpy(&n, at, 2);
		break;
	default:
		n = *at;
		break;
	}
	if (f->type.kind == TYPE_SIGNED)
		n = (uint64_t)((int64_t)(n << spare) >> spare);
	return n;
}

/* The bytes of a __data_loc; NULL if it has none. */
static const unsigned char *data_loc(const struct event *ev, const struct layout_field *f,
				     unsigned element, uint32_t *ret_len)
{
	uint32_t loc, off;

	memcpy(&loc, ev->body + f->off + element * sizeof(loc), sizeof(loc));
	off = loc & 0xffff;
	*ret_len = loc >> 16;
	return *ret_len && off + *ret_len <= ev->len ? ev->body + off : NULL;
}

bool event_symstr(const struct event *ev, const struct layout_field *f, unsigned element,
		  uint64_t *ret)
{
	uint32_t len;
	const unsigned char *at = data_loc(ev, f, element, &len);

	if (!at || len != sizeof(*ret))
		return false;
	*ret = read_u64(at);
	return true;
}

bool event_string(const struct event *ev, const struct layout_field *f, unsigned element,
		  const char **ret, uint32_t *ret_len, bool *ret_cut)
{
	uint32_t len;
	const unsigned char *at = data_loc(ev, f, element, &len);

	if (!at)
		return false;
	*ret = (const char *)at;
	*ret_len = MIN(len - 1, (uint32_t)LAYOUT_MAX_STRING);
	*ret_cut = event_marked(ev, f, element);
	return true;
}

unsigned event_count(const struct event *ev, const struct layout_field *f, bool *ret_more)
{
	unsigned nr = 0;
	uint32_t loc;

	*ret_more = false;
	while (f->type.is_stack && nr < f->count && event_number(ev, f, nr))
		nr++;
	if (f->type.is_stack)
		return nr;
	if (!f->type.until_null)
		return f->count;
	for (; nr < f->count; nr++) {
		memcpy(&loc, ev->body + f->off + nr * sizeof(loc), sizeof(loc));
		if (!loc)
			return nr;
	}
	*ret_more = true;
	return nr - 1;
}

const unsigned char *event_bytes(const struct event *ev, const struct layout_field *f, unsigned element)
{
	return ev->body + f->off + (size_t)element * f->type.size;
}

const unsigned char *event_block(const struct event *ev, const struct layout_field *f, unsigned element, uint32_t *ret_len)
{
	uint32_t len;
	const unsigned char *at = data_loc(ev, f, element, &len);

	if (!at || len != f->room || !len)
		return NULL;
	*ret_len = MIN(at[len - 1], len - 1);
	return *ret_len ? at : NULL;
}

const unsigned char *event_buffer(const struct event *ev, const struct layout_field *f, uint32_t *ret_len)
{
	uint32_t loc, off;

	memcpy(&loc, ev->body + f->off, sizeof(loc));
	off = loc & 0xffff;
	*ret_len = MIN(loc >> 16, (uint32_t)LAYOUT_MAX_BYTES);
	return off && off + (loc >> 16) <= ev->len ? ev->body + off : NULL;
}

bool event_buffer_cut(const struct event *ev, const struct layout_field *f)
{
	return f->type.kind == TYPE_BUFFER && event_marked(ev, f, 0);
}

bool event_faulted(const struct event *ev, const struct layout_field *f, unsigned element)
{
	uint32_t len;

	if (f->type.kind == TYPE_BUFFER)
		return !event_buffer(ev, f, &len);
	return type_is_dynamic(&f->type) ? !data_loc(ev, f, element, &len) : event_marked(ev, f, element);
}
