// SPDX-License-Identifier: GPL-2.0-only
/*
 * match.c - the functions that a pattern names.
 */
#include "plan/match.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/buf.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "plan/resolver.h"

/* One pattern of a list, "tcp_*,sys_read". */
struct pattern {
	const char *text;
	const char *call;		/* the pattern behind sys_ for system calls; NULL: it means functions */
	struct span at;
	bool met;
};

struct patterns {
	struct pattern *at;
	unsigned nr;
};

static struct patterns split(struct arena *arena, const struct place *place, const struct ksyms *ks)
{
	struct patterns list = { arena_array(arena, struct pattern, strlen(place->symbol) / 2 + 2) };
	uint32_t off = place->symbol_at.off;

	for (const char *word = place->symbol; *word;) {
		size_t len = strcspn(word, ",");
		struct pattern *p = &list.at[list.nr];

		if (len) {
			p->text = arena_strndup(arena, word, len);
			p->call = place->module || !ks ? NULL : ksyscall_wanted(ks, p->text);
			p->at = (struct span){ off, (uint32_t)len };
			list.nr++;
		}
		len += word[len] == ',';
		word += len;
		off += (uint32_t)len;
	}
	return list;
}

/* Does the function's name @name match one of the patterns? Marks all that match. *ret_call: it matches as a system call. */
static bool matches(const struct patterns *list, const char *name, bool *ret_call)
{
	const char *call = ksyscall_run_by(name);
	bool any = false;

	*ret_call = false;
	for (unsigned i = 0; i < list->nr; i++) {
		struct pattern *p = &list->at[i];

		if (any && p->met)
			continue;
		if (p->call ? !call || fnmatch(p->call, call, 0) : fnmatch(p->text, name, 0))
			continue;
		*ret_call = any ? *ret_call : p->call != NULL;
		any = p->met = true;
	}
	return any;
}

static bool is_candidate(const struct place *place, const struct ksym *sym)
{
	/* NAME.cold is a part of NAME, and not a function that other code calls. */
	if (!ksym_is_function(sym) || ksym_is_marker(sym) || strstr(sym->name, ".cold"))
		return false;
	return place->module ? sym->module && !strcmp(sym->module, place->module) : !sym->module;
}

/* Is the address not in the set yet? Aliases are next to each other in kallsyms. Hidden addresses are all 0. */
static bool is_new(const struct match_set *set, uint64_t addr)
{
	return !set->nr || !addr || set->at[set->nr - 1].addr != addr;
}

static int no_match(const struct resolver *r, const char *pattern, struct span at)
{
	const struct place *place = &r->def->place;

	if (place->module && r->ks && !ksyms_has_module(r->ks, place->module)) {
		diag_at(r->diag, -ENOENT, place->at, "module %s is not loaded, and a pattern cannot wait for it",
			place->module);
		if (strpbrk(place->module, "*?["))
			diag_note(r->diag, "help: a module is given by its whole name; without MODULE: a pattern means functions of the kernel");
		else
			diag_note(r->diag, "help: load it first: modprobe %s", place->module);
		return -ENOENT;
	}
	if (!strpbrk(pattern, "*?[,"))
		return resolve_unknown_symbol(r, pattern, at);
	return diag_at(r->diag, -ENOENT, at, "no function matches '%s'", pattern);
}

/* The symbols that a pattern may match: all of the table up to a number, or those whose numbers are listed. */
struct candidates {
	struct buf numbers;		/* size_t; not used if all is set */
	bool all;
	size_t nr;
};

/* The part of each pattern before its first star decides which symbols have to be looked at. */
static struct candidates find_candidates(const struct resolver *r, const struct patterns *patterns)
{
	const char **prefixes = arena_array(r->arena, const char *, patterns->nr);
	bool module = r->def->place.module;
	struct candidates c = { .all = true };

	for (unsigned i = 0; i < patterns->nr; i++) {
		const struct pattern *p = &patterns->at[i];
		const char *text = p->call ? ksyscall_function(r->arena, p->call) : p->text;

		prefixes[i] = arena_strndup(r->arena, text, strcspn(text, "*?[\\"));
	}
	if (r->ks && !module)
		c.all = !ksyms_find_begins(r->ks, prefixes, patterns->nr, &c.numbers);
	if (c.all)
		c.nr = !r->ks ? 0 : module ? ksyms_count(r->ks) : ksyms_own_count(r->ks);
	else
		c.nr = c.numbers.len / sizeof(size_t);
	return c;
}

