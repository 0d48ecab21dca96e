// SPDX-License-Identifier: GPL-2.0-only
/*
 * locks.c - plans that would stop the machine together.
 *
 * A program that rings the bell (bpf/ring.bpf.h) holds the bell's lock for a moment. Suppose a function that runs then also has
 * a probe, and not all probes are kprobes: if the second program rings too, it waits for this lock on the same CPU, and the
 * machine stops. The one program of a pattern
 * counts as a kprobe here: the same guard of the CPU protects it (6.12, kernel/trace/bpf_trace.c,
 * kprobe_multi_link_prog_run()).
 */
#include <errno.h>

#include "arch/kernel.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "plan/plan.h"

/* May a function of @plan run under the bell's lock? *ret is its name; NULL: it is not known. */
static bool is_under_lock(const struct plan *plan, const struct facts *facts, const char **ret)
{
	const struct target *t = &plan->target;
	unsigned nr = t->func ? 1 : t->nr_addrs;
	const uint64_t *addrs = t->func ? &t->func : t->addrs;

	for (unsigned i = 0; i < nr; i++) {
		bool known, locked = ktext_under_lock(facts->text, addrs[i], &known) ||
				     ktext_under_lock(facts->text, addrs[i] - ENTRY_PAD_SIZE, &known);
		const struct ksym *sym = locked ? ksyms_lookup(facts->ks, addrs[i], NULL) : NULL;

		*ret = sym ? sym->name : NULL;
		if (locked || !known)
			return true;
	}
	return false;
}

/* Why two of these programs must not guard themselves; NULL: they may. */
static const char *lock_trouble(struct arena *arena, struct plan *const *plans, unsigned nr, const struct facts *facts)
{
	const char *name;

	for (unsigned i = 0; facts->text && i < nr; i++) {
		if (!plans[i] || !is_under_lock(plans[i], facts, &name))
			continue;
		return name ? arena_printf(arena, "this run also probes %s, which BPF programs call under a lock: two "
					   "trampolines could stop the machine", name) :
		       "the code that BPF programs run under a lock cannot be read (another probe is in it): two trampolines could "
		       "stop the machine";
	}
	return NULL;
}

int plan_settle_locks(struct arena *arena, struct plan *const *plans, unsigned nr, const struct facts *facts, struct diag *diag)
{
	const char *why = nr > 1 ? lock_trouble(arena, plans, nr, facts) : NULL;

	for (unsigned i = 0; why && i < nr; i++) {
		if (!plans[i] || !plans[i]->layout.backend->program.guards_itself)
			continue;
		if (facts->attach || !backend_fallback(plans[i])) {
			diag->text = plans[i]->def->text;
			diag_at(diag, -EOPNOTSUPP, plans[i]->def->head_at, "--attach=%s cannot do this: %s",
				plans[i]->layout.backend->name, why);
			if (!facts->attach)
				diag_note(diag, "help: --attach=kprobe gives each function a probe of its own");
			return -EOPNOTSUPP;
		}
		backend_fall_back(plans[i], why);
	}
	return 0;
}
