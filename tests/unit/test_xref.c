// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_xref.c - references to functions, in bytes that the test makes;
 * test_xref_scan.c searches a whole kernel.
 */
#include "kernel/xref/xref.h"
#include "kernel/xref/xref_priv.h"
#include "tap.h"

#define FUNC	0xffffffff81234560ul	/* the function that is looked for */
#define TEXT	0xffffffff81000000ul	/* the address of a case's bytes */

/* ---- one operand in text ---- */

struct text_case {
	const char *what;
	const char *before;	/* bytes before the operand */
	size_t len;
	int64_t to;		/* its target, as a distance from FUNC */
	bool absolute;
	bool branch, pointer;
};

#define BYTES(s)	s, sizeof(s) - 1

static const struct text_case text_cases[] = {
	{ "call", BYTES("\xe8"), 0, false, true, false },
	{ "jmp", BYTES("\xe9"), 0, false, true, false },
	{ "cs call", BYTES("\x2e\xe8"), 0, false, true, false },
	{ "je", BYTES("\x0f\x84"), 0, false, true, false },
	{ "jg", BYTES("\x0f\x8f"), 0, false, true, false },
	{ "a call with a kprobe on it", BYTES("\xcc"), 0, false, true, false },
	{ "a jcc with a kprobe on it", BYTES("\xcc\x85"), 0, false, true, false },
	{ "lea to rax", BYTES("\x48\x8d\x05"), 0, false, false, true },
	{ "lea to r15", BYTES("\x4c\x8d\x3d"), 0, false, false, true },
	{ "mov to rdi", BYTES("\x48\xc7\xc7"), 0, true, false, true },
	{ "mov to r8", BYTES("\x49\xc7\xc0"), 0, true, false, true },
	{ "mov to memory at rdi", BYTES("\x48\xc7\x07"), 0, true, false, true },
	{ "mov to memory, 8-bit offset", BYTES("\x48\xc7\x43\x18"), 0, true, false, true },
	{ "mov to the stack", BYTES("\x48\xc7\x44\x24\x08"), 0, true, false, true },
	{ "mov to memory, 32-bit offset", BYTES("\x48\xc7\x83\x18\x01\0\0"), 0, true, false, true },
	{ "mov to a global", BYTES("\x48\xc7\x05\x11\x22\x33\0"), 0, true, false, true },
	{ "mov to the stack, far", BYTES("\x48\xc7\x84\x24\x11\x22\0\0"), 0, true, false, true },
	{ "push", BYTES("\x68"), 0, true, false, true },
	{ "cmp with rax", BYTES("\x48\x3d"), 0, true, false, true },
	{ "cmp with rdi", BYTES("\x48\x81\xff"), 0, true, false, true },
	{ "cmp with memory", BYTES("\x48\x81\x7f\x18"), 0, true, false, true },
	{ "movabs", BYTES("\x48\xb8"), 0, true, false, true },
	/* Not to the function. */
	{ "call one byte short", BYTES("\xe8"), -1, false, false, false },
	{ "call one byte in", BYTES("\xe8"), 1, false, false, false },
	{ "call behind an ENDBR that is none", BYTES("\xe8"), 4, false, false, false },
	{ "call far below", BYTES("\xe8"), -0x100000, false, false, false },
	{ "call to its padding", BYTES("\xe8"), -16, false, false, false },
	/* Not an instruction with such an operand. */
	{ "mov from memory", BYTES("\x48\x8b\x05"), 0, false, false, false },
	{ "lea from rax", BYTES("\x48\x8d\x80"), 0, false, false, false },
	{ "0f 34", BYTES("\x0f\x34"), 0, false, false, false },
	{ "84 without 0f", BYTES("\x90\x84"), 0, false, false, false },
	{ "no opcode for an immediate", BYTES("\x90\x90\x90\x90\x90\x90\x90\x90"), 0, true, false, false },
};

