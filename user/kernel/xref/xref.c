// SPDX-License-Identifier: GPL-2.0-only
/*
 * xref.c - finds the addresses of given functions in bytes.
 *
 * Three filters, one after the other: is the word between the lowest and the highest function (sixteen bytes at a
 * time); is its bit in a bitmap set; is it exactly one of the functions. In code the word must be part of an instruction that uses it
 * (text_references()). Uses no symbols, and no memory except what it is given: see xref_regions.c.
 *
 * All text of the kernel and the modules is in the top 2 GiB of the address space. So 32 bits are enough to tell its
 * addresses apart, as they are for the compiler.
 */
#include "kernel/xref/xref.h"

#include "arch/kernel.h"
#include "base/macros.h"
#include "base/scan.h"
#include "kernel/xref/xref_priv.h"

struct target {
	uint64_t addr;
	struct xref *ref;
	uint32_t skipping;	/* branches behind a landing pad of its, seen before its first bytes were */
	uint8_t thunk;		/* calls may go to the address this many bytes before it; 0: none do */
};

struct xref_set {
	struct target *target;	/* sorted by address */
	size_t nr;
	uint32_t low, span;	/* what may count: [low, low + span], as lower 32 bits */
	uint8_t *filter;
	bool has_thunks;
	const struct xref_range *constants;	/* see xref_set_constants() */
	size_t nr_constants;
};

/* ---- the set ---- */

static int by_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct target *)a)->addr, y = ((const struct target *)b)->addr;

	return x < y ? -1 : x > y;
}

static void filter_add(struct xref_set *set, uint32_t addr)
{
	addr &= TEXT_FILTER_BITS - 1;
	set->filter[addr / 8] |= (uint8_t)(1 << addr % 8);
}

static inline bool filter_has(const struct xref_set *set, uint32_t addr)
{
	return text_filter_has(set->filter, addr);
}

struct xref_set *xref_set_new(struct xref *refs, size_t nr)
{
	struct xref_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->target = calloc(nr + 1, sizeof(*set->target));
	set->filter = calloc(TEXT_FILTER_BITS / 8, 1);
	if (!set->target || !set->filter) {
		xref_set_free(set);
		return NULL;
	}
	for (size_t i = 0; i < nr; i++) {
		if (refs[i].addr < KERNEL_CODE_FIRST)
			continue;
		set->target[set->nr++] = (struct target){ .addr = refs[i].addr, .ref = &refs[i] };
		filter_add(set, (uint32_t)refs[i].addr);
		filter_add(set, (uint32_t)refs[i].addr + ENTRY_PAD_SIZE);
	}
	qsort(set->target, set->nr, sizeof(*set->target), by_addr);
	if (set->nr) {
		set->low = (uint32_t)set->target[0].addr;
		set->span = (uint32_t)set->target[set->nr - 1].addr + ENTRY_PAD_SIZE - set->low;
	}
	return set;
}

void xref_set_free(struct xref_set *set)
{
	if (!set)
		return;
	free(set->target);
	free(set->filter);
	free(set);
}

