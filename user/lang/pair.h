/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pair.h - the value of --pair: two events between whose hits the time is measured.
 *
 *	[GROUP/]A:[GROUP/]B[=FIELD]
 */
#ifndef LANG_PAIR_H
#define LANG_PAIR_H

#include "base/diag.h"
#include "lang/ast.h"

/* An event that the option names. */
struct pair_event {
	const char *group;		/* NULL: none was typed */
	const char *event;
	struct span at;
};

struct pair {
	const char *text;		/* as typed; the spans are parts of it */
	struct pair_event begin, end;
	const char *field;		/* hits with the same value belong together; NULL: hits of the same task */
	struct span field_at;
	unsigned nr;			/* its number in the run, from 0 */
};

/* Fills in all but @ret->nr. It lives in @arena, and @text must live as long. -EINVAL with the caret in @diag. */
int pair_parse(struct arena *arena, const char *text, struct pair *ret, struct diag *diag);

/* Does it name the event of @def? */
bool pair_names(const struct pair_event *event, const struct probe_def *def);

#endif
