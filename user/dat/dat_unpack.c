// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_unpack.c - converts a record of a trace.dat back to the ring's record. Nothing in a file is trusted.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dat/dat_record.h"

/* ---- the extras that were said ---- */

struct dat_extras_slot {
	uint64_t common;		/* the record's first 8 bytes */
	bool used;
	struct dat_extra extra;
};

/*
 * A page of 1 MiB, the largest, has fewer extras than this. When the young table is full it becomes the old one. So the two
 * tables have at least all extras of the page that is being read, and their size has a limit.
 */
enum { SLOTS_FIRST = 64, EXTRAS_MAX = 1 << 15 };

static struct dat_extras_slot *find(struct dat_extras_slot *all, uint32_t size, uint64_t common)
{
	uint32_t at = (uint32_t)(common * 0x9e3779b97f4a7c15u >> 32);

	while (all[at & (size - 1)].used && all[at & (size - 1)].common != common)
		at++;
	return &all[at & (size - 1)];
}

static void grow(struct dat_extras *e)
{
	uint32_t size = e->size ? e->size * 2 : (uint32_t)SLOTS_FIRST;
	struct dat_extras_slot *more;

	if (e->nr >= EXTRAS_MAX) {
		free(e->old);
		e->old = e->young;
		e->old_size = e->size;
		e->young = NULL;
		e->nr = e->size = 0;
		size = SLOTS_FIRST;
	}
	more = must(calloc(size, sizeof(*more)));
	for (uint32_t i = 0; i < e->size; i++) {
		if (e->young[i].used)
			*find(more, size, e->young[i].common) = e->young[i];
	}
	free(e->young);
	e->young = more;
	e->size = size;
}

static void keep(struct dat_extras *e, uint64_t common, const struct dat_extra *extra)
{
	struct dat_extras_slot *at;

	if (2 * (e->nr + 1) > e->size)
		grow(e);
	at = find(e->young, e->size, common);
	e->nr += !at->used;
	*at = (struct dat_extras_slot){ common, true, *extra };
}

/* What is not known is printed as ftrace prints it. */
static struct dat_extra recall(const struct dat_extras *e, uint64_t common)
{
	const struct dat_extras_slot *at = e->young ? find(e->young, e->size, common) : NULL;

	if (!at || !at->used)
		at = e->old ? find(e->old, e->old_size, common) : NULL;
	if (at && at->used)
		return at->extra;
	return (struct dat_extra){ .preempt = BP_PREEMPT_UNKNOWN, .eflags = DAT_EFLAGS_UNKNOWN, .comm = "<...>" };
}

void dat_extras_fini(struct dat_extras *e)
{
	free(e->young);
	free(e->old);
	*e = (struct dat_extras){ 0 };
}

/* ---- records ---- */

/* What a record says besides its fields and strings. */
struct told {
	const unsigned char *marks;	/* NULL: none is set */
	struct dat_extra extra;
	uint16_t fault_off;
};

struct loc {
	uint32_t off, len;
};

static struct loc get_loc(const unsigned char *record, uint32_t at, uint32_t len)
{
	uint32_t loc;
	struct loc l;

	memcpy(&loc, record + at, sizeof(loc));
	l = (struct loc){ loc & 0xffff, loc >> 16 };
	return l.off + l.len <= len ? l : (struct loc){ 0 };
}

/* Up to version 1 of the format: behind the marks, before the strings. */
struct extra_1 {
	char comm[BP_COMM_LEN];
	uint32_t tgid, preempt, tif, eflags;
	uint16_t migrate, fault_off;
	uint32_t reserved;
};
_Static_assert(sizeof(struct extra_1) == 40, "struct extra_1 is a file's");

static int read_1(const struct layout *l, const unsigned char *record, uint32_t len, struct told *ret)
{
	struct extra_1 old;

	if (len < l->dyn_off + sizeof(old))
		return -EBADMSG;
	memcpy(&old, record + l->dyn_off, sizeof(old));
	ret->marks = record + l->marks_off;
	ret->fault_off = old.fault_off;
	ret->extra = (struct dat_extra){ .tgid = old.tgid, .migrate = old.migrate, .preempt = old.preempt, .tif = (uint16_t)old.tif,
					 .eflags = old.eflags == UINT32_MAX ? DAT_EFLAGS_UNKNOWN : (uint16_t)old.eflags };
	memcpy(ret->extra.comm, old.comm, sizeof(old.comm));
	return 0;
}

/* Where the last string ends, rounded up to 4. */
static uint32_t end_of_strings(const struct layout *l, const unsigned char *record, uint32_t len)
{
	uint32_t end = l->fixed;

	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		for (unsigned k = 0; type_is_dynamic(&f->type) && k < f->count; k++) {
			struct loc loc = get_loc(record, f->off + 4 * k, len);

			end = MAX(end, loc.off + loc.len);
		}
	}
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		struct loc loc = { 0 };

		if (l->stacks & 1u << i)
			loc = get_loc(record, l->stack_off[i], len);
		end = MAX(end, loc.off + loc.len);
	}
	return ROUND_UP(end, 4u);
}

