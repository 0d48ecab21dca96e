// SPDX-License-Identifier: GPL-2.0-only
/*
 * strings.c - texts, each once.
 */
#include "report/strings.h"

#include <stdlib.h>
#include <string.h>

void strings_fini(struct strings *s)
{
	free(s->all);
	index_fini(&s->index);
	arena_fini(&s->arena);
	*s = (struct strings){ 0 };
}

static uint32_t find(const struct strings *s, uint64_t hash, const char *text, size_t len)
{
	uint32_t at = 0, nr;

	while ((nr = index_next(&s->index, hash, &at)) != INDEX_NONE) {
		if (s->all[nr].len == len && !memcmp(s->all[nr].text, text, len))
			break;
	}
	return nr;
}

uint32_t strings_find(const struct strings *s, const char *text, size_t len)
{
	return find(s, index_hash(0, text, len), text, len);
}

uint32_t strings_add(struct strings *s, const char *text, size_t len)
{
	uint64_t hash = index_hash(0, text, len);
	uint32_t nr = find(s, hash, text, len);

	if (nr != INDEX_NONE)
		return nr;
	s->all = heap_grow(s->all, s->nr, &s->size);
	s->all[s->nr] = (struct string){ .text = arena_strndup(&s->arena, text, len), .len = (uint32_t)len };
	s->bytes += len;
	index_add(&s->index, hash, s->nr);
	return s->nr++;
}
