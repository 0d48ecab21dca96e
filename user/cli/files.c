// SPDX-License-Identifier: GPL-2.0-only
/*
 * files.c - how many files may be open.
 */
#include "cli/files.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void files_raise_limit(void)
{
	struct rlimit wanted;

	if (getrlimit(RLIMIT_NOFILE, &before))
		return;
	wanted = before;
	wanted.rlim_cur = wanted.rlim_max;
	raised = !setrlimit(RLIMIT_NOFILE, &wanted);
}

void files_restore_limit(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
}
