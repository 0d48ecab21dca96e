// SPDX-License-Identifier: GPL-2.0-only
/*
 * confined.c - what a run or a reading has left to do, and so which privileges it keeps (kernel/rights.h).
 */
#include "trace/confined.h"

#include "elf/debug_file.h"
#include "stream/privileges.h"
#include "trace/tracer.h"

/* Debug information is read by children. A server is asked by a program of its own. */
static unsigned for_lines(const struct options *o)
{
	if (!o->lines.lines_in_stacks)
		return 0;
	return RIGHT_TASKS | RIGHT_CHILDREN | RIGHT_CONFINE | (debug_file_servers() ? RIGHT_EXECUTE : 0);
}

static unsigned for_files(const struct options *o)
{
	return o->record.output || o->record.snapshot ? RIGHT_FILES | RIGHT_CHILDREN : 0;
}

void confined_run(const struct tracer *t)
{
	const struct options *o = t->opts;
	struct rights r = {
		.wanted = RIGHT_MAPS | RIGHT_MEMORY | RIGHT_CHILDREN | for_files(o) | for_lines(o),
		.pids = { t->command.pid, t->lint.pid },
	};

	if (t->command.pid)		/* it may change its user */
		r.wanted |= RIGHT_SIGNAL;
	if (t->modules)
		r.wanted |= RIGHT_ATTACH;
	if (t->maps)
		r.wanted |= RIGHT_TASKS | RIGHT_WATCH;
	if (t->registry)
		r.wanted |= RIGHT_PEERS;
	/* The child that detaches answers other bprobes, too: it makes a lock and a socket. */
	if (t->modules || set_detaches_slowly(&t->set))
		r.wanted |= RIGHT_REGISTER | RIGHT_FILES | RIGHT_PEERS;
	privileges_keep(o, &r);
}

void confined_reading(const struct options *o)
{
	const struct rights r = { .wanted = RIGHT_CHILDREN | RIGHT_FILES | for_lines(o) };

	privileges_keep(o, &r);
}
