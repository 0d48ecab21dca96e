// SPDX-License-Identifier: GPL-2.0-only
/*
 * limit.c - the values of limits.
 */
#include "plan/limit.h"

#include <errno.h>
#include <stddef.h>

int limit_set_rate(struct limit *l, uint64_t count, uint64_t unit_ns)
{
	uint64_t least = 1000000000 / LIMIT_MAX_PER_SECOND;

	if (!count || count > unit_ns / least)
		return -ERANGE;
	l->interval_ns = (unit_ns + count / 2) / count;
	l->burst_ns = l->interval_ns * count;
	return 0;
}

bool limit_is_set(const struct limit *l)
{
	return l && (l->interval_ns || l->once);
}
