/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan.h - looks at 16 bytes at a time.
 *
 * The result is usually a bit for each of the 16 bytes: the lowest bit is the first byte's. Each function has two forms: plain C, which compiles
 * for every CPU, and SSE2. The names without a form, such as scan_zeroes(), are those of the fastest form that this CPU has. Both
 * forms give the same results: test_scan.c compares them.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#define SCAN_FORM(name)	scan_sse2_ ## name
#else
#define SCAN_FORM(name)	scan_plain_ ## name
#endif

/* Which bytes are NUL? */
#define scan_zeroes		SCAN_FORM(zeroes)

/* Copies the bytes, and replaces control characters, also NUL, by '?'. */
#define scan_copy_printable	SCAN_FORM(copy_printable)

/* Copies the bytes. Which are control characters, '\\' or @quote? */
#define scan_copy_line		SCAN_FORM(copy_line)

/* Copies the bytes. Which are below ' ', '"', '\\' or not ASCII? */
#define scan_copy_json		SCAN_FORM(copy_json)

/* Where does a word of four bytes begin whose first and last bytes are those of @word? Reads 19 bytes. */
#define scan_word		SCAN_FORM(word)

/*
 * Where does a word of four bytes begin that may be @most or less, by its last byte alone, and by the last two if that of @most is 0?
 * Reads 19 bytes.
 */
#define scan_below		SCAN_FORM(below)

/* The address that the word of four bytes at @at is, when the CPU extends it by its sign. */
static inline uint64_t scan_address(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return (uint64_t)(int64_t)value;
}

/*
 * Which words of four bytes are addresses from @low to @low + @span: absolute, or relative to an address? For a search that goes on by 16
 * bytes each time. @place is the address for the first word of all, and it is 1 higher for each byte that a word is further on. All numbers
 * have 32 bits, and wrap.
 */
#define scan_near		SCAN_FORM(near)
#define scan_near_start		SCAN_FORM(near_start)		/* (low, span, place) */

/*
 * Of the words at each of the 16 bytes, reading 19 bytes. Call the first one and then the second one, for the same bytes: after that the
 * search goes on. A bit of the result is that of the word at byte scan_near_place(bit).
 */
#define scan_near_relative	SCAN_FORM(near_relative)	/* (near, at) */
#define scan_near_absolute	SCAN_FORM(near_absolute)	/* (near) */
#define scan_near_place		SCAN_FORM(near_place)

/* Of the four words at bytes 0, 4, 8 and 12, in either of the two ways: a bit for each. The search goes on. */
#define scan_near_words		SCAN_FORM(near_words)		/* (near, at) */

static inline void scan_copy(void *to, const void *from)
{
	memcpy(to, from, 16);
}

/* ---- plain C ---- */

static inline unsigned scan_plain_zeroes(const char *at)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 16; i++)
		found |= (unsigned)!at[i] << i;
	return found;
}

static inline bool scan_is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static inline void scan_plain_copy_printable(char *to, const char *from)
{
	for (unsigned i = 0; i < 16; i++)
		to[i] = scan_is_control(from[i]) ? '?' : from[i];
}

static inline unsigned scan_plain_copy_line(char *to, const char *from, char quote)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 16; i++)
		found |= (unsigned)(scan_is_control(from[i]) || from[i] == '\\' || from[i] == quote) << i;
	scan_copy(to, from);
	return found;
}

static inline unsigned scan_plain_copy_json(char *to, const char *from)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 16; i++)
		found |= (unsigned)((signed char)from[i] < 0x20 || from[i] == '"' || from[i] == '\\') << i;
	scan_copy(to, from);
	return found;
}

static inline unsigned scan_plain_word(const unsigned char *at, uint32_t word)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 16; i++)
		found |= (unsigned)(at[i] == (word & 0xff) && at[i + 3] == word >> 24) << i;
	return found;
}

static inline unsigned scan_plain_below(const unsigned char *at, uint32_t most)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 16; i++)
		found |= (unsigned)(most >> 24 ? at[i + 3] <= most >> 24 : !at[i + 3] && at[i + 2] <= most >> 16) << i;
	return found;
}

struct scan_plain_near {
	uint32_t low, span, place;
	const uint8_t *at;		/* of scan_near_relative() */
};

static inline struct scan_plain_near scan_plain_near_start(uint32_t low, uint32_t span, uint32_t place)
{
	return (struct scan_plain_near){ .low = low, .span = span, .place = place };
}

static inline uint32_t scan_plain_load(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static inline unsigned scan_plain_near_relative(struct scan_plain_near *n, const uint8_t *at)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 16; i++)
		found |= (unsigned)(scan_plain_load(at + i) + n->place + i - n->low <= n->span) << i;
	n->at = at;
	return found;
}

static inline unsigned scan_plain_near_absolute(struct scan_plain_near *n)
{
	unsigned found = 0;

	n->place += 16;
	for (unsigned i = 0; i < 16; i++)
		found |= (unsigned)(scan_plain_load(n->at + i) - n->low <= n->span) << i;
	return found;
}

static inline unsigned scan_plain_near_place(unsigned bit)
{
	return bit;
}

static inline unsigned scan_plain_near_words(struct scan_plain_near *n, const uint8_t *at)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint32_t word = scan_plain_load(at + 4 * i);

		found |= (unsigned)(word + n->place + 4 * i - n->low <= n->span || word - n->low <= n->span) << i;
	}
	n->place += 16;
	return found;
}

/* ---- SSE2 ---- */

#ifdef __SSE2__

static inline __m128i scan_sse2_load(const void *at)
{
	return _mm_loadu_si128((const __m128i *)at);
}

