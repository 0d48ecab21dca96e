// SPDX-License-Identifier: GPL-2.0-only
/*
 * home.c - says which machine the lines that follow are from.
 */
#include "print/home.h"

#include <string.h>

#include "base/escape.h"

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool home_is_same(const struct home *a, const struct home *b)
{
	return same(a->host, b->host) && same(a->boot, b->boot);
}

/* Anybody can name a machine, and a file can say anything. */
static void add_name(struct buf *out, const char *key, const char *name)
{
	buf_adds(out, key);
	if (name)
		escape_text(out, name, strlen(name), "");
	else
		buf_addc(out, '?');
}

void home_line(void *to, struct text *t, const struct home *home, struct buf *out)
{
	(void)to;
	(void)t;
	add_name(out, "# host: ", home->host);
	if (home->other_boots)
		add_name(out, ", boot: ", home->boot);
	buf_addc(out, '\n');
}
