// SPDX-License-Identifier: GPL-2.0-only
/*
 * privileges.c - gives up what this process may do and does not need any more, and says so.
 */
#include "stream/privileges.h"

#include <stdio.h>

#include "base/buf.h"
#include "stream/options.h"

/* AddressSanitizer looks for leaks at the end by ptrace(2), which no run of bprobe needs. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

void privileges_keep(const struct options *o, const struct rights *r)
{
	struct buf report = { 0 };

	if (o->keep_privileges || SANITIZED)
		return;
	rights_keep(r, &report);
	if (o->set.verbose)
		fprintf(stderr, "bprobe: from now on: %s\n", buf_str(&report));
	buf_fini(&report);
}
