// SPDX-License-Identifier: GPL-2.0-only
/*
 * xref.c - finds the addresses of given functions in bytes.
 *
 * Three filters, one after the other: is the word between the lowest and the highest function (sixteen bytes at a
 * time); is its bit in a bitmap set; is it exactly one of the functions, and part of an instruction that uses it this
 * way. Uses no symbols, and no memory except what it is given: see xref_regions.c.
 *
 * All text of the kernel and the modules is in the top 2 GiB of the address space. So 32 bits are enough to tell its
 * addresses apart, as they are for the compiler.
 */
#include "kernel/xref/xref.h"

#include <emmintrin.h>

#include "arch/kernel.h"
#include "base/macros.h"
#include "kernel/xref/xref_priv.h"

/* The filter has one bit for each address modulo FILTER_BITS: 1 MiB. */
#define FILTER_BITS	((uint32_t)1 << 23)

struct target {
	uint64_t addr;
	struct xref *ref;
	uint32_t skipping;	/* branches to its address + 4, seen before its first 4 bytes were */
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
	addr &= FILTER_BITS - 1;
	set->filter[addr / 8] |= (uint8_t)(1 << addr % 8);
}

static inline bool filter_has(const struct xref_set *set, uint32_t addr)
{
	addr &= FILTER_BITS - 1;
	return set->filter[addr / 8] >> addr % 8 & 1;
}

