// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_near.c - names that look like a name that is not there.
 *
 * The compiler's variants of the name first, then what a slip of the finger
 * may have meant.
 */
#include "base/edits.h"
#include "kernel/ksyms_table.h"

/* Edits allowed: one for each four letters and one more, but not anything goes. */
#define MAX_EDITS	4

struct near {
	const char *name;
	size_t len, stem;	/* all of it; up to its first '.' */
	uint64_t letters;	/* which characters occur in it, see letters_of() */
	unsigned max_edits;
};

/* What was found so far, best first. */
struct ranking {
	const struct ksym **sym;
	unsigned *edits;
	size_t count, max;
};

/* One bit a character, so that two sets can be compared in one step. */
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
 * 0: a variant; otherwise the edits, max_edits + 1 for too many. Almost every
 * name is turned away by its length or its letters: one edit brings in at most
 * one letter that was not there, and takes away at most one.
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

static bool is_ranked(const struct ranking *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++) {
		if (!strcmp(r->sym[i]->name, name))
			return true;
	}
	return false;
}

/* Behind those as good as it: the table's order decides among equals. */
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

size_t ksyms_similar(const struct ksyms *ks, const char *name, const struct ksym **ret, size_t max)
{
	struct near n = { .name = name, .len = strlen(name) };
	struct ranking r = { .sym = ret, .max = max };
	struct arena arena = { 0 };

	if (!max || !n.len)
		return 0;
	n.stem = strcspn(name, ".");
	n.letters = letters_of(name, n.len);
	/* A longer name is compared by its variants only; no real one is. */
	n.max_edits = n.len > EDITS_LONGEST ? 0 : (unsigned)MIN(1 + n.len / 4, (size_t)MAX_EDITS);
	r.edits = arena_array(&arena, unsigned, max);
	for (size_t i = 0, count = ksyms_count(ks); i < count; i++) {
		const struct ksym *sym = ksyms_at(ks, i);
		unsigned edits;

		if (!ksym_is_function(sym) || ksym_is_marker(sym))
			continue;
		edits = rank_name(&n, sym->name);
		if (edits > n.max_edits || (r.count == max && edits >= r.edits[max - 1]))
			continue;
		if (!is_ranked(&r, sym->name))
			insert(&r, sym, edits);
	}
	arena_fini(&arena);
	return r.count;
}
