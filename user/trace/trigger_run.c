// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_run.c - the triggers of a session.
 */
#include "trace/trigger_run.h"

#include <errno.h>

#include "kernel/features.h"
#include "run/count_map.h"

static bool has_triggers(const struct session *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (s->probes[i].def->triggers)
			return true;
	}
	return false;
}

static int resolve(struct session *s, const struct trigger_run_opts *run, struct triggers **ret, struct diag *diag)
{
	struct triggers_probe *probes = arena_array(&s->arena, struct triggers_probe, s->nr_probes);
	struct facts *facts = arena_new(&s->arena, struct facts);
	struct triggers_opts opts = { .arena = &s->arena, .probes = probes, .nr_probes = s->nr_probes, .facts = facts,
				      .kernel = { .generations = run->takes, .drops = run->kept } };

	if (!has_triggers(s))
		return 0;
	opts.kernel.atomics = feature(&s->machine.features, FEATURE_ATOMICS);
	*facts = session_facts(s);
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *def = s->probes[i].def;

		probes[i] = (struct triggers_probe){ .plan = s->probes[i].plan, .first = def->triggers, .group = def->group,
						     .event = def->event };
	}
	return triggers_open(&opts, ret, diag);
}

/* ---- tables ---- */

struct maker {
	struct session *session;
	const struct trigger_run_opts *opts;
};

static int make_table(void *ctx, const struct trigger *trigger, struct count_table *table)
{
	const struct maker *m = ctx;
	const struct count_map_opts opts = {
		.memory = m->session->opts->hist_memory,
		.grows = feature(&m->session->machine.features, FEATURE_HASH_GROWS),
		.paused = trigger->hist->pause,
	};
	int err = m->opts->open_table ? m->opts->open_table(m->opts->ctx, trigger, table) : -ENOENT;

	return err == -ENOENT ? count_map_create(&opts, table) : err;
}

/* Nobody reads what such an event records. */
static int refuse_kept(const struct triggers *ts, const struct session *s, unsigned i, struct diag *diag)
{
	const struct trigger *t = triggers_uncounted(ts, i);

	if (!t)
		t = s->probes[i].def->triggers;
	diag->text = t->text;
	diag_at(diag, -EOPNOTSUPP, t->at, "this trigger of a kept event needs a running bprobe");
	diag_note(diag, "help: without --keep it works; what can be kept are up to %d histograms of an event, whose keys are numbers or "
		  "$comm, without variables and actions", COUNT_MOST);
	return -EOPNOTSUPP;
}

static int plan_counts(struct session *s, const struct trigger_run_opts *opts, struct triggers *ts, struct diag *diag)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		struct probe *p = &s->probes[i];

		if (!p->plan)
			continue;
		p->plan->counts = triggers_counts(ts, i);
		if (opts->kept && p->def->triggers && !p->plan->counts)
			return refuse_kept(ts, s, i, diag);
	}
	return 0;
}

int trigger_run_open(struct session *s, const struct trigger_run_opts *opts, struct triggers **ret, struct diag *diag)
{
	struct maker maker = { s, opts };
	int err = resolve(s, opts, ret, diag);

	if (err || !*ret || !opts->in_kernel)
		return err;
	err = plan_counts(s, opts, *ret, diag);
	if (!err) {
		err = triggers_tables(*ret, make_table, &maker);
		if (err)
			engine_explain_open(diag, err);
	}
	if (err) {
		trigger_run_close(*ret);
		*ret = NULL;
	}
	return err;
}

static int close_table(void *ctx, const struct trigger *trigger, struct count_table *table)
{
	(void)ctx;
	(void)trigger;
	count_map_close(table);
	return 0;
}

void trigger_run_close(struct triggers *ts)
{
	if (ts)
		triggers_tables(ts, close_table, NULL);
	triggers_close(ts);
}
