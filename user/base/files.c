// SPDX-License-Identifier: GPL-2.0-only
/*
 * files.c - the limit of open files.
 */
#include "base/files.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/number.h"

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

/* The limit that no process may exceed (fs.nr_open); 0: unknown. */
static uint64_t most_of_all(void)
{
	auto_file f = fopen("/proc/sys/fs/nr_open", "re");
	char text[32] = "";
	uint64_t n;

	if (!f || !fgets(text, sizeof(text), f) || number_u64(text, strcspn(text, "\n"), 10, &n))
		return 0;
	return n;
}

void files_advise(uint64_t need, struct diag *diag)
{
	enum { STEP = 1024 };
	uint64_t wanted = (need + STEP - 1) / STEP * STEP, most = most_of_all();
	struct rlimit now;

	if (!getrlimit(RLIMIT_NOFILE, &now))
		diag_note(diag, "they need some %" PRIu64 " descriptors, three for each place; the limit is %" PRIu64, need,
			  (uint64_t)now.rlim_cur);
	if (most && wanted > most)
		diag_note(diag, "help: as root: sysctl fs.nr_open=%" PRIu64 "; ulimit -n %" PRIu64, wanted, wanted);
	else
		diag_note(diag, "help: raise the limit, as root: ulimit -n %" PRIu64, wanted);
}
