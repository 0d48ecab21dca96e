/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sites.h - the parts that are the same in every line of a place, formatted once.
 */
#ifndef PRINT_SITES_H
#define PRINT_SITES_H

#include "base/buf.h"
#include "print/event.h"

struct name {
	uint16_t len;			/* 0: too long for this array */
	char text[32];			/* " NAME=" */
};

/* The names of a layout's fields. */
struct form {
	struct form *next;
	const struct layout *layout;
	struct name names[];
};

/* The event's name and a location: the text behind the time. */
struct site {
	const struct layout *layout;
	uint64_t addr, caller;
	const struct form *form;
	struct buf text;		/* readable up to the next multiple of 16 */
	size_t fixed;			/* json.c: this many bytes of it are the same in every context */
	uint32_t preempt, tif, eflags;	/* of the last hit here, */
	uint16_t migrate;
	char flags[5];			/* and the flags printed for it */
	bool has_flags;
};

/* Was the last hit here in the same context as @rec? If not, the caller must format again what it stores for the context. */
static inline bool site_context(struct site *site, const struct bp_rec *rec)
{
	if (site->has_flags && site->preempt == rec->preempt && site->tif == rec->tif &&
	    site->eflags == rec->eflags && site->migrate == rec->migrate)
		return true;
	site->preempt = rec->preempt;
	site->tif = rec->tif;
	site->eflags = rec->eflags;
	site->migrate = rec->migrate;
	site->has_flags = true;
	return false;
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