/* A set that grows up to the number of candidates. */
struct taken {
	const struct resolver *r;
	struct match_set *set;
	struct matched *room;
	uint64_t refused_addr;		/* the last one; 0: none */
};

static void take(struct taken *to, uint64_t addr, size_t number, bool call)
{
	to->room[to->set->nr++] = (struct matched){ addr, (uint32_t)number, call };
	to->set->nr_calls += call;
}

/* With "*" no name decides, but those of parts: see is_candidate(). */
static void take_any(void *ctx, const struct ksyms_function *f)
{
	struct taken *to = ctx;

	if ((f->name && strstr(f->name, ".cold")) || !is_new(to->set, f->addr))
		return;
	/* An alias is refused as the name before it was. */
	if ((f->addr && f->addr == to->refused_addr) || ktext_function_banned(to->r->facts->text, f)) {
		to->refused_addr = f->addr;
		to->set->nr_refused++;
		return;
	}
	take(to, f->addr, f->number, false);
}

/* All of the kernel's functions, in one pass. False: there is no such pass, or other functions are wanted. */
static bool take_all(const struct patterns *patterns, struct taken *to)
{
	const struct resolver *r = to->r;

	if (patterns->nr != 1 || strcmp(patterns->at[0].text, "*") || r->def->place.module || !r->ks || !r->facts->text)
		return false;
	if (!ksyms_pass(r->ks, take_any, to)) {
		to->set->nr = to->set->nr_refused = 0;
		return false;
	}
	patterns->at[0].met = to->set->nr;
	return true;
}

/* Adds all functions that are candidates and match a pattern to @set. */
static void take_functions(const struct resolver *r, const struct patterns *patterns, struct match_set *set)
{
	struct candidates candidates = find_candidates(r, patterns);
	const size_t *numbers = (const size_t *)(const void *)candidates.numbers.data;
	struct taken to = { r, set, arena_array(r->arena, struct matched, candidates.nr), 0 };

	set->ks = r->ks;
	set->at = to.room;
	if (take_all(patterns, &to))
		candidates.nr = 0;
	for (size_t i = 0; i < candidates.nr; i++) {
		size_t number = candidates.all ? i : numbers[i];
		const struct ksym *sym;
		bool call;

		if (!ksyms_may_be_function(r->ks, number))
			continue;
		sym = ksyms_at(r->ks, number);
		if (!is_candidate(&r->def->place, sym) || !matches(patterns, sym->name, &call) || !is_new(set, sym->addr))
			continue;
		if (r->facts->text && ktext_banned(r->facts->text, sym->addr))
			set->nr_refused++;
		else
			take(&to, sym->addr, number, call);
	}
	buf_fini(&candidates.numbers);
}

const struct ksym *match_symbol(const struct match_set *set, unsigned i)
{
	return ksyms_at(set->ks, set->at[i].number);
}

const char *match_name(struct arena *arena, const struct match_set *set, unsigned i)
{
	const char *name = match_symbol(set, i)->name;

	return set->at[i].call ? ksyscall_name(arena, set->ks, ksyscall_run_by(name)) : name;
}

int match_functions(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		    struct match_set *ret, struct diag *diag)
{
	const struct place *place = &def->place;
	struct resolver r = { .arena = arena, .def = def, .typed = place->symbol, .ks = facts->ks, .btf = facts->btf,
			      .facts = facts, .diag = diag };
	struct patterns patterns = split(arena, place, facts->ks);
	struct match_set set = { 0 };

	diag->text = def->text;
	take_functions(&r, &patterns, &set);
	if (!set.nr && set.nr_refused)
		return diag_at(diag, -ENOENT, place->at, "the kernel allows no probe in any of the %u functions that match '%s'",
			       set.nr_refused, place->symbol);
	for (unsigned i = 0; i < patterns.nr; i++) {
		const struct pattern *p = &patterns.at[i];

		if (!p->met && !strpbrk(p->text, "*?["))
			return no_match(&r, p->text, p->at);
	}
	if (!set.nr)
		return no_match(&r, place->symbol, place->at);
	*ret = set;
	return 0;
}
