// SPDX-License-Identifier: GPL-2.0-only
/*
 * bar.c - bars of characters.
 */
#include "print/bar.h"

unsigned bar_width(unsigned width, unsigned used)
{
	unsigned left = width > used + 3 ? width - used - 3 : 0;

	return MIN(MAX(left, (unsigned)BAR_MIN), (unsigned)BAR_MAX);
}

static uint64_t scaled(uint64_t n, uint64_t max, unsigned parts)
{
	return max ? (uint64_t)((unsigned __int128)n * parts / max) : 0;
}

void bar_put(struct buf *out, uint64_t n, uint64_t max, unsigned width, bool utf8)
{
	static const char *const eighths[] = { "", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned parts = utf8 ? 8 : 1;
	uint64_t filled = scaled(n, max, width * parts);
	unsigned whole, rest;

	if (n && !filled && utf8)
		filled = 1;
	whole = (unsigned)(filled / parts);
	rest = (unsigned)(filled % parts);
	buf_adds(out, " |");
	for (unsigned i = 0; i < whole; i++)
		buf_adds(out, utf8 ? "\u2588" : "#");
	buf_adds(out, eighths[rest]);
	for (unsigned i = whole + !!rest; i < width; i++)
		buf_addc(out, ' ');
	buf_addc(out, '|');
}

/* 2^@exponent with a unit of 1024, which is always whole. */
static void put_power(struct buf *out, unsigned exponent)
{
	static const char units[] = " KMGTPE";

	buf_addf(out, "%u", 1u << exponent % 10);
	if (exponent >= 10)
		buf_addc(out, units[exponent / 10]);
}

unsigned bar_bucket(uint64_t n)
{
	return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

void bar_put_bucket(struct buf *out, unsigned bucket)
{
	if (!bucket) {
		buf_adds(out, "[0, 1]");
		return;
	}
	if (bucket >= 64) {
		buf_adds(out, "(8E, 16E)");
		return;
	}
	buf_addc(out, '(');
	put_power(out, bucket - 1);
	buf_adds(out, ", ");
	put_power(out, bucket);
	buf_addc(out, ']');
}
