// SPDX-License-Identifier: GPL-2.0-only
/*
 * number.c - parses a text that is one whole number, as the kernel's kstrto*() do it.
 */
#include "base/number.h"

#include <errno.h>
#include <string.h>

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* "0x" is a prefix only if a digit follows it; a leading 0 means octal. */
static unsigned detect_base(const char **s, size_t *len, unsigned base)
{
	if ((base == 0 || base == 16) && *len > 2 && (*s)[0] == '0' &&
	    ((*s)[1] == 'x' || (*s)[1] == 'X') && digit((*s)[2]) < 16) {
		*s += 2;
		*len -= 2;
		return 16;
	}
	if (base)
		return base;
	return *len && (*s)[0] == '0' ? 8 : 10;
}

static int parse_magnitude(const char *s, size_t len, unsigned base, uint64_t *ret)
{
	uint64_t n = 0;
	int overflow = 0;

	base = detect_base(&s, &len, base);
	if (!len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned d = (unsigned)digit(s[i]);

		if (d >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, d, &n))
			overflow = 1;
	}
	if (overflow)
		return -ERANGE;
	*ret = n;
	return 0;
}

int number_u64(const char *s, size_t len, unsigned base, uint64_t *ret)
{
	if (len && *s == '+') {
		s++;
		len--;
	}
	return parse_magnitude(s, len, base, ret);
}

int number_s64(const char *s, size_t len, unsigned base, int64_t *ret)
{
	int negative = len && *s == '-';
	uint64_t n;
	int err;

	if (negative) {
		s++;
		len--;
		err = parse_magnitude(s, len, base, &n);
	} else {
		err = number_u64(s, len, base, &n);
	}
	if (err)
		return err;
	if (n > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return -ERANGE;
	*ret = negative ? (int64_t)(0 - n) : (int64_t)n;
	return 0;
}

int number_size(const char *option, const char *text, uint64_t max, const char *most, uint64_t *ret, struct diag *diag)
{
	size_t len = strlen(text);
	unsigned shift = 0;
	uint64_t n;

	if (len && strchr("kKmMgG", text[len - 1])) {
		shift = strchr("kK", text[len - 1]) ? 10 : strchr("mM", text[len - 1]) ? 20 : 30;
		len--;
	}
	if (number_u64(text, len, 10, &n) || !n || n > max >> shift)
		return diag_set(diag, -EINVAL, "%s wants a size between 1 and %s, such as 256K or 4M, not '%s'", option, most,
				text);
	*ret = n << shift;
	return 0;
}
