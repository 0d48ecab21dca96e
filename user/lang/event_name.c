// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_name.c - compares the names of events.
 */
#include "lang/event_name.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

bool name_same_event(const char *group, const char *event, const char *other_group, const char *other_event)
{
	return !strcmp(event, other_event) && !strcmp(group, other_group);
}

bool name_matches(const char *group, const char *event, const char *name)
{
	const char *slash = strchr(name, '/');
	auto_free char *wanted = NULL;

	if (!slash)
		return !fnmatch(name, event, 0);
	wanted = strndup(name, (size_t)(slash - name));
	return wanted && !fnmatch(wanted, group, 0) && (!slash[1] || !fnmatch(slash + 1, event, 0));
}