static inline unsigned scan_sse2_zeroes(const char *at)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(scan_sse2_load(at), _mm_setzero_si128()));
}

static inline __m128i scan_sse2_controls(__m128i v)
{
	return _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v), _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)));
}

static inline void scan_sse2_copy_printable(char *to, const char *from)
{
	__m128i v = scan_sse2_load(from), odd = scan_sse2_controls(v);

	v = _mm_or_si128(_mm_andnot_si128(odd, v), _mm_and_si128(odd, _mm_set1_epi8('?')));
	_mm_storeu_si128((__m128i *)(void *)to, v);
}

static inline unsigned scan_sse2_copy_line(char *to, const char *from, char quote)
{
	__m128i v = scan_sse2_load(from), odd = _mm_or_si128(scan_sse2_controls(v), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));

	_mm_storeu_si128((__m128i *)(void *)to, v);
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(odd, _mm_cmpeq_epi8(v, _mm_set1_epi8(quote))));
}

/* As signed numbers, bytes that are not ASCII are negative. */
static inline unsigned scan_sse2_copy_json(char *to, const char *from)
{
	__m128i v = scan_sse2_load(from), low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
	__m128i other = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));

	_mm_storeu_si128((__m128i *)(void *)to, v);
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(low, other));
}

static inline unsigned scan_sse2_word(const unsigned char *at, uint32_t word)
{
	const __m128i first = _mm_set1_epi8((char)word), last = _mm_set1_epi8((char)(word >> 24));
	__m128i a = _mm_cmpeq_epi8(scan_sse2_load(at), first), b = _mm_cmpeq_epi8(scan_sse2_load(at + 3), last);

	return (unsigned)_mm_movemask_epi8(_mm_and_si128(a, b));
}

static inline unsigned scan_sse2_below(const unsigned char *at, uint32_t most)
{
	const __m128i last = _mm_set1_epi8((char)(most >> 24)), third = _mm_set1_epi8((char)(most >> 16));
	__m128i c = scan_sse2_load(at + 2), b = scan_sse2_load(at + 3);

	if (most >> 24)
		return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(b, last), b));
	return (unsigned)_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(b, last), _mm_cmpeq_epi8(_mm_min_epu8(c, third), c)));
}

/* SSE2 compares only signed numbers, so all numbers are reduced by 2^31. */
struct scan_sse2_near {
	__m128i limit;		/* the span */
	__m128i absolute;	/* is added to a word */
	__m128i relative;	/* the same, for the words at the bytes 0, 4, 8 and 12 */
	__m128i v0, v1, v2, v3;	/* of scan_near_relative() */
};

static inline struct scan_sse2_near scan_sse2_near_start(uint32_t low, uint32_t span, uint32_t place)
{
	const uint32_t half = 0x80000000u;

	return (struct scan_sse2_near){
		.limit = _mm_set1_epi32((int)(span - half)),
		.absolute = _mm_set1_epi32((int)(0u - low - half)),
		.relative = _mm_add_epi32(_mm_set1_epi32((int)(place - low - half)), _mm_set_epi32(12, 8, 4, 0)),
	};
}

/* Lane l of vector k is the word at byte k + 4 * l. The result has the opposite: a bit for each word that is above @limit. */
static inline unsigned scan_sse2_above(__m128i v0, __m128i v1, __m128i v2, __m128i v3, __m128i limit)
{
	__m128i a = _mm_packs_epi32(_mm_cmpgt_epi32(v0, limit), _mm_cmpgt_epi32(v1, limit));
	__m128i b = _mm_packs_epi32(_mm_cmpgt_epi32(v2, limit), _mm_cmpgt_epi32(v3, limit));

	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}

static inline unsigned scan_sse2_near_relative(struct scan_sse2_near *n, const uint8_t *at)
{
	const __m128i one = _mm_set1_epi32(1);
	__m128i rel0 = n->relative, rel1 = _mm_add_epi32(rel0, one), rel2 = _mm_add_epi32(rel1, one), rel3 = _mm_add_epi32(rel2, one);

	n->v0 = scan_sse2_load(at);
	n->v1 = scan_sse2_load(at + 1);
	n->v2 = scan_sse2_load(at + 2);
	n->v3 = scan_sse2_load(at + 3);
	return 0xffff & ~scan_sse2_above(_mm_add_epi32(n->v0, rel0), _mm_add_epi32(n->v1, rel1), _mm_add_epi32(n->v2, rel2),
					 _mm_add_epi32(n->v3, rel3), n->limit);
}

static inline unsigned scan_sse2_near_absolute(struct scan_sse2_near *n)
{
	n->relative = _mm_add_epi32(n->relative, _mm_set1_epi32(16));
	return 0xffff & ~scan_sse2_above(_mm_add_epi32(n->v0, n->absolute), _mm_add_epi32(n->v1, n->absolute),
					 _mm_add_epi32(n->v2, n->absolute), _mm_add_epi32(n->v3, n->absolute), n->limit);
}

/* packs puts the four words of a vector side by side. */
static inline unsigned scan_sse2_near_place(unsigned bit)
{
	return bit / 4 + bit % 4 * 4;
}

static inline unsigned scan_sse2_near_words(struct scan_sse2_near *n, const uint8_t *at)
{
	__m128i v = scan_sse2_load(at);
	__m128i above = _mm_and_si128(_mm_cmpgt_epi32(_mm_add_epi32(v, n->relative), n->limit),
				      _mm_cmpgt_epi32(_mm_add_epi32(v, n->absolute), n->limit));

	n->relative = _mm_add_epi32(n->relative, _mm_set1_epi32(16));
	return 0xf & ~(unsigned)_mm_movemask_ps(_mm_castsi128_ps(above));
}

#endif
#endif
