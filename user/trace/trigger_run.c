// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_run.c - the triggers of a session.
 */
#include "trace/trigger_run.h"

#include <errno.h>

#include "kernel/features.h"
#include "plan/synthetic.h"
#include "run/count_map.h"

static bool has_triggers(const struct session *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (s->probes[i].def->triggers)
			return true;
	}
	for (unsigned i = 0; i < s->nr_synthetics; i++) {
		if (s->synthetics[i]->triggers)
			return true;
	}
	return false;
}

static bool has_extreme(const struct trigger *t)
{
	for (; t; t = t->next) {
		for (unsigned i = 0; t->hist && i < t->hist->nr_values; i++) {
			enum hist_modifier how = hist_expr_meant(t->hist->values[i])->modifier;

			if (how == HIST_MIN || how == HIST_MAX)
				return true;
		}
	}
	return false;
}

/* Only a minimum or a maximum is kept by compare and exchange. Other runs need not ask the kernel for it. */
static bool has_atomics(struct session *s)
{
	bool needed = false;

	for (unsigned i = 0; i < s->nr_probes; i++)
		needed |= has_extreme(s->probes[i].def->triggers);
	return needed && feature(&s->machine.features, FEATURE_ATOMICS);
}

static const char *syscall_name(void *ctx, uint64_t nr)
{
	struct session *s = ctx;

	return ksyscall_by_number(&s->arena, s->machine.ks, s->machine.mem, &s->calls, nr);
}

/* The synthetic events come behind the probes, here and among the stream's sources. */
static const struct triggers_probe *list_probes(struct session *s)
{
	struct triggers_probe *probes = arena_array(&s->arena, struct triggers_probe, s->nr_probes + s->nr_synthetics);

	s->synthetic_plans = arena_array(&s->arena, struct plan *, s->nr_synthetics);
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *def = s->probes[i].def;

		probes[i] = (struct triggers_probe){ .plan = s->probes[i].plan, .first = def->triggers, .group = def->group,
						     .event = def->event };
	}
	for (unsigned i = 0; i < s->nr_synthetics; i++) {
		const struct synthetic_def *def = s->synthetics[i];

		s->synthetic_plans[i] = synthetic_plan(&s->arena, def);
		probes[s->nr_probes + i] = (struct triggers_probe){ .plan = s->synthetic_plans[i], .first = def->triggers,
								    .group = SYNTHETIC_GROUP, .event = def->name, .synthetic = def };
	}
	return probes;
}

/* The fields of an event whose module is not loaded are not known, so its triggers cannot be checked. */
static int refuse_waiting(const struct session *s, struct diag *diag)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (p->plan || !p->def->triggers)
			continue;
		diag->text = p->def->text;
		diag->file = p->file;
		diag->line = p->line;
		diag_at(diag, -ENOENT, p->def->place.module_at, "module %s is not loaded, and a definition with a trigger cannot wait for it",
			p->def->place.module);
		diag_note(diag, "help: load it first (modprobe %s)", p->def->place.module);
		return -ENOENT;
	}
	return 0;
}

static int resolve(struct session *s, const struct trigger_run_opts *run, struct triggers **ret, struct diag *diag)
{
	struct facts *facts = arena_new(&s->arena, struct facts);
	struct triggers_opts opts = { .arena = &s->arena, .nr_probes = s->nr_probes + s->nr_synthetics, .facts = facts,
				      .prints_nothing = s->opts->answers.wanted,
				      .kernel = { .generations = run->takes, .drops = run->kept },
				      .syscall = syscall_name, .syscall_ctx = s, .made = run->made, .made_ctx = run->made_ctx };

	opts.probes = list_probes(s);
	if (!has_triggers(s))
		return 0;
	if (refuse_waiting(s, diag))
		return diag->err;
	opts.kernel.atomics = run->in_kernel && has_atomics(s);
	*facts = session_facts(s);
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

/* Nobody reads each hit of such an event. */
static int refuse_uncounted(const struct triggers *ts, const struct session *s, unsigned i, bool kept, struct diag *diag)
{
	const struct trigger *t = triggers_uncounted(ts, i);

	if (!t)
		t = s->probes[i].def->triggers;
	diag->text = t->text;
	diag_at(diag, -EOPNOTSUPP, t->at, kept ? "this trigger of a kept event needs a running bprobe"
					       : "this trigger needs each record, and --overwrite keeps the newest ones");
	diag_note(diag, "help: without %s it works; what works with it are up to %d histograms of an event, whose keys are numbers or "
		  "$comm, without variables and actions", kept ? "--keep" : "--overwrite", COUNT_MOST);
	return -EOPNOTSUPP;
}

static int plan_counts(struct session *s, const struct trigger_run_opts *opts, struct triggers *ts, struct diag *diag)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		struct probe *p = &s->probes[i];

		if (!p->plan)
			continue;
		p->plan->counts = triggers_counts(ts, i);
		if ((opts->kept || opts->newest_only) && p->def->triggers && !p->plan->counts)
			return refuse_uncounted(ts, s, i, opts->kept, diag);
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
	if (!err && !opts->explains) {
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

static void print_event(const struct triggers *ts, unsigned i, const char *group, const char *event, FILE *out)
{
	struct buf text = { 0 };

	triggers_list(ts, i, &text);
	for (const char *at = buf_str(&text); *at; at += strcspn(at, "\n") + 1)
		fprintf(out, "trigger %s/%s %.*s\n", group, event, (int)strcspn(at, "\n"), at);
	buf_fini(&text);
}

/* Probes of one event are not always neighbours, and each has all of its triggers. */
static bool is_first(const struct session *s, unsigned i)
{
	for (unsigned k = 0; k < i; k++) {
		if (!strcmp(s->probes[k].def->event, s->probes[i].def->event) && !strcmp(s->probes[k].def->group, s->probes[i].def->group))
			return false;
	}
	return true;
}

void trigger_run_print(const struct triggers *ts, const struct session *s, FILE *out)
{
	for (unsigned i = 0; ts && i < s->nr_probes; i++) {
		if (s->probes[i].def->triggers && is_first(s, i))
			print_event(ts, i, s->probes[i].def->group, s->probes[i].def->event, out);
	}
	for (unsigned i = 0; ts && i < s->nr_synthetics; i++)
		print_event(ts, s->nr_probes + i, SYNTHETIC_GROUP, s->synthetics[i]->name, out);
}
