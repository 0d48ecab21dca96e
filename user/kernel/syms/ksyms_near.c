// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_near.c - finds names that are similar to a name that does not exist.
 *
 * First come variants of the name that the compiler made. Then come names that begin with it (functions get a suffix
 * when they get another argument). Then come names that differ by a typing error.
 */
#include "base/edits.h"
#include "kernel/syms/ksyms_table.h"

/* Edits allowed: one for each four letters and one more, but never more than this. */
#define MAX_EDITS	4

/* Many names may begin with what was typed. Only so many of them are shown, the shortest first. */
#define MAX_LONGER	3

struct near {
	const char *name;
	size_t len, stem;	/* length of the name; length up to its first '.' */
	uint64_t letters;	/* the characters in it, see letters_of() */
	unsigned max_edits;
};

/* The symbols found so far, best first. */
struct ranking {
	const struct ksym **sym;
	unsigned *edits;
	size_t count, max;
};

/* One bit for each character, so that two sets can be compared in one step. */
static uint64_t letters_of(const char *s, size_t len)
{
	uint64_t set = 0;

	for (size_t i = 0; i < len; i++)
		set |= (uint64_t)1 << (s[i] & 63);
	return set;
}

/* foo and foo.isra.0 are variants of each other, and of foo.cold. */
static bool is_variant(const struct near *n, const char *name)
{
	return !strncmp(name, n->name, n->stem) && (!name[n->stem] || name[n->stem] == '.');
}

/*
 * 0: a variant; otherwise the number of edits, or max_edits + 1 for too many. The length or the letters exclude almost
 * every name: one edit adds at most one new letter, and removes at most one.
 */
static unsigned rank_name(const struct near *n, const char *name)
{
	unsigned none = n->max_edits + 1;
	uint64_t letters;
	size_t len;

	if (is_variant(n, name))
		return 0;
	len = n->stem < n->len ? strlen(name) : strcspn(name, ".");
	if (len > EDITS_LONGEST || len + n->max_edits < n->len || len > n->len + n->max_edits)
		return none;
	letters = letters_of(name, len);
	if ((unsigned)__builtin_popcountll(letters & ~n->letters) > n->max_edits ||
	    (unsigned)__builtin_popcountll(n->letters & ~letters) > n->max_edits)
		return none;
	return edits_between(n->name, n->len, name, len, n->max_edits);
}

/* Is @name like tcp_drop_reason for tcp_drop? Returns how many letters are added; 0: it is no such name. */
static unsigned letters_added(const struct near *n, const char *name)
{
	if (strncmp(name, n->name, n->len) || name[n->len] != '_')
		return 0;
	return (unsigned)strlen(name + n->len);
}

static bool is_ranked(const struct ranking *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++) {
		if (!strcmp(r->sym[i]->name, name))
			return true;
	}
	return false;
}

/* Inserts @sym after those that are equally good, so the table's order decides among equals. */
static void insert(struct ranking *r, const struct ksym *sym, unsigned edits)
{
	size_t at = r->count < r->max ? r->count++ : r->max - 1;

	for (; at && r->edits[at - 1] > edits; at--) {
		r->sym[at] = r->sym[at - 1];
		r->edits[at] = r->edits[at - 1];
	}
	r->sym[at] = sym;
	r->edits[at] = edits;
}

/* Adds @sym to @r with its @rank, unless @r is full and all of its symbols are at least as good. */
static void rank(struct ranking *r, const struct ksym *sym, unsigned rank)
{
	if (r->count == r->max && rank >= r->edits[r->max - 1])
		return;
	if (!is_ranked(r, sym->name))
		insert(r, sym, rank);
}

/* Inserts the names of @longer before those of @r that are no variants. The last ones of @r are dropped. */
static void merge(struct ranking *r, const struct ranking *longer)
{
	size_t at = 0, nr = longer->count;

	while (at < r->count && !r->edits[at])
		at++;
	nr = MIN(nr, r->max - at);
	for (size_t i = MIN(r->count + nr, r->max); i > at + nr; i--)
		r->sym[i - 1] = r->sym[i - 1 - nr];
	memcpy(r->sym + at, longer->sym, nr * sizeof(*r->sym));
	r->count = MIN(r->count + nr, r->max);
}

size_t ksyms_similar(const struct ksyms *ks, const char *name, const struct ksym **ret, size_t max)
{
	struct near n = { .name = name, .len = strlen(name) };
	struct ranking r = { .sym = ret, .max = max }, longer = { .max = MAX_LONGER };
	struct arena arena = { 0 };

	if (!max || !n.len)
		return 0;
	n.stem = strcspn(name, ".");
	n.letters = letters_of(name, n.len);
	/* For a longer name, only variants are found. No real name is that long. */
	n.max_edits = n.len > EDITS_LONGEST ? 0 : (unsigned)MIN(1 + n.len / 4, (size_t)MAX_EDITS);
	r.edits = arena_array(&arena, unsigned, max);
	longer.sym = arena_array(&arena, const struct ksym *, MAX_LONGER);
	longer.edits = arena_array(&arena, unsigned, MAX_LONGER);
	for (size_t i = 0, count = ksyms_count(ks); i < count; i++) {
		const struct ksym *sym = ksyms_at(ks, i);
		unsigned edits, added;

		if (!ksym_is_function(sym) || ksym_is_marker(sym))
			continue;
		added = letters_added(&n, sym->name);
		edits = added ? 0 : rank_name(&n, sym->name);
		if (added)
			rank(&longer, sym, added);
		else if (edits <= n.max_edits)
			rank(&r, sym, edits);
	}
	merge(&r, &longer);
	arena_fini(&arena);
	return r.count;
}
