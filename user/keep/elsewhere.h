/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elsewhere.h - kept events beside those that are loaded: what their histograms have is there for others.
 */
#ifndef KEEP_ELSEWHERE_H
#define KEEP_ELSEWHERE_H

#include "hist/triggers.h"
#include "keep/store.h"

struct elsewhere {
	const struct triggers_probe *probes;	/* one for each event that has triggers, and each synthetic event */
	const struct stored **events;		/* the same events */
	unsigned nr;
};

/* The events of @list but for those that @leaves_out is true for. All of it, and what it points to, is in @arena or in @list. */
void elsewhere_find(struct arena *arena, const struct stored *list, unsigned nr,
		    bool (*leaves_out)(void *ctx, const struct stored *ev), void *ctx, struct elsewhere *ret);

/* Opens the table of @t if it is a trigger of these. False: it is not, and *ret_err is unchanged. Else *ret_err is as of store_open_table(). */
bool elsewhere_open_table(const struct elsewhere *e, const struct trigger *t, struct count_table *table, int *ret_err);

/*
 * Does a trigger of another event of @list need something of @ev, or of its trigger @only (NULL: of any)? Those that @goes is true for do
 * not matter. -EBUSY with @diag.
 */
int elsewhere_check_unused(const struct stored *list, unsigned nr, const struct stored *ev, const struct trigger *only,
			   bool (*goes)(void *ctx, const struct stored *ev), void *ctx, struct diag *diag);

#endif
