/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sites.h - the parts that are the same in every line of a place, formatted once.
 */
#ifndef PRINT_SITES_H
#define PRINT_SITES_H

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "print/event.h"

/* How text.c prints a field. All but NAME_ANY are one value with a short name. */
enum name_form { NAME_ANY, NAME_STRING, NAME_HEX, NAME_UNSIGNED, NAME_SIGNED };

struct name {
	uint16_t len;			/* 0: too long for this array */
	uint8_t form;			/* enum name_form */
	uint8_t size;			/* of a number, in bytes; */
	uint8_t spare;			/* 64 minus its bits */
	uint32_t off;			/* of the value, in the body */
	uint32_t mark_off;		/* of the word with its mark */
	uint64_t mark;			/* its bit there; 0: it has none */
	char text[32];			/* " NAME=" */
};

/* Is there a stack, which ends with a line, in front of field @f of a synthetic event? */
static inline bool site_is_behind_stack(const struct layout *l, const struct layout_field *f)
{
	return l->is_synthetic && f > l->fields && f[-1].type.is_stack;
}

/* The names of a layout's fields. */
struct form {
	struct form *next;
	const struct layout *layout;
	uint32_t room;			/* bytes that all fields may need, without the bytes of strings */
	struct name names[];
};

static inline bool name_is_marked(const struct name *n, const struct event *ev)
{
	uint64_t marks;

	memcpy(&marks, ev->body + n->mark_off, sizeof(marks));
	return marks & n->mark;
}

/* The event's name and a location: the text behind the time. */
struct site {
	const struct layout *layout;
	uint64_t addr, caller;
	const struct form *form;
	struct buf text;		/* readable up to the next multiple of 16 */
	size_t fixed;			/* json.c: this many bytes of it are the same in every context */
	uint64_t context;		/* preempt, tif and eflags of the last hit here, */
	uint16_t migrate;
	char flags[5];			/* and the flags printed for it */
	bool has_flags;
};

_Static_assert(offsetof(struct bp_rec, comm) - offsetof(struct bp_rec, preempt) == sizeof(uint64_t), "three members are compared at once");

/* Was the last hit here in the same context as @rec? If not, the caller must format again what it stores for the context. */
static inline bool site_context(struct site *site, const struct bp_rec *rec)
{
	uint64_t context;

	memcpy(&context, &rec->preempt, sizeof(context));
	if (site->has_flags && site->context == context && site->migrate == rec->migrate)
		return true;
	site->context = context;
	site->migrate = rec->migrate;
	site->has_flags = true;
	return false;
}

/* Is it the place of @ev? */
static inline bool site_is(const struct site *site, const struct event *ev)
{
	return site->layout == ev->layout && site->addr == event_addr(ev) &&
	       (!ev->layout->is_return || site->caller == event_caller(ev));
}

struct sites;

/* The caller frees with sites_free(); NULL is fine there. If memory runs out, the process ends, as in buf.h. */
struct sites *sites_new(void);
void sites_free(struct sites *all);

/* Forgets everything, because symbols or layouts have changed. */
void sites_forget(struct sites *all);

/*
 * The place of @ev, whose caller (0 for an entry) is @caller. If its ->layout is NULL, the entry is new or belonged to
 * another place: then the caller sets all members except ->form. Valid until the next call.
 */
struct site *sites_find(struct sites *all, const struct event *ev, uint64_t caller);

#endif
