// SPDX-License-Identifier: GPL-2.0-only
/*
 * patterns.c - lists of patterns.
 */
#include "plan/patterns.h"

#include <fnmatch.h>
#include <string.h>

const char **patterns_split(struct arena *arena, const char *text)
{
	const char **list = arena_array(arena, const char *, strlen(text) / 2 + 2);
	unsigned nr = 0;

	while (*text) {
		size_t len = strcspn(text, ",");

		if (len)
			list[nr++] = arena_strndup(arena, text, len);
		text += len + (text[len] == ',');
	}
	list[nr] = NULL;
	return list;
}

bool patterns_match(void *ctx, const char *name)
{
	for (const char *const *p = ctx; *p; p++) {
		if (!fnmatch(*p, name, 0))
			return true;
	}
	return false;
}
