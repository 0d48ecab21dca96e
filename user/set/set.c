// SPDX-License-Identifier: GPL-2.0-only
/*
 * set.c - the probes of one command.
 */
#include "set/set_priv.h"

#include <errno.h>
#include <unistd.h>

#include "plan/bundle.h"
#include "set/bundle.h"
#include "set/definitions.h"
#include "set/links.h"
#include "set/pairs.h"

enum { EXPECTED = 64 };		/* expecting more names at once gains nothing */

void set_init(struct set *s, const struct set_host *host, void *ctx, const struct set_opts *opts)
{
	*s = (struct set){ .host = host, .host_ctx = ctx, .opts = opts };
}

int set_parse(struct set *s, const struct word *words, unsigned nr_words, struct diag *diag)
{
	s->words = words;
	s->nr_words = nr_words;
	return definitions_read(s, diag);
}

struct facts set_facts(struct set *s)
{
	return machine_facts(&s->machine, s->host, s->opts);
}

/* -EAGAIN without a message: the probe waits for its module; then p->plan is unchanged. */
int set_resolve_probe(struct set *s, struct probe *p, struct diag *diag)
{
	struct facts facts = set_facts(s);
	int err;

	if (p->many.backend)
		facts.attach = p->many.backend;
	err = plan_resolve(&s->arena, p->def, &facts, &p->plan, diag);

	if (err == -EAGAIN) {
		diag_fini(diag);
	} else if (err) {
		diag->file = p->from.file;
		diag->line = p->from.line;
	} else if (p->many.addrs) {
		p->plan->target.addrs = p->many.addrs;
		p->plan->target.ids = p->many.ids;
		p->plan->target.nr_addrs = p->many.nr;
		p->plan->why_dearer = p->many.why_dearer;
	}
	return err;
}

/* The types of the named functions are needed in nearly every case. */
void set_expect_functions(struct set *s)
{
	for (unsigned i = 0; s->machine.btf && i < s->nr_probes && i < EXPECTED; i++) {
		const struct place *place = &s->probes[i].def->place;

		if (place->symbol && !place->module && !place->pattern)
			kbtf_expect(s->machine.btf, place->symbol);
	}
}

int set_open_kernel(struct set *s, struct diag *diag)
{
	int err = machine_open(&s->machine, s->host, s->opts, &s->arena, diag);

	if (!err)
		set_expect_functions(s);
	return err;
}

/* Together, some definitions get other backends than each for itself. */
static int settle(struct set *s, struct diag *diag)
{
	struct plan **plans = arena_array(&s->arena, struct plan *, s->nr_probes);
	struct facts facts = set_facts(s);
	int err;

	for (unsigned i = 0; i < s->nr_probes; i++)
		plans[i] = s->probes[i].plan;
	err = plan_settle_crowds(&s->arena, plans, s->nr_probes, &facts, diag);
	if (!err)
		err = plan_settle_locks(&s->arena, plans, s->nr_probes, &facts, diag);
	if (!err && !s->host->stays)
		plan_bundle(plans, s->nr_probes, &facts);
	return err;
}

int set_resolve(struct set *s, struct diag *diag)
{
	int err = dialects_settle(s, diag);

	/* Those of kept events come later, and their tables with them. */
	if (!err && !s->host->stays)
		definitions_share_triggers(s);
	if (!err)
		err = pairs_settle(s, diag);
	if (!err)
		links_settle(s);
	if (!err)
		err = expand_patterns(s, diag);
	if (err)
		return err;
	for (unsigned i = 0; i < s->nr_probes; i++) {
		err = s->probes[i].plan ? 0 : set_resolve_probe(s, &s->probes[i], diag);
		if (err && err != -EAGAIN && expand_inlined(s, i, diag)) {
			diag_fini(diag);
			err = 0;
		} else if (err && err != -EAGAIN) {
			err = diag->err;
		}
		if (err && err != -EAGAIN)
			return err;
	}
	err = settle(s, diag);
	if (!err)
		err = definitions_check_events(s, diag);
	return err ? err : pairs_check(s, diag);
}

void set_close(struct set *s)
{
	set_detach_all(s);
	channel_close(s->channel);
	selves_close(&s->selves);
	if (s->has_switches && s->switch_fd >= 0)
		close(s->switch_fd);
	engine_close(s->engine);
	machine_close(&s->machine);
	arena_fini(&s->arena);
}

