// SPDX-License-Identifier: GPL-2.0-only
/*
 * modules.c - the modules that probes of a set are in: they come and go.
 */
#include "set/set_priv.h"

#include <errno.h>
#include <string.h>

#include "run/modload.h"
#include "set/definitions.h"

const char *set_find_module(const struct set *s, const struct probe *p, uint64_t *ret_load)
{
	uint64_t addr = p->many.nr ? p->many.addrs[0] : p->plan->target.addr;
	const struct ksym *sym = ksyms_lookup(s->machine.ks, addr, NULL);
	const char *module = sym && sym->module ? sym->module : p->def->place.module;

	*ret_load = module ? modload_id(module) : 0;
	/* "vmlinux", or another word that kallsyms uses in place of a module, was never loaded. */
	return *ret_load ? module : NULL;
}

bool set_names_module(const struct set *s, const char *name)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (probe_in_module(&s->probes[i], name) && s->probes[i].state != PROBE_REMOVED)
			return true;
	}
	return false;
}

int set_reread_symbols(struct set *s, struct diag *diag)
{
	struct machine now = { 0 };
	int err = machine_open(&now, s->host, s->opts, &s->arena, diag);

	if (err) {
		machine_close(&now);
		return err;
	}
	machine_close(&s->machine);
	s->machine = now;
	set_expect_functions(s);
	return 0;
}

int set_attach_waiting(struct set *s, struct probe *p, int (*ready)(void *ctx, unsigned i, struct diag *diag), void *ctx,
			   struct diag *diag)
{
	struct plan *before = p->plan;		/* older records may still come */
	int err;

	/* Its end is announced, too. Until then there may be no BTF of it. */
	if (!modload_is_complete(p->def->place.module))
		return -EAGAIN;
	err = set_resolve_probe(s, p, diag);
	if (err == -EAGAIN)
		return err;
	if (!err)
		err = definitions_check_events(s, diag);
	if (!err)
		err = set_load_probe(s, p, diag);
	if (!err)
		err = ready(ctx, (unsigned)(p - s->probes), diag);
	if (!err)
		err = set_attach_probe(s, p, diag);
	if (err) {
		set_close_probe(p);
		p->plan = before;
		p->state = PROBE_FAILED;
		return err;
	}
	s->nr_waiting--;
	return 0;
}

void set_detach_gone(struct set *s, struct probe *p)
{
	set_detach(s, p);
	p->state = PROBE_WAITS;
	s->nr_waiting++;
}
