// SPDX-License-Identifier: GPL-2.0-only
/*
 * notes.c - what the user should know of definitions that are accepted.
 */
#include "cli/notes.h"

#include "cli/session.h"

/*
 * Documents of the 32-bit days fetch a function's arguments from %ax, %dx and
 * %cx. On x86-64 %ax is none at a function's entry.
 */
static bool looks_32_bit(const struct probe_def *def)
{
	if (def->kind != DEF_ENTRY || !def_reaches_args(def))
		return false;
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct expr *e = def->args[i].expr;

		while (e->inner)
			e = e->inner;
		if (e->kind == EXPR_REG && e->reg == X86_AX)
			return true;
	}
	return false;
}

void notes_print(const struct session *s, FILE *out)
{
	bool warned = false;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (p->def->maxactive)
			fprintf(out, "bprobe: %s: MAXACTIVE %u has no effect: the kernel takes none for "
				"perf-event return probes\n", p->def->event, p->def->maxactive);
		if (!p->plan)
			fprintf(out, "bprobe: %s: module %s is not loaded: the probe waits for it\n",
				p->def->event, p->def->place.module);
		if (!warned && looks_32_bit(p->def)) {
			fprintf(out, "bprobe: %s: %%ax holds no argument at a function's entry on x86-64; "
				"the arguments are in %%di %%si %%dx %%cx %%r8 %%r9\n", p->def->event);
			warned = true;
		}
	}
}
