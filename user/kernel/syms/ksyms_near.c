// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_near.c - finds names that are similar to a name that does not exist.
 */
#include "base/similar.h"
#include "kernel/syms/ksyms_table.h"

size_t ksyms_similar(const struct ksyms *ks, const char *name, const struct ksym **ret, size_t max)
{
	struct arena arena = { 0 };
	struct similar *s = similar_new(&arena, name, max);
	const struct similar_name *best;
	size_t nr;

	for (size_t i = 0, count = ksyms_count(ks); i < count; i++) {
		const struct ksym *sym = ksyms_at(ks, i);

		if (ksym_is_function(sym) && !ksym_is_marker(sym))
			similar_offer(s, sym->name, sym);
	}
	nr = similar_best(s, &best);
	for (size_t i = 0; i < nr; i++)
		ret[i] = best[i].what;
	arena_fini(&arena);
	return nr;
}