struct xref_set *xref_set_new(struct xref *refs, size_t nr)
{
	struct xref_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->target = calloc(nr + 1, sizeof(*set->target));
	set->filter = calloc(FILTER_BITS / 8, 1);
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

static bool has_endbr(const struct target *t)
{
	return t->ref->entry == ENTRY_PAD || t->ref->entry == ENTRY_SEALED;
}

static bool in_body(const struct target *t, uint64_t place)
{
	return place >= t->ref->addr && place < t->ref->end;
}

static void found_pointer(const struct xref_set *set, uint64_t value, uint64_t place)
{
	struct target *t = find(set, value);

	if (t && !in_body(t, place) && !is_constant(set, place))
		t->ref->pointers++;
}

/*
 * Counts a branch to the function itself, to the address after its ENDBR (7.x rewrites calls this way), or to its
 * thunk.
 */
static void found_branch(const struct xref_set *set, uint64_t value, uint64_t place)
{
	struct target *t = find(set, value);
	size_t next;

	if (t) {
		t->ref->branches += !in_body(t, place);
		return;
	}
	t = find(set, value - ENTRY_PAD_SIZE);
	if (t && !in_body(t, place)) {
		if (has_endbr(t))
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

/* The operand at @i is relative to its own end. */
static void found_relative(const struct xref_set *set, const uint8_t *bytes, size_t i,
			   uint64_t value, uint64_t place)
{
	enum operand operand = text_relative_at(bytes, i);

	if (operand == OPERAND_BRANCH)
		found_branch(set, value, place);
	else if (operand == OPERAND_ADDRESS)
		found_pointer(set, value, place);
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
		if (has_endbr(t))
			t->ref->branches += t->skipping;
		t->skipping = 0;
	}
}

/* ---- text ---- */

static inline int32_t load32(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint64_t extend(int32_t value)
{
	return (uint64_t)(int64_t)value;
}

/* Checks the operand at @i alone, in both ways of reading it. */
static void text_operand(const struct xref_set *set, const uint8_t *bytes, size_t i, uint64_t base)
{
	uint64_t value = extend(load32(bytes + i)), place = base + i;

	if (filter_has(set, (uint32_t)value) && text_immediate_at(bytes, i))
		found_pointer(set, value, place);
	value += place + 4;
	if (filter_has(set, (uint32_t)value))
		found_relative(set, bytes, i, value, place);
}

/*
 * Compares 16 places with @limit (lane l of vector k is place k + 4l). Returns a bit for each place: 1 if it is above
 * @limit, 0 if it is in range.
 */
static inline unsigned lanes_above(__m128i v0, __m128i v1, __m128i v2, __m128i v3, __m128i limit)
{
	__m128i a = _mm_packs_epi32(_mm_cmpgt_epi32(v0, limit), _mm_cmpgt_epi32(v1, limit));
	__m128i b = _mm_packs_epi32(_mm_cmpgt_epi32(v2, limit), _mm_cmpgt_epi32(v3, limit));

	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}

/* The place that a bit of lanes_above() belongs to. */
static inline unsigned lane_place(unsigned bit)
{
	return bit / 4 + bit % 4 * 4;
}

static inline __m128i load128(const uint8_t *at)
{
	return _mm_loadu_si128((const __m128i *)(const void *)at);
}

/* Checks the relative operands among 16 places; @in has a bit for each place that is in range. */
static inline void text_relative(const struct xref_set *set, const uint8_t *bytes, size_t i,
				 uint64_t base, unsigned in)
{
	for (; in; in &= in - 1) {
		size_t at = i + lane_place((unsigned)__builtin_ctz(in));
		uint64_t value = extend(load32(bytes + at)) + base + at + 4;

		if (__builtin_expect(filter_has(set, (uint32_t)value), 0))
			found_relative(set, bytes, at, value, base + at);
	}
}

static inline void text_absolute(const struct xref_set *set, const uint8_t *bytes, size_t i,
				 uint64_t base, unsigned in)
{
	for (; in; in &= in - 1) {
		size_t at = i + lane_place((unsigned)__builtin_ctz(in));
		uint64_t value = extend(load32(bytes + at));

		if (__builtin_expect(filter_has(set, (uint32_t)value), 0) &&
		    text_immediate_at(bytes, at))
			found_pointer(set, value, base + at);
	}
}

/* SSE2 compares only signed numbers, so all values are reduced by 2^31. */
#define SIGNED		0x80000000u

void xref_text_from(struct xref_set *set, const uint8_t *bytes, size_t from, size_t len,
		    uint64_t base)
{
	const __m128i limit = _mm_set1_epi32((int)(set->span - SIGNED));
	const __m128i absolute = _mm_set1_epi32((int)(0u - set->low - SIGNED));
	const __m128i one = _mm_set1_epi32(1), step = _mm_set1_epi32(16);
	uint32_t end0 = (uint32_t)base + (uint32_t)from + 4 - set->low - SIGNED;
	__m128i rel0 = _mm_add_epi32(_mm_set1_epi32((int)end0), _mm_set_epi32(12, 8, 4, 0));
	size_t i = from;

	if (!set->nr)
		return;
	read_entries(set, bytes, len, base);
	for (; i + 19 <= len; i += 16) {
		__m128i v0 = load128(bytes + i), v1 = load128(bytes + i + 1);
		__m128i v2 = load128(bytes + i + 2), v3 = load128(bytes + i + 3);
		__m128i rel1 = _mm_add_epi32(rel0, one), rel2 = _mm_add_epi32(rel1, one);
		__m128i rel3 = _mm_add_epi32(rel2, one);
		unsigned in;

		in = 0xffff & ~lanes_above(_mm_add_epi32(v0, rel0), _mm_add_epi32(v1, rel1),
					   _mm_add_epi32(v2, rel2), _mm_add_epi32(v3, rel3), limit);
		text_relative(set, bytes, i, base, in);
		in = 0xffff & ~lanes_above(_mm_add_epi32(v0, absolute), _mm_add_epi32(v1, absolute),
					   _mm_add_epi32(v2, absolute), _mm_add_epi32(v3, absolute),
					   limit);
		text_absolute(set, bytes, i, base, in);
		rel0 = _mm_add_epi32(rel0, step);
	}
	for (; i + 4 <= len; i++)
		text_operand(set, bytes, i, base);
}

void xref_scan_text(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base)
{
	xref_text_from(set, bytes, 0, len, base);
}

/* ---- data ---- */

/* Checks a word that may be an address (of 64 bits: its lower half) or may be relative to its own place. */
static void data_word(const struct xref_set *set, const uint8_t *at, uint64_t place)
{
	uint64_t value = extend(load32(at));

	if (filter_has(set, (uint32_t)value))
		found_pointer(set, value, place);
	value += place;
	if (filter_has(set, (uint32_t)value))
		found_pointer(set, value, place);
}

void xref_scan_data(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base)
{
	const __m128i limit = _mm_set1_epi32((int)(set->span - SIGNED));
	const __m128i absolute = _mm_set1_epi32((int)(0u - set->low - SIGNED));
	const __m128i step = _mm_set1_epi32(16);
	size_t i = ROUND_UP(base, 4) - base;
	uint32_t place0 = (uint32_t)(base + i) - set->low - SIGNED;
	__m128i rel = _mm_add_epi32(_mm_set1_epi32((int)place0), _mm_set_epi32(12, 8, 4, 0));

	if (!set->nr)
		return;
	for (; i + 16 <= len; i += 16) {
		__m128i v = load128(bytes + i);
		__m128i above = _mm_and_si128(_mm_cmpgt_epi32(_mm_add_epi32(v, rel), limit),
					      _mm_cmpgt_epi32(_mm_add_epi32(v, absolute), limit));
		unsigned in = 0xf & ~(unsigned)_mm_movemask_ps(_mm_castsi128_ps(above));

		for (; in; in &= in - 1) {
			size_t at = i + 4 * (unsigned)__builtin_ctz(in);

			data_word(set, bytes + at, base + at);
		}
		rel = _mm_add_epi32(rel, step);
	}
	for (; i + 4 <= len; i += 4)
		data_word(set, bytes + i, base + i);
}
