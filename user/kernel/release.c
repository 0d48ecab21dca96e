// SPDX-License-Identifier: GPL-2.0-only
/*
 * release.c - which version of Linux is running.
 */
#include "kernel/release.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

unsigned release_running(void)
{
	unsigned long major, minor;
	struct utsname u;
	char *end;

	if (uname(&u))
		return 0;
	major = strtoul(u.release, &end, 10);
	if (end == u.release || *end != '.')
		return 0;
	minor = strtoul(end + 1, NULL, 10);
	return RELEASE(major, minor);
}

bool release_counts_preemption(void)
{
	struct utsname u;

	return !uname(&u) && strstr(u.version, "PREEMPT");
}
