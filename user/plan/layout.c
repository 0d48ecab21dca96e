// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout.c - where each value is in a record.
 */
#include "plan/layout.h"

#include <string.h>

#include "bprobe_abi.h"

unsigned layout_bits(const struct layout_field *f)
{
	return f->bit_width ? f->bit_width : 8u * MIN(f->type.size, 8);
}

/* Places the fields one after the other, and assigns a mark bit to each element that needs one. */
static int place_fields(struct layout *l)
{
	l->fixed = l->args_off = LAYOUT_COMMON + (l->is_return ? 16 : 8);
	for (unsigned i = 0; i < layout_all(l); i++) {
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

uint32_t layout_stack_room(enum stack_kind kind)
{
	static const uint32_t frame[STACK_KINDS] = { [STACK_KERNEL] = 8, [STACK_USER] = 8, [STACK_USER_IDS] = LAYOUT_FRAME_ID };

	return frame[kind] * LAYOUT_MAX_FRAMES;
}

/* The stacks' __data_locs are behind the arguments, and do not count for the language's limit. */
static void place_stacks(struct layout *l)
{
	l->stack_size = 0;
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (!(l->stacks & 1u << i))
			continue;
		l->stack_off[i] = l->fixed;
		l->fixed += 4;
		l->stack_size += layout_stack_room((enum stack_kind)i);
	}
}

enum layout_site layout_site_of(enum probe_kind kind)
{
	return kind == PROBE_UPROBE ? SITE_USER : kind == PROBE_EVENT ? SITE_EVENT : SITE_KERNEL;
}

int layout_compute(struct layout *l)
{
	uint32_t short_room = 0, long_room = 0;
	int overflow;

	l->nr_marks = l->nr_strings = 0;
	overflow = place_fields(l);
	if (overflow >= 0)
		return overflow;
	place_stacks(l);
	l->marks_off = ROUND_UP(l->fixed, 8u);
	l->dyn_off = l->marks_off + ROUND_UP(l->nr_marks, 64u) / 8;
	for (unsigned i = 0; i < layout_all(l); i++) {
		const struct layout_field *f = &l->fields[i];

		if (!type_is_dynamic(&f->type))
			continue;
		l->nr_strings += f->count;
		short_room += f->count * f->room;
		long_room += f->count * (f->grows ? LAYOUT_LONG_STRING : f->room);
	}
	l->short_size = ROUND_UP(BP_BODY_OFF + l->dyn_off + short_room, 8u) + l->stack_size;
	l->long_size = 0;
	if (long_room > short_room)
		l->long_size = ROUND_UP(BP_BODY_OFF + MIN(l->dyn_off + long_room + l->stack_size, (uint32_t)LAYOUT_MAX_BODY), 8u);
	return -1;
}

int layout_overflow(const struct layout *l)
{
	uint32_t fixed = l->dyn_off + l->stack_size, grown = 0, small = fixed;

	for (unsigned i = 0; i < layout_all(l); i++) {
		const struct layout_field *f = &l->fields[i];

		if (!type_is_dynamic(&f->type))
			continue;
		small += f->count * f->room;
		if (f->grows)
			grown = LAYOUT_LONG_STRING + 8;
		else
			fixed += f->count * f->room;
		/* The short record must have all of them, and the long one a string at full length beside those that cannot grow. */
		if (MAX(fixed + grown, small) > LAYOUT_MAX_BODY)
			return (int)i;
	}
	return -1;
}

/* ---- two of them ---- */

struct type layout_shared_type(const struct type *type)
{
	struct type t = *type;

	if (t.kind == TYPE_BITFIELD)
		t.kind = TYPE_UNSIGNED;
	return t;
}

/* Can an event have both fields in the same position? */
static enum layout_difference compare_shared(const struct layout_field *a, const struct layout_field *b)
{
	struct type x = layout_shared_type(&a->type), y = layout_shared_type(&b->type);

	if (strcmp(a->name, b->name))
		return LAYOUT_OTHER_NAME;
	if (x.show != y.show || x.until_null != y.until_null || x.is_stack != y.is_stack || !names_same(a->names, b->names))
		return LAYOUT_OTHER_TYPE;
	return x.kind == y.kind && x.size == y.size && x.count == y.count ? LAYOUT_SAME : LAYOUT_OTHER_TYPE;
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Compares everything that layout_print() prints of a field. */
static bool same_field(const struct layout_field *a, const struct layout_field *b)
{
	return a->type.kind == b->type.kind && a->type.bit_width == b->type.bit_width && a->type.bit_off == b->type.bit_off &&
	       a->count == b->count && (a->mark == LAYOUT_NO_MARK) == (b->mark == LAYOUT_NO_MARK) && a->room == b->room &&
	       a->grows == b->grows && a->bit_off == b->bit_off && a->bit_width == b->bit_width && a->typed == b->typed &&
	       a->elapsed == b->elapsed && same_text(a->label, b->label);
}

/* Compares the other things that it prints, except the hook. */
static bool same_head(const struct layout *a, const struct layout *b)
{
	return a->stacks == b->stacks && a->at_breakpoint == b->at_breakpoint && a->dialect == b->dialect && a->has_parent == b->has_parent &&
	       a->at_entry == b->at_entry && a->site_off == b->site_off && same_text(a->site_name, b->site_name) && same_text(a->func, b->func) && same_text(a->typed, b->typed);
}

enum layout_difference layout_compare(const struct layout *a, const struct layout *b, unsigned *ret_field)
{
	bool same = same_head(a, b);

	if (a->is_return != b->is_return || a->probe != b->probe)
		return LAYOUT_OTHER_KIND;
	if (a->nr_fields != b->nr_fields)
		return LAYOUT_OTHER_NUMBER;
	same = same && a->nr_hidden == b->nr_hidden;
	for (unsigned i = a->nr_fields; same && i < layout_all(a); i++)
		same = !strcmp(a->fields[i].name, b->fields[i].name) && same_field(&a->fields[i], &b->fields[i]);
	for (unsigned i = 0; i < a->nr_fields; i++) {
		enum layout_difference difference = compare_shared(&a->fields[i], &b->fields[i]);

		if (difference) {
			*ret_field = i;
			return difference;
		}
		same = same && same_field(&a->fields[i], &b->fields[i]);
	}
	return same ? LAYOUT_SAME : LAYOUT_OTHER_DETAIL;
}
