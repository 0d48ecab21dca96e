// SPDX-License-Identifier: GPL-2.0-only
/*
 * privileges.c - gives up what this process may do and does not need any more, and says so.
 */
#include "stream/privileges.h"

#include <stdio.h>

#include "base/buf.h"
#include "stream/options.h"

void privileges_keep(const struct options *o, const struct rights *r)
{
	struct buf report = { 0 };

	if (o->keep_privileges)
		return;
	rights_keep(r, &report);
	if (o->set.verbose)
		fprintf(stderr, "bprobe: from now on: %s\n", buf_str(&report));
	buf_fini(&report);
}