/* The operand after @c->before, at @at; returns the length of both. */
static size_t put_case(uint8_t *to, uint64_t at, const struct text_case *c)
{
	uint64_t value = FUNC + (uint64_t)c->to;
	uint32_t operand = (uint32_t)(c->absolute ? value : value - (at + c->len + 4));

	memcpy(to, c->before, c->len);
	memcpy(to + c->len, &operand, sizeof(operand));
	return c->len + 4;
}

/* Each case at all 16 offsets, and at the end of its piece; then without its last byte. */
static void test_operands(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_cases); i++) {
		const struct text_case *c = &text_cases[i];
		unsigned good = 0, wrong = 0;

		for (unsigned off = 0; off < 32; off++) {
			size_t len = off < 16 ? 96 : off + c->len + 4;

			for (unsigned cut = 0; cut < 2; cut++) {
				struct xref ref = { .addr = FUNC, .end = FUNC + 0x40 };
				struct xref_set *set = xref_set_new(&ref, 1);
				uint8_t *bytes = malloc(len);	/* exactly so much: ASan checks */

				memset(bytes, 0x90, len);
				put_case(bytes + off, TEXT + off, c);
				xref_scan_text(set, bytes, cut ? off + c->len + 3 : len, TEXT);
				if (ref.branches == (c->branch && !cut) &&
				    ref.pointers == (c->pointer && !cut))
					good++;
				else
					wrong++;
				xref_set_free(set);
				free(bytes);
			}
		}
		CHECK(good == 64 && !wrong, "%s is %s: %u times, not %u", c->what,
		      c->branch ? "a branch" : c->pointer ? "a pointer" : "nothing", good, wrong);
	}
}

/* ---- the function's own body and entry ---- */

static void test_body(void)
{
	static const struct { uint64_t at; bool counts; } cases[] = {
		{ FUNC - 5, true }, { FUNC, false }, { FUNC + 0x30, false }, { FUNC + 0x3f, true },
		{ FUNC + 0x40, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct xref ref = { .addr = FUNC, .end = FUNC + 0x40 };
		struct xref_set *set = xref_set_new(&ref, 1);
		uint8_t bytes[32];

		memset(bytes, 0x90, sizeof(bytes));
		put_case(bytes, cases[i].at, &text_cases[0]);
		xref_scan_text(set, bytes, sizeof(bytes), cases[i].at);
		CHECK(ref.branches == cases[i].counts, "a call at %+ld %s",
		      (long)(cases[i].at - FUNC), cases[i].counts ? "counts" : "is its own");
		xref_set_free(set);
	}
}

/* Two ranges of a page with a page between them: an address in them is a constant, a branch counts. */
static void test_constants(void)
{
	static const struct xref_range ranges[] = { { TEXT, TEXT + 0x1000 }, { TEXT + 0x2000, TEXT + 0x3000 } };
	static const struct { uint64_t at; bool counts; } cases[] = {
		{ TEXT - 0x20, true }, { TEXT, false }, { TEXT + 0xfe0, false }, { TEXT + 0x1000, true }, { TEXT + 0x1fe0, true },
		{ TEXT + 0x2000, false }, { TEXT + 0x2fe0, false }, { TEXT + 0x3000, true },
	};
	const struct text_case *call = &text_cases[0], *push = &text_cases[17];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct xref ref = { .addr = FUNC, .end = FUNC + 0x40 };
		struct xref_set *set = xref_set_new(&ref, 1);
		uint8_t bytes[32];

		xref_set_constants(set, ranges, ARRAY_SIZE(ranges));
		memset(bytes, 0x90, sizeof(bytes));
		put_case(bytes + put_case(bytes, cases[i].at, push), cases[i].at + push->len + 4, call);
		xref_scan_text(set, bytes, sizeof(bytes), cases[i].at);
		CHECK(ref.pointers == cases[i].counts && ref.branches == 1, "an address at %+ld %s, a call counts", (long)(cases[i].at - TEXT),
		      cases[i].counts ? "counts" : "is a constant");
		xref_set_free(set);
	}
}

