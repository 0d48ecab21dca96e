// SPDX-License-Identifier: GPL-2.0-only
/*
 * show.c - the table of ways to show a value.
 */
#include "print/show.h"

/* Its address is NULL: the value is shown as its kind says. */
#define show_number	(*(const struct show *)NULL)

static const struct show *const rows[SHOW_COUNT] = {
#define ROW(id, kept, names, btf, print, ...)	[SHOW_##id] = &show_##print,
	SHOWN_TYPES(ROW)
#undef ROW
};

const struct show *show_of(const struct type *type)
{
	return rows[type->show];
}
