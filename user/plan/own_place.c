// SPDX-License-Identifier: GPL-2.0-only
/*
 * own_place.c - how to write one of several functions that share a name.
 */
#include "plan/own_place.h"

#include <inttypes.h>

size_t own_place_count(const struct ksyms *ks, const char *name, const char *module)
{
	const struct ksym *const *syms;
	size_t n = ksyms_find(ks, name, module, &syms), functions = 0;

	for (size_t i = 0; i < n; i++)
		functions += ksym_is_function(syms[i]);
	return functions;
}

bool own_place_is_mixed_up(const struct ksyms *ks, struct features *features, const struct ksym *sym)
{
	return own_place_count(ks, sym->name, own_place_module(sym)) > 1 && !(features && feature(features, FEATURE_BTF_CONSISTENT));
}

const char *own_place(struct arena *arena, const struct ksyms *ks, const struct ksym *sym)
{
	const char *module = own_place_module(sym);
	bool alone = own_place_count(ks, sym->name, module) == 1;

	if (alone && !sym->module && own_place_count(ks, sym->name, NULL) == 1)
		return sym->name;
	if (alone)
		return arena_printf(arena, "%s:%s", module, sym->name);
	if (ksyms_hidden(ks))
		return NULL;
	return arena_printf(arena, "%s%s%s@0x%" PRIx64, sym->module ? sym->module : "", sym->module ? ":" : "", sym->name, sym->addr);
}
