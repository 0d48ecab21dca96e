// SPDX-License-Identifier: GPL-2.0-only
/*
 * options_read.c - the options that choose among recorded events.
 */
#include "cli/options_read.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"

enum { DECIMALS = 9, PRINTED = 6 };	/* digits of a nanosecond; and those that lines have */

/* Seconds in decimal digits, without a rounding error: a time that was copied from a line means that line. */
static bool parse_time(const char *text, uint64_t *ret, unsigned *ret_decimals)
{
	size_t whole = strspn(text, "0123456789"), len = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
	uint64_t seconds = 0, ns = 0;

	if (!(whole + len) || text[whole + (text[whole] == '.') + len] || len > DECIMALS ||
	    (whole && number_u64(text, whole, 10, &seconds)) || seconds >= UINT64_MAX / 1000000000u)
		return false;
	for (size_t i = 0; i < DECIMALS; i++)
		ns = 10 * ns + (i < len ? (uint64_t)(text[whole + 1 + i] - '0') : 0);
	*ret = seconds * 1000000000u + ns;
	*ret_decimals = (unsigned)len;
	return true;
}

int options_moment(struct options *o, bool until, const char *arg, struct diag *diag)
{
	struct moment *m = until ? &o->run.until : &o->run.since;
	unsigned decimals;

	m->given = true;
	m->relative = *arg == '+';
	if (!parse_time(arg + m->relative, &m->ns, &decimals))
		return diag_set(diag, -EINVAL, "--%s wants a time in seconds as lines have it, such as 1234.567890, or +1.5 from the first event, not '%s'",
				until ? "until" : "since", arg);
	/* Lines have microseconds: the whole microsecond belongs to the range. */
	if (until && decimals <= PRINTED)
		m->ns += 999;
	return 0;
}

static int check_tasks(const struct options *o, struct diag *diag)
{
	static const struct { enum tasks_kind kind; const char *name; } others[] = {
		{ TASKS_UID, "--uid" }, { TASKS_CGROUP, "--cgroup" }, { TASKS_PIDNS, "--pidns" }, { TASKS_MNTNS, "--mntns" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct tasks_condition *c = o->set.tasks.conditions[others[i].kind];

		if (c[false].nr || c[true].nr)
			return diag_set(diag, -EINVAL, "%s is for tracing: a recording has the numbers and names of tasks (--pid, --tid, --comm), and nothing else of them",
					others[i].name);
	}
	if (o->set.self || limit_is_set(&o->set.limit))
		return diag_set(diag, -EINVAL, "%s is for tracing", o->set.self ? "--self" : o->set.limit.once ? "--once" : "--rate");
	return 0;
}

int options_read_check(const struct options *o, struct diag *diag)
{
	bool reads = o->verb->takes & TAKES_RECORDED;

	if ((o->run.since.given || o->run.until.given) && !reads)
		return diag_set(diag, -EINVAL, "%s is for --read", o->run.since.given ? "--since" : "--until");
	return reads ? check_tasks(o, diag) : 0;
}