static int read_2(const struct layout *l, struct dat_extras *extras, const unsigned char *record, uint32_t len, struct told *ret)
{
	uint32_t at, marks = l->dyn_off - l->marks_off;
	uint64_t common;
	struct dat_end end = { 0 };

	if (len < l->fixed || len < sizeof(common))
		return -EBADMSG;
	memcpy(&common, record, sizeof(common));
	at = end_of_strings(l, record, len);
	if (at + sizeof(end) <= len) {
		memcpy(&end, record + len - sizeof(end), sizeof(end));
		if (at + (end.has_marks ? marks : 0) + (end.has_extra ? sizeof(ret->extra) : 0) + sizeof(end) != len)
			return -EBADMSG;
	}
	ret->marks = end.has_marks ? record + at : NULL;
	ret->fault_off = end.fault_off;
	if (!end.has_extra) {
		ret->extra = recall(extras, common);
		return 0;
	}
	memcpy(&ret->extra, record + len - sizeof(end) - sizeof(ret->extra), sizeof(ret->extra));
	keep(extras, common, &ret->extra);
	return 0;
}

static void add_head(const struct told *told, struct buf *out)
{
	const struct dat_extra *e = &told->extra;
	struct bp_rec rec = { .tgid = e->tgid, .preempt = e->preempt, .migrate = e->migrate, .tif = e->tif };

	rec.eflags = e->eflags;
	if (e->eflags == DAT_EFLAGS_UNKNOWN)
		rec.eflags = BP_EFLAGS_UNKNOWN;
	memcpy(rec.comm, e->comm, sizeof(rec.comm));
	buf_reset(out);
	buf_add(out, &rec, BP_BODY_OFF);
}

/* The text of a string[*] without strings, as dat_record.c makes it. */
static bool is_empty(const unsigned char *text, uint32_t len)
{
	return len == 2 && !memcmp(text, "{}", 2);
}

static int set_loc(struct buf *out, uint32_t at, uint32_t loc)
{
	memcpy(out->data + BP_BODY_OFF + at, &loc, sizeof(loc));
	return 0;
}

/* The first string of a string[*] is behind the text of all. 0: there is no string. */
static int add_first(const unsigned char *record, struct loc from, uint32_t at, struct buf *out)
{
	uint32_t made = (uint32_t)strnlen((const char *)record + from.off, from.len), len = from.len - made;
	uint32_t loc = is_empty(record + from.off, made) ? 0 : (uint32_t)out->len - BP_BODY_OFF;

	if (!len)			/* the text has no NUL */
		return -EBADMSG;
	len--;
	buf_add(out, record + from.off + made + 1, len);
	return set_loc(out, at, loc | len << 16);
}

static int add_string(const struct layout_field *f, unsigned element, const unsigned char *record, uint32_t len,
		      const struct told *told, struct buf *out)
{
	uint32_t start = (uint32_t)out->len - BP_BODY_OFF, at = f->off + 4 * element, loc;
	struct loc from = get_loc(record, at, len);
	const uint64_t *addr;

	if (f->type.until_null && !element)
		return add_first(record, from, at, out);
	if (f->type.until_null && !from.len)
		return set_loc(out, at, 0);
	if (f->type.kind == TYPE_BUFFER) {
		start = from.off ? start : 0;		/* an empty one has a place */
		buf_add(out, record + from.off, from.len);
	} else if (!from.len || (told->fault_off && from.off == told->fault_off)) {
		start = f->type.until_null ? start : 0;		/* 0 would be the end of a string[*] */
		from.len = 0;
	} else if (f->type.kind == TYPE_SYMSTR) {
		if (from.len < sizeof(*addr))
			return -EBADMSG;
		buf_add(out, record + from.off + from.len - sizeof(*addr), sizeof(*addr));
		from.len = sizeof(*addr);
	} else if (f->type.kind == TYPE_BLOCK) {
		if (from.len < f->room)
			return -EBADMSG;
		buf_add(out, record + from.off + from.len - f->room, f->room);
		from.len = f->room;
	} else {
		buf_add(out, record + from.off, from.len);
	}
	loc = from.len << 16 | start;
	return set_loc(out, at, loc);
}

static void add_stack(uint32_t at, const unsigned char *record, uint32_t len, struct buf *out)
{
	struct loc from = get_loc(record, at, len);
	uint32_t loc = from.len << 16 | (from.off ? (uint32_t)out->len - BP_BODY_OFF : 0);

	buf_add(out, record + from.off, from.len);
	memcpy(out->data + BP_BODY_OFF + at, &loc, sizeof(loc));
}

int dat_record_unpack(const struct dat_format *f, struct dat_extras *extras, const unsigned char *record, uint32_t len,
		      struct buf *out)
{
	const struct layout *l = &f->layout;
	struct told told = { 0 };
	int err = f->version == 1 ? read_1(l, record, len, &told) : read_2(l, extras, record, len, &told);

	if (err)
		return err;
	add_head(&told, out);
	buf_add(out, record, l->fixed);
	buf_pad(out, '\0', l->marks_off - l->fixed);
	if (told.marks)
		buf_add(out, told.marks, l->dyn_off - l->marks_off);
	else
		buf_pad(out, '\0', l->dyn_off - l->marks_off);
	for (unsigned i = 0; !err && i < l->nr_fields; i++) {
		for (unsigned k = 0; !err && type_is_dynamic(&l->fields[i].type) && k < l->fields[i].count; k++)
			err = add_string(&l->fields[i], k, record, len, &told, out);
	}
	for (unsigned i = 0; !err && i < STACK_KINDS; i++) {
		if (l->stacks & 1u << i)
			add_stack(l->stack_off[i], record, len, out);
	}
	return err;
}
