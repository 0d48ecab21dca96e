// SPDX-License-Identifier: GPL-2.0-only
/*
 * none.c - what a bprobe that was built without libdw says of debug information.
 */
#include <errno.h>

#include "elf/dwarf/lines.h"

const bool lines_is_known = false;

int lines_look(struct arena *arena, int fd, const char *name, const struct lines_query *queries, unsigned nr,
	       void (*each)(void *ctx, const struct lines_query *q, const struct lines_answer *a), void *ctx, struct diag *diag)
{
	(void)arena, (void)fd, (void)name, (void)queries, (void)nr, (void)each, (void)ctx;
	return diag_set(diag, -EOPNOTSUPP, "this bprobe was built without libdw, which reads debug information");
}