static void test_entries(void)
{
	static const struct { const char *what, *bytes; enum entry entry; } cases[] = {
		{ "push", "\x55\x48\x89\xe5", ENTRY_PLAIN },
		{ "endbr64", "\xf3\x0f\x1e\xfa", ENTRY_PAD },
		{ "endbr32", "\xf3\x0f\x1e\xfb", ENTRY_PLAIN },
		{ "a sealed one, 5.18 to 6.15", "\x66\x0f\x1f\x00", ENTRY_SEALED },
		{ "a sealed one since", "\x0f\x1f\x40\xd6", ENTRY_SEALED },
		{ "endbr64 with a kprobe on it", "\xcc\x0f\x1e\xfa", ENTRY_PAD },
		{ "a sealed one with a kprobe on it", "\xcc\x1f\x40\xd6", ENTRY_SEALED },
		{ "nops", "\x0f\x1f\x44\x00", ENTRY_PLAIN },
	};
	struct text_case skip = text_cases[0];

	skip.to = 4;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const uint8_t *entry = (const uint8_t *)cases[i / 2].bytes;
		struct xref ref = { .addr = FUNC, .end = FUNC + 0x40 };
		struct xref_set *set = xref_set_new(&ref, 1);
		bool first = i % 2, has = cases[i / 2].entry != ENTRY_PLAIN;
		uint8_t bytes[32];

		memset(bytes, 0x90, sizeof(bytes));
		put_case(bytes, TEXT, &skip);
		if (first)
			xref_scan_text(set, entry, 4, FUNC);
		xref_scan_text(set, bytes, sizeof(bytes), TEXT);
		CHECK(ref.branches == (first && has) && (first || ref.entry == ENTRY_UNSEEN),
		      "%s: a call behind it counts when it was seen (%d)", cases[i / 2].what, first);
		if (!first)
			xref_scan_text(set, entry, 4, FUNC);
		CHECK(ref.branches == has && ref.entry == cases[i / 2].entry && !ref.pointers,
		      "%s: in either order (%u branches)", cases[i / 2].what, ref.branches);
		xref_set_free(set);
	}
}

/* With call depth tracking, calls lead to a place at a fixed distance before the function. */
static void test_thunk(void)
{
	for (int distance = 9; distance <= 11; distance++) {
		struct xref refs[] = { { .addr = FUNC, .end = FUNC + 64 }, { .addr = FUNC + 64, .end = FUNC + 128 } };
		struct xref_set *set = xref_set_new(refs, 2);
		struct text_case c = text_cases[0];
		uint8_t bytes[32];

		memset(bytes, 0x90, sizeof(bytes));
		c.to = -distance;
		put_case(bytes, TEXT, &c);
		xref_set_thunk(set, FUNC, 10);
		xref_scan_text(set, bytes, sizeof(bytes), TEXT);
		CHECK(refs[0].branches == (distance == 10) && !refs[1].branches,
		      "a call %d bytes before a function whose thunk is 10 before", distance);
		xref_set_free(set);
	}
}

/* ---- data ---- */

