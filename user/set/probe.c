// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.c - one probe of a set: its state, and its definition as text.
 */
#include "set/set.h"

#include <string.h>

#include "lang/dialect.h"

bool probe_waits(const struct probe *p)
{
	return p->state == PROBE_WAITS || p->state == PROBE_FAILED;
}

bool probe_follows(const struct probe *p)
{
	return p->family.def && !p->family.nr;
}

void probe_print_function(const struct probe *p, struct buf *out)
{
	struct probe_def def = p->plan ? *p->plan->def : *p->def;

	/* A system call's parameters are available only under its name: its function has other parameters. */
	if (p->plan && p->plan->target.syscall) {
		def.place.symbol = p->plan->target.syscall;
		def.from_tree = true;
	}
	def_print(&def, out);
	def_print_filter(p->def, out);
}

void probe_print_definition(const struct probe *p, struct buf *out)
{
	if (!p->family.def) {
		probe_print_function(p, out);
		return;
	}
	def_print(p->family.def, out);
	def_print_filter(p->def, out);
}

void probe_print_listing(const struct probe *p, bool faithful, struct buf *out)
{
	probe_print_definition(p, out);
	dialect_print_listed(p->def, faithful, out);
}

bool probe_in_module(const struct probe *p, const char *name)
{
	return p->def->place.module && (!name || !strcmp(p->def->place.module, name));
}
