/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * utf8.h - where characters begin and end.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/*
 * The number of bytes of the character that begins at @s (Unicode 15, table 3-7); 0: no character begins with these
 * bytes. The result may be more than @len: then the bytes that are there are correct.
 */
static inline unsigned utf8_size(const char *s, size_t len)
{
	unsigned char first = (unsigned char)s[0], low = 0x80, high = 0xbf;
	unsigned size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

	if (first == 0xe0)
		low = 0xa0;		/* otherwise it is longer than necessary */
	else if (first == 0xed)
		high = 0x9f;		/* otherwise it is half of a surrogate pair */
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xf4)
		high = 0x8f;		/* otherwise it is above U+10FFFF */
	for (unsigned i = 1; i < size && i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < low || c > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return size;
}

#endif