static void test_data(void)
{
	static const struct { const char *what; unsigned off; uint64_t word; unsigned size, count; } cases[] = {
		{ "an address", 8, FUNC, 8, 1 },
		{ "an address at 4 modulo 8", 12, FUNC, 8, 1 },
		{ "the lower half", 4, (uint32_t)FUNC, 4, 1 },
		{ "a relative one", 20, (uint32_t)(FUNC - (TEXT + 20)), 4, 1 },
		{ "the last word", 44, (uint32_t)(FUNC - (TEXT + 44)), 4, 1 },
		{ "an address at an odd place", 9, FUNC, 8, 0 },
		{ "relative to behind itself", 20, (uint32_t)(FUNC - (TEXT + 24)), 4, 0 },
		{ "one byte in", 8, FUNC + 1, 8, 0 },
		{ "behind its ENDBR", 8, FUNC + 4, 8, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (unsigned shift = 0; shift < 4; shift++) {
			struct xref ref = { .addr = FUNC, .end = FUNC + 0x40, .entry = ENTRY_PAD };
			struct xref_set *set = xref_set_new(&ref, 1);
			uint8_t *bytes = calloc(48 - shift, 1);

			/* The words of a piece are at aligned addresses, even if the piece begins at an odd address. */
			if (cases[i].off >= shift) {
				memcpy(bytes + cases[i].off - shift, &cases[i].word, cases[i].size);
				xref_scan_data(set, bytes, 48 - shift, TEXT + shift);
				CHECK(ref.pointers == cases[i].count && !ref.branches,
				      "%s, %u bytes cut off before: %u", cases[i].what, shift, ref.pointers);
			}
			xref_set_free(set);
			free(bytes);
		}
	}
}

/* ---- many functions, compared with a simple search ---- */

enum { MANY = 5000, SIZE = 1 << 20 };

static uint32_t random32(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 32);
}

static bool is_among(const struct xref *refs, uint64_t value, size_t *ret)
{
	uint64_t i = (value - TEXT) / 256;

	*ret = (size_t)i;
	return value >= TEXT && i < MANY && refs[i].addr == value;
}

/* In these bytes the opcodes that matter are frequent, operands are near, and functions are close to each other. */
static void fill(uint8_t *bytes, const struct xref *refs, uint64_t *state)
{
	static const uint8_t opcodes[] = { 0xe8, 0xe9, 0x0f, 0x84, 0x48, 0x8d, 0x05, 0xc7, 0x68, 0x00 };

	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = random32(state) % 3 ? opcodes[random32(state) % sizeof(opcodes)] : (uint8_t)random32(state);
	for (size_t i = 8; i + 8 < SIZE; i += 8 + random32(state) % 32) {
		uint64_t to = refs[random32(state) % MANY].addr;
		uint32_t word = (uint32_t)(random32(state) % 2 ? to : to - (TEXT + i + 4));

		memcpy(bytes + i, &word, sizeof(word));
	}
}

static void test_many(void)
{
	struct xref *refs = calloc(MANY, sizeof(*refs)), *plain = calloc(MANY, sizeof(*plain));
	uint8_t *bytes = malloc(SIZE);
	uint64_t state = 1, sum = 0, different = 0;
	struct xref_set *set;

	for (size_t i = 0; i < MANY; i++) {
		refs[i].addr = TEXT + i * 256 + random32(&state) % 128;
		refs[i].end = refs[i].addr + 64;
		plain[i] = refs[i];
	}
	fill(bytes, refs, &state);
	for (size_t i = 2; i + 4 <= SIZE; i++) {
		uint64_t place = TEXT + i;
		int32_t word;
		size_t at;

		memcpy(&word, bytes + i, sizeof(word));
		if (is_among(refs, place + 4 + (uint64_t)(int64_t)word, &at) &&
		    (place < refs[at].addr || place >= refs[at].end))
			plain[at].branches += (bytes[i - 1] & 0xfe) == 0xe8 || bytes[i - 1] == 0xcc ||
				((bytes[i - 2] == 0x0f || bytes[i - 2] == 0xcc) && (bytes[i - 1] & 0xf0) == 0x80);
	}
	set = xref_set_new(refs, MANY);
	xref_scan_text(set, bytes, SIZE, TEXT);
	for (size_t i = 0; i < MANY; i++) {
		sum += plain[i].branches;
		different += refs[i].branches != plain[i].branches;
	}
	CHECK(sum > 1000 && !different, "%d functions, %lu branches: %lu functions differ", MANY,
	      (unsigned long)sum, (unsigned long)different);
	xref_set_free(set);
	free(refs);
	free(plain);
	free(bytes);
}

int main(void)
{
	test_operands();
	test_body();
	test_constants();
	test_entries();
	test_thunk();
	test_data();
	test_many();
	return tap_done();
}
