// SPDX-License-Identifier: GPL-2.0-only
/*
 * match.c - the functions that a pattern names.
 */
#include "plan/match.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "kernel/ksyms.h"
#include "kernel/ktext.h"

/* The patterns of a list, "tcp_*,udp_*". */
static char **split(struct arena *arena, const char *list)
{
	char *text = arena_strdup(arena, list), *save = NULL;
	char **words = arena_array(arena, char *, strlen(list) / 2 + 2);
	unsigned nr = 0;

	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save))
		words[nr++] = word;
	return words;
}

/* Marks each pattern that is met in @met. */
static bool matches(char *const *patterns, const char *name, bool *met)
{
	bool any = false;

	for (unsigned i = 0; patterns[i]; i++) {
		if ((!any || !met[i]) && !fnmatch(patterns[i], name, 0))
			any = met[i] = true;
	}
	return any;
}

static bool is_candidate(const struct place *place, const struct ksym *sym)
{
	/* NAME.cold is a piece of NAME, and no function that anyone calls. */
	if (!ksym_is_function(sym) || ksym_is_marker(sym) || strstr(sym->name, ".cold"))
		return false;
	return place->module ? sym->module && !strcmp(sym->module, place->module) : !sym->module;
}

/* Aliases stand together in kallsyms; hidden addresses are all 0. */
static bool is_new(const struct match_set *set, const struct ksym *sym)
{
	return !set->nr || !sym->addr || set->syms[set->nr - 1]->addr != sym->addr;
}

static int no_match(const struct place *place, const char *pattern, const struct ksyms *ks, struct diag *diag)
{
	if (place->module && ks && !ksyms_has_module(ks, place->module)) {
		diag_at(diag, -ENOENT, place->at, "module %s is not loaded, and a pattern cannot wait for it",
			place->module);
		diag_note(diag, "help: load it first: modprobe %s", place->module);
		return -ENOENT;
	}
	return diag_at(diag, -ENOENT, place->at, "no function is called like '%s'", pattern);
}

int match_functions(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		    struct match_set *ret, struct diag *diag)
{
	const struct place *place = &def->place;
	char **patterns = split(arena, place->symbol);
	size_t count = !facts->ks ? 0 : place->module ? ksyms_count(facts->ks) : ksyms_own_count(facts->ks);
	const struct ksym **syms = arena_array(arena, const struct ksym *, count);
	struct match_set set = { .syms = syms };
	bool *met = arena_array(arena, bool, strlen(place->symbol) + 1);

	diag->text = def->text;
	for (size_t i = 0; i < count; i++) {
		const struct ksym *sym = ksyms_at(facts->ks, i);

		if (!is_candidate(place, sym) || !matches(patterns, sym->name, met) || !is_new(&set, sym))
			continue;
		if (facts->text && ktext_banned(facts->text, sym->addr))
			set.nr_refused++;
		else
			syms[set.nr++] = sym;
	}
	if (!set.nr && set.nr_refused)
		return diag_at(diag, -ENOENT, place->at, "the kernel allows no probe in any of the %u functions "
			       "that '%s' names", set.nr_refused, place->symbol);
	if (!set.nr)
		return no_match(place, place->symbol, facts->ks, diag);
	for (unsigned i = 0; patterns[i]; i++) {
		if (!met[i] && !strpbrk(patterns[i], "*?["))
			return no_match(place, patterns[i], facts->ks, diag);
	}
	*ret = set;
	return 0;
}
