/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tap.h - test results as lines that prove(1) reads.
 *
 *	CHECK(n == 3, "three words in '%s'", text);
 *	TAP_SKIP("no corpus");		counts as passed, with its reason
 *	return tap_done();		the plan, and the exit status
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/macros.h"

static struct {
	unsigned count, failed;
} tap;

static inline bool PRINTF_LIKE(4, 5) tap_check(bool good, const char *file, int line,
						const char *fmt, ...)
{
	char name[400];			/* enough to tell tests apart; some quote megabytes */
	va_list ap;

	tap.count++;
	tap.failed += !good;
	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	printf("%s %u - %s\n", good ? "ok" : "not ok", tap.count, name);
	if (!good)
		printf("# failed at %s:%d\n", file, line);
	return good;
}

#define CHECK(cond, ...) tap_check((cond), __FILE__, __LINE__, __VA_ARGS__)

#define TAP_SKIP(reason) printf("ok %u - # SKIP %s\n", ++tap.count, (reason))

static inline int tap_done(void)
{
	printf("1..%u\n", tap.count);
	return tap.failed ? 1 : 0;
}

#endif