/* The first target at or above @addr; set->nr: none. */
static size_t lower_bound(const struct xref_set *set, uint64_t addr)
{
	size_t from = 0, to = set->nr;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (set->target[mid].addr < addr)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static struct target *find(const struct xref_set *set, uint64_t addr)
{
	size_t i = lower_bound(set, addr);

	return i < set->nr && set->target[i].addr == addr ? &set->target[i] : NULL;
}

void xref_set_thunk(struct xref_set *set, uint64_t addr, unsigned distance)
{
	struct target *t = find(set, addr);
	uint32_t thunk = (uint32_t)addr - distance;

	if (!t)
		return;
	t->thunk = (uint8_t)distance;
	filter_add(set, thunk);
	if (t == set->target && thunk < set->low) {
		set->span += set->low - thunk;
		set->low = thunk;
	}
	set->has_thunks = true;
}

void xref_set_constants(struct xref_set *set, const struct xref_range *range, size_t nr)
{
	set->constants = range;
	set->nr_constants = nr;
}

static bool is_constant(const struct xref_set *set, uint64_t place)
{
	for (size_t i = 0; i < set->nr_constants && set->constants[i].start <= place; i++) {
		if (place < set->constants[i].end)
			return true;
	}
	return false;
}

/* ---- what a match means ---- */

static bool has_pad(const struct target *t)
{
	return t->ref->entry == ENTRY_PAD || t->ref->entry == ENTRY_SEALED;
}

static bool in_body(const struct target *t, uint64_t place)
{
	return place >= t->ref->addr && place < t->ref->end;
}

static void found_pointer(void *ctx, uint64_t value, uint64_t place)
{
	const struct xref_set *set = ctx;
	struct target *t = find(set, value);

	if (t && !in_body(t, place) && !is_constant(set, place))
		t->ref->pointers++;
}

/*
 * Counts a branch to the function itself, to the address behind its landing pad (7.x rewrites calls this way), or to its
 * thunk.
 */
static void found_branch(void *ctx, uint64_t value, uint64_t place)
{
	const struct xref_set *set = ctx;
	struct target *t = find(set, value);
	size_t next;

	if (t) {
		t->ref->branches += !in_body(t, place);
		return;
	}
	t = find(set, value - ENTRY_PAD_SIZE);
	if (t && !in_body(t, place)) {
		if (has_pad(t))
			t->ref->branches++;
		else
			t->skipping++;
		return;
	}
	next = set->has_thunks ? lower_bound(set, value) : set->nr;
	if (next < set->nr) {
		t = &set->target[next];
		if (t->thunk && t->addr - t->thunk == value && !in_body(t, place))
			t->ref->branches++;
	}
}

/* ---- entries ---- */

/* Reads the entries of the functions that begin in this piece. */
static void read_entries(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base)
{
	for (size_t i = lower_bound(set, base); i < set->nr; i++) {
		struct target *t = &set->target[i];

		if (t->addr - base + ENTRY_PAD_SIZE > len)
			break;
		t->ref->entry = text_entry(bytes + (t->addr - base));
		if (has_pad(t))
			t->ref->branches += t->skipping;
		t->skipping = 0;
	}
}

/* ---- text ---- */

void xref_text_from(struct xref_set *set, const uint8_t *bytes, size_t from, size_t len,
		    uint64_t base)
{
	const struct text_search search = {
		.low = set->low, .span = set->span, .filter = set->filter, .branch = found_branch, .address = found_pointer, .ctx = set,
	};

	if (!set->nr)
		return;
	read_entries(set, bytes, len, base);
	text_references(&search, bytes, from, len, base);
}

void xref_scan_text(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base)
{
	xref_text_from(set, bytes, 0, len, base);
}

/* ---- data ---- */

/* Checks a word that may be an address (of 64 bits: its lower half) or may be relative to its own place. */
static void data_word(struct xref_set *set, const uint8_t *at, uint64_t place)
{
	uint64_t value = scan_address(at);

	if (filter_has(set, (uint32_t)value))
		found_pointer(set, value, place);
	value += place;
	if (filter_has(set, (uint32_t)value))
		found_pointer(set, value, place);
}

void xref_scan_data(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base)
{
	size_t i = ROUND_UP(base, 4) - base;
	struct scan_near near = scan_near_start(set->low, set->span, (uint32_t)(base + i));

	if (!set->nr)
		return;
	for (; i + 16 <= len; i += 16) {
		for (unsigned in = scan_near_words(&near, bytes + i); in; in &= in - 1) {
			size_t at = i + 4 * (unsigned)__builtin_ctz(in);

			data_word(set, bytes + at, base + at);
		}
	}
	for (; i + 4 <= len; i += 4)
		data_word(set, bytes + i, base + i);
}
