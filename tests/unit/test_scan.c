// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_scan.c - the two forms of each function that looks at 16 bytes at a time: they give the same results.
 *
 * On a CPU without SSE2 there is one form, and it is compared with itself; what bytes mean is tested all the same.
 */
#include "base/scan.h"

#include <stdlib.h>

#include "tap.h"

enum { ROUNDS = 4000, MOST = 70 };

static uint32_t seed = 1;

static uint32_t roll(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

/* Bytes at the limits of what is looked for are frequent. */
static char some_byte(void)
{
	static const char limits[] = "\0\x01\x1f\x20\x7e\x7f\x80\xff\"\\'?!#[]";

	return roll() % 2 ? limits[roll() % (sizeof(limits) - 1)] : (char)roll();
}

/* @len bytes whose end is the end of the memory, so that a sanitizer sees each byte that is read beyond; @shift: other alignments. */
static char *some_bytes(size_t len, size_t shift)
{
	char *bytes = malloc(len + shift);

	for (size_t i = 0; i < len + shift; i++)
		bytes[i] = some_byte();
	return bytes;
}

static void test_bytes(void)
{
	unsigned wrong[6] = { 0 };
	char a[17], b[17];

	for (unsigned i = 0; i < ROUNDS; i++) {
		char quote = some_byte(), *all = some_bytes(16, i % 17), *at = all + i % 17;
		unsigned zeroes = 0;

		for (unsigned k = 0; k < 16; k++)
			zeroes |= (unsigned)!at[k] << k;
		wrong[0] += scan_zeroes(at) != zeroes || scan_plain_zeroes(at) != zeroes;
		memset(a, 'x', sizeof(a));
		memset(b, 'x', sizeof(b));
		scan_copy_printable(a, at);
		scan_plain_copy_printable(b, at);
		wrong[1] += memcmp(a, b, sizeof(a)) != 0;
		wrong[2] += scan_copy_line(a, at, quote) != scan_plain_copy_line(b, at, quote);
		wrong[3] += memcmp(a, b, sizeof(a)) || memcmp(a, at, 16) || a[16] != 'x';
		wrong[4] += scan_copy_json(a, at) != scan_plain_copy_json(b, at);
		wrong[5] += memcmp(a, b, sizeof(a)) || memcmp(a, at, 16) || a[16] != 'x';
		free(all);
	}
	CHECK(!wrong[0], "NULs");
	CHECK(!wrong[1], "printable characters");
	CHECK(!wrong[2] && !wrong[3], "a line's characters, and their copies");
	CHECK(!wrong[4] && !wrong[5], "JSON's characters, and their copies");
}

/* Each byte alone, at each of the 16 places. */
static void test_each_byte(void)
{
	unsigned wrong = 0;

	for (unsigned c = 0; c < 256; c++) {
		for (unsigned k = 0; k < 16; k++) {
			bool control = c < 0x20 || c == 0x7f;
			char at[16], to[16];

			memset(at, 'a', sizeof(at));
			at[k] = (char)c;
			wrong += scan_copy_line(to, at, '"') != (unsigned)(control || c == '"' || c == '\\') << k;
			wrong += scan_copy_json(to, at) != (unsigned)(c < 0x20 || c > 0x7f || c == '"' || c == '\\') << k;
			scan_copy_printable(to, at);
			wrong += to[k] != (control ? '?' : (char)c) || to[(k + 1) % 16] != 'a';
		}
	}
	CHECK(!wrong, "each byte at each place");
}

static void test_words(void)
{
	unsigned wrong_words = 0, wrong_below = 0, found = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned char *all = (unsigned char *)some_bytes(19, i % 17), *at = all + i % 17;
		uint32_t word = roll() << 16 ^ roll(), most = roll() % 2 ? word : word & 0xffffff;

		if (i % 2)
			memcpy(&word, at + roll() % 16, 4);
		found += scan_word(at, word) != 0;
		wrong_words += scan_word(at, word) != scan_plain_word(at, word);
		wrong_below += scan_below(at, most) != scan_plain_below(at, most);
		for (unsigned k = 0; k < 16; k++) {
			memcpy(&word, at + k, 4);
			wrong_below += word <= most && !(scan_below(at, most) >> k & 1);
			wrong_words += !(scan_word(at, word) >> k & 1);
		}
		free(all);
	}
	CHECK(!wrong_words && found, "words by two of their bytes");
	CHECK(!wrong_below, "words up to a number");
}

static bool is_near(uint32_t word, uint32_t low, uint32_t span)
{
	return word - low <= span;
}

/* A search through @len bytes, both forms side by side. */
static unsigned search(const uint8_t *bytes, size_t len, uint32_t low, uint32_t span, uint32_t place)
{
	struct scan_near a = scan_near_start(low, span, place), words = scan_near_start(low, span, place);
	struct scan_plain_near b = scan_plain_near_start(low, span, place), plain_words = b;
	unsigned wrong = 0;

	for (size_t i = 0; i + 19 <= len; i += 16) {
		unsigned rel_a = scan_near_relative(&a, bytes + i), abs_a = scan_near_absolute(&a);
		unsigned rel_b = scan_plain_near_relative(&b, bytes + i), abs_b = scan_plain_near_absolute(&b);

		for (unsigned bit = 0; bit < 16; bit++) {
			unsigned at = scan_near_place(bit);
			uint32_t word;

			memcpy(&word, bytes + i + at, 4);
			wrong += (rel_a >> bit & 1) != is_near(word + place + (uint32_t)i + at, low, span) || (rel_b >> at & 1) != (rel_a >> bit & 1);
			wrong += (abs_a >> bit & 1) != is_near(word, low, span) || (abs_b >> at & 1) != (abs_a >> bit & 1);
		}
		wrong += rel_a >> 16 || abs_a >> 16;
	}
	for (size_t i = 0; i + 16 <= len; i += 16) {
		unsigned in_a = scan_near_words(&words, bytes + i), in_b = scan_plain_near_words(&plain_words, bytes + i);

		for (unsigned k = 0; k < 4; k++) {
			uint32_t word;

			memcpy(&word, bytes + i + 4 * k, 4);
			wrong += (in_a >> k & 1) != (is_near(word, low, span) || is_near(word + place + (uint32_t)i + 4 * k, low, span));
		}
		wrong += in_a != in_b;
	}
	return wrong;
}

/* Ranges at the ends of 32 bits and of 31; words at their limits, and one off; all lengths and alignments. */
static void test_near(void)
{
	static const uint32_t lows[] = { 0, 1, 0x7fffffff, 0x80000000, 0x81000000, 0xfffffff0 }, spans[] = { 0, 1, 4, 0x7fffffff, 0xffffff };
	unsigned wrong = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t low = lows[roll() % ARRAY_SIZE(lows)], span = spans[roll() % ARRAY_SIZE(spans)], place = roll() << 12 ^ roll();
		size_t len = i % MOST, shift = i % 17;
		uint8_t *all = (uint8_t *)some_bytes(len, shift), *at = all + shift;

		for (size_t k = roll() % 4; k + 4 <= len; k += 4 + roll() % 4) {
			uint32_t limit = (roll() % 2 ? low : low + span) + roll() % 3 - 1;
			uint32_t word = roll() % 2 ? limit : limit - place - (uint32_t)k;

			memcpy(at + k, &word, 4);
		}
		wrong += search(at, len, low, span, place);
		free(all);
	}
	CHECK(!wrong, "words near a range, absolute and relative");
}

int main(void)
{
	test_bytes();
	test_each_byte();
	test_words();
	test_near();
	return tap_done();
}
