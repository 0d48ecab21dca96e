/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * home.h - the kernel that events are from: how their places and flags are read, and what its machine is called.
 */
#ifndef PRINT_HOME_H
#define PRINT_HOME_H

#include "base/buf.h"
#include "print/event.h"

struct ksyms;
struct sender;
struct text;

struct home {
	const struct ksyms *ks;		/* NULL: not known */
	struct context_rules rules;
	const char *host;		/* the machine's name; NULL: not known */
	const char *boot;		/* its boot id; NULL: not known */
	const char *kernel;		/* the kernel's release; NULL: not known */
	const struct sender *sender;	/* what objects say of it; NULL: they do not say it */
	unsigned machine;		/* its number among those whose events come */
	bool other_boots;		/* events of other boots of this host come, too: its name alone does not tell */
};

/* Are both the same boot of the same machine? */
bool home_is_same(const struct home *a, const struct home *b);

/* For struct sink: the line "# host: NAME" or "# host: NAME, boot: ID". Readers of ftrace's lines pass over it. */
void home_line(void *to, struct text *t, const struct home *home, struct buf *out);

#endif
