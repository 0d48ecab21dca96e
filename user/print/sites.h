/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sites.h - what is the same in every line of a place: formatted once.
 */
#ifndef PRINT_SITES_H
#define PRINT_SITES_H

#include "base/buf.h"
#include "print/event.h"

struct name {
	uint16_t len;			/* 0: too long for here */
	char text[32];			/* " NAME=" */
};

/* The names of a layout's fields. */
struct form {
	struct form *next;
	const struct layout *layout;
	struct name names[];
};

/* The event's name and a location: what stands behind the time. */
struct site {
	const struct layout *layout;
	uint64_t addr, caller;
	const struct form *form;
	struct buf text;		/* readable up to the next multiple of 16 */
	size_t fixed;			/* json.c: so much of it is the same in every context */
	uint32_t preempt, tif, eflags;	/* of the last hit here, */
	uint16_t migrate;
	char flags[5];			/* and what was printed for them */
	bool has_flags;
};

/* Was the last hit here in the context that @rec saw? If not, what is kept for it is to be made anew. */
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

/* The caller frees with sites_free(); NULL is fine there. Out of memory ends the process, as in buf.h. */
struct sites *sites_new(void);
void sites_free(struct sites *all);

/* Forgets all: symbols or layouts have changed. */
void sites_forget(struct sites *all);

/*
 * The place of @ev, whose caller (0 for an entry) is @caller. With a ->layout of NULL it is new or was
 * another's: the caller sets all but ->form. Valid until the next call.
 */
struct site *sites_find(struct sites *all, const struct event *ev, uint64_t caller);

#endif
