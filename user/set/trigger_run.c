// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_run.c - the triggers of a set.
 */
#include "set/trigger_run.h"

#include <errno.h>
#include <string.h>

#include "bprobe_abi.h"
#include "gen/act_code.h"
#include "gen/count_code.h"
#include "gen/gate.h"
#include "kernel/features.h"
#include "plan/act.h"
#include "plan/synthetic.h"
#include "run/count_map.h"
#include "run/switch_map.h"

static bool has_triggers(const struct set *s)
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
static bool has_atomics(struct set *s)
{
	bool needed = false;

	for (unsigned i = 0; i < s->nr_probes; i++)
		needed |= has_extreme(s->probes[i].def->triggers);
	for (unsigned i = 0; i < s->nr_synthetics; i++)
		needed |= has_extreme(s->synthetics[i]->triggers);
	return needed && feature(&s->machine.features, FEATURE_ATOMICS);
}

static const char *syscall_name(void *ctx, uint64_t nr)
{
	struct set *s = ctx;

	return ksyscall_by_number(&s->machine.calls, s->machine.ks, s->machine.mem, nr);
}

/* The synthetic events come behind the probes, here and among the stream's sources. */
static const struct triggers_probe *list_probes(struct set *s, unsigned *ret_nr)
{
	unsigned nr_elsewhere = 0, nr = s->nr_probes + s->nr_synthetics;
	const struct triggers_probe *elsewhere = s->host->elsewhere ? s->host->elsewhere(s->host_ctx, &nr_elsewhere) : NULL;
	struct triggers_probe *probes = arena_array(&s->arena, struct triggers_probe, nr + nr_elsewhere);

	for (unsigned i = 0; i < nr_elsewhere; i++)
		probes[nr + i] = elsewhere[i];
	*ret_nr = nr + nr_elsewhere;

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
								    .group = SYNTHETIC_GROUP, .event = def->name,
								    .synthetic = def };
	}
	return probes;
}

static bool has_variables(const struct probe *p)
{
	for (const struct trigger *t = p->def->triggers; t; t = t->next) {
		if (t->hist && hist_is_for_programs(t->hist))
			return true;
	}
	return false;
}

/* A definition with triggers that waits for its module; one with variables, if there is one. NULL: there is none. */
static const struct probe *waiting_one(const struct set *s)
{
	const struct probe *first = NULL;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (!p->plan && p->def->triggers && (!first || has_variables(p)))
			first = p;
	}
	return first;
}

/* When its module comes, only user space can run the triggers of a definition that waited. It cannot run these. */
static int refuse_waiting(const struct probe *p, const char *when, struct diag *diag)
{
	diag->text = p->def->text;
	diag->file = p->from.file;
	diag->line = p->from.line;
	diag_at(diag, -ENOENT, p->def->place.module_at,
		"module %s is not loaded, and %s a definition with a trigger cannot wait for it", p->def->place.module, when);
	diag_note(diag, "help: load it first (modprobe %s)", p->def->place.module);
	return -ENOENT;
}

/* Programs must run the triggers, because records may be overwritten before they are read, or because nobody reads them. */
static bool programs_count_alone(const struct set *s)
{
	return s->opts->overwrites || s->host->stays;
}

static int resolve_made_filters(struct set *s, const struct facts *facts, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < s->nr_synthetics; i++) {
		if (s->synthetics[i]->filter)
			err = plan_resolve_filter(&s->arena, facts, s->synthetic_plans[i], diag);
		if (!err)
			stage_settle(s->synthetic_plans[i]);
	}
	return err;
}

static int resolve(struct set *s, const struct trigger_run_opts *run, struct triggers **ret, struct diag *diag)
{
	struct facts *facts = arena_new(&s->arena, struct facts);
	struct triggers_opts opts = { .arena = &s->arena, .facts = facts,
				      .prints_nothing = s->opts->answers.wanted,
				      .reach = run->reach,
				      .kernel = { .generations = run->takes, .drops = s->host->stays,
						  .acts = programs_count_alone(s), .pauses = programs_count_alone(s) },
				      .needs = s->host->needs_trigger, .needs_ctx = s->host_ctx,
				      .syscall = syscall_name, .syscall_ctx = s };

	const struct probe *waiting = waiting_one(s);
	int err;

	opts.probes = list_probes(s, &opts.nr_probes);
	*facts = set_facts(s);
	err = resolve_made_filters(s, facts, diag);
	if (err || !has_triggers(s))
		return err;
	if (waiting && programs_count_alone(s))
		return refuse_waiting(waiting, s->host->stays ? "with --keep" : "with --overwrite", diag);
	opts.kernel.atomics = has_atomics(s);
	err = triggers_open(&opts, ret, diag);
	if (!err && waiting && (has_variables(waiting) || triggers_by_programs(*ret))) {
		err = refuse_waiting(waiting, "in a run with variables or actions", diag);
		triggers_close(*ret);
		*ret = NULL;
		return err;
	}
	if (err && waiting && diag->text && strchr(diag->text, '$'))
		diag_note(diag, "note: %s waits for module %s, so it has no variables yet", waiting->def->event,
			  waiting->def->place.module);
	return err;
}

int trigger_run_arrive(struct triggers *ts, struct set *s, unsigned i, struct diag *diag)
{
	struct facts *facts;

	if (!ts)
		return 0;
	facts = arena_new(&s->arena, struct facts);
	*facts = set_facts(s);
	return triggers_arrive(ts, i, s->probes[i].plan, facts, diag);
}

/* ---- tables ---- */

struct making {
	struct set *set;
	unsigned nr;			/* tables that are made */
};

static int count_one(void *ctx, const struct trigger *trigger, struct count_table *table)
{
	struct making *m = ctx;

	(void)trigger;
	(void)table;
	m->nr++;
	return 0;
}

static int make_table(void *ctx, const struct trigger *trigger, struct count_table *table)
{
	const struct making *m = ctx;
	struct set *s = m->set;
	const struct count_map_opts opts = {
		.memory = s->opts->hist_memory, .sharing = m->nr,
		.grows = feature(&s->machine.features, FEATURE_HASH_GROWS),
		.paused = table->begins_paused, .left = trigger->count, .only_state = !trigger->hist,
	};
	int err = s->host->open_table ? s->host->open_table(s->host_ctx, trigger, table) : -ENOENT;

	return err == -ENOENT ? count_map_create(&opts, table) : err;
}

/* ---- what programs count ---- */

/* The filter because of which @plan's acts have their stage, its definition's or a trigger's. NULL: a limit is the reason. */
static const struct filter *slow_filter(const struct plan *plan)
{
	enum stage stage = stage_of_acts(plan);

	if (plan->filter && plan->filter->stage == stage)
		return plan->filter;
	for (const struct act *a = plan->sets_off.acts; a; a = a->next) {
		if (a->filter && a->filter->stage == stage)
			return a->filter;
	}
	return NULL;
}

/* @filter is the definition's filter or the condition of a trigger; no program can decide it. */
static int refuse_undecided(const struct plan *plan, const struct filter *filter, struct diag *diag)
{
	diag->text = filter->expr->text;
	if (filter == plan->filter)
		diag_at(diag, -EOPNOTSUPP, filter->expr->at,
			"a program cannot decide this filter, so it cannot run the event's triggers");
	else
		diag_at(diag, -EOPNOTSUPP, filter->expr->at, "a program cannot decide the condition of this trigger");
	diag_note(diag, "help: compare with shorter strings, or with numbers");
	return -EOPNOTSUPP;
}

static int check_filters(struct set *s, unsigned i, struct diag *diag)
{
	const struct plan *plan = s->probes[i].plan;

	return stage_of_acts(plan) == STAGE_USER ? refuse_undecided(plan, slow_filter(plan), diag) : 0;
}

/* User space does not see each hit of such an event. */
static int refuse_uncounted(struct triggers *ts, struct set *s, unsigned i, struct diag *diag)
{
	const struct trigger *t = triggers_uncounted(ts, i);
	const char *option = s->host->stays ? "--keep" : s->opts->overwrites ? "--overwrite" : NULL;

	if (!t)
		t = s->probes[i].def->triggers;
	diag->text = t->text;
	if (option)
		diag_at(diag, -EOPNOTSUPP, t->at, "no program can run this trigger, and with %s programs run all", option);
	else
		diag_at(diag, -EOPNOTSUPP, t->at, "no program can run this trigger, and in a run with variables or actions one must");
	if (option)
		diag_note(diag, "help: without %s it works", option);
	else if (!t->hist || !hist_is_for_programs(t->hist))
		diag_note(diag, "help: trace this event in another run of bprobe");
	diag_note(diag, "help: in a program an event can have up to %d histograms (with variables any number), and all triggers that switch something",
		  COUNT_MOST);
	diag_note(diag, "help: keys of such histograms are numbers, strings or stacks; they have no symbols' names");
	return -EOPNOTSUPP;
}

/* Programs run the histograms of a synthetic event, and no other trigger. */
static int check_synthetic(const struct set *s, struct triggers *ts, unsigned i, struct diag *diag)
{
	const struct trigger *bad = triggers_uncounted(ts, s->nr_probes + i);
	const struct filter *filter = s->synthetic_plans[i]->filter;

	if (filter && filter->stage == STAGE_USER)
		return refuse_undecided(s->synthetic_plans[i], filter, diag);

	for (const struct trigger *t = s->synthetics[i]->triggers; t && !bad; t = t->next) {
		if (t->kind != TRIGGER_HIST && triggers_is_installed(ts, t))
			bad = t;
	}
	if (!bad && triggers_has_histogram(ts, s->nr_probes + i) && !s->synthetic_plans[i]->sets_off.counts)
		bad = s->synthetics[i]->triggers;
	if (!bad)
		return 0;
	diag->text = bad->text;
	diag_at(diag, -EOPNOTSUPP, bad->at, "no program can run this trigger of a synthetic event");
	diag_note(diag, "help: it can have histograms of numbers, strings, stacks and time stamps");
	return -EOPNOTSUPP;
}

/* Decides what programs count. plan_acts() comes later. */
static int plan_counts(struct set *s, struct triggers *ts, struct diag *diag)
{
	bool alone = programs_count_alone(s);
	int err = 0;

	s->mades = triggers_mades(ts);
	for (unsigned i = 0; i < s->nr_synthetics && s->mades; i++) {
		s->synthetic_plans[i]->sets_off.counts = triggers_counts(ts, s->nr_probes + i);
		stage_settle(s->synthetic_plans[i]);
	}
	for (unsigned i = 0; i < s->nr_synthetics && !err; i++)
		err = check_synthetic(s, ts, i, diag);
	for (unsigned i = 0; i < s->nr_probes && !err; i++) {
		struct probe *p = &s->probes[i];

		if (!p->plan)
			continue;
		p->plan->sets_off.mades = s->mades;
		p->plan->sets_off.counts = triggers_counts(ts, i);
		p->plan->sets_off.key_room = count_key_room(p->plan);
		stage_settle(p->plan);
		if ((alone || triggers_by_programs(ts)) && (triggers_uncounted(ts, i) || (triggers_has_histogram(ts, i) && !p->plan->sets_off.counts)))
			err = refuse_uncounted(ts, s, i, diag);
	}
	return err;
}

/* ---- what programs switch ---- */

/* The switches of a run: the first one is for all, then one for each event. It is the event of a probe. */
static unsigned switch_of(const struct set *s, const char *group, const char *event)
{
	unsigned i = 0;

	while (strcmp(s->probes[i].def->event, event) || strcmp(s->probes[i].def->group, group))
		i++;
	return i + 1;
}

static bool has_acts(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		for (const struct trigger *t = s->probes[i].def->triggers; t; t = t->next) {
			if (act_is_kind(t->kind))
				return true;
		}
	}
	return false;
}

static int open_switches(struct set *s, struct diag *diag)
{
	bool explains = s->host->explains;

	s->switch_fd = explains ? -1 : switch_map_create(s->nr_probes + 1);
	if (s->switch_fd < 0 && !explains)
		return engine_explain_open(diag, s->switch_fd);
	s->has_switches = true;
	for (unsigned i = 0; i < s->nr_probes; i++)
		s->probes[i].slot.event = switch_map_word(s->switch_fd,
							  switch_of(s, s->probes[i].def->group, s->probes[i].def->event));
	return 0;
}

/* An event starts off if a trigger will enable it. */
static int words_of_run(struct set *s, const struct trigger *t, struct act_word *ret)
{
	unsigned nr = t->kind >= TRIGGER_ENABLE_EVENT ? switch_of(s, t->system, t->event) : 0;

	*ret = switch_map_word(s->switch_fd, nr);
	return t->kind == TRIGGER_ENABLE_EVENT && s->switch_fd >= 0 ? switch_map_set(s->switch_fd, nr, true) : 0;
}

static bool is_synthetic(const struct set *s, const struct trigger *t)
{
	for (unsigned i = 0; i < s->nr_synthetics && !strcmp(t->system, SYNTHETIC_GROUP); i++) {
		if (!strcmp(s->synthetics[i]->name, t->event))
			return true;
	}
	return false;
}

/* Nothing tests a switch of a synthetic event. */
static int refuse_synthetic(const struct trigger *t, struct diag *diag)
{
	diag->text = t->text;
	diag_at(diag, -EOPNOTSUPP, t->event_at,
		"%s is a synthetic event, which no program can switch", t->event);
	diag_note(diag, "help: name the event of a probe that makes it");
	return -EOPNOTSUPP;
}

static int set_words(const struct triggers *ts, struct set *s, unsigned i, struct act *act, struct diag *diag)
{
	const struct trigger *t = act->trigger;
	struct act_word *word;
	int err = 0;

	if (t->kind == TRIGGER_SNAPSHOT || t->kind == TRIGGER_STACKTRACE)	/* they write nothing */
		return 0;
	if (t->kind >= TRIGGER_ENABLE_EVENT && is_synthetic(s, t))
		return refuse_synthetic(t, diag);
	if (t->kind >= TRIGGER_ENABLE_HIST)
		err = triggers_target_words(ts, i, t, &act->words, &act->nr_words, diag);
	if (err || act->nr_words)
		return err;
	if (s->host->find_words)
		return s->host->find_words(s->host_ctx, i, t, &act->words, &act->nr_words, diag);
	if (t->kind >= TRIGGER_ENABLE_HIST)
		return 0;
	word = arena_new(&s->arena, struct act_word);
	act->words = word;
	act->nr_words = 1;
	return words_of_run(s, t, word);
}

static int plan_acts(struct set *s, struct triggers *ts, struct diag *diag)
{
	int err = 0;

	if (!s->host->stays && has_acts(s))
		err = open_switches(s, diag);
	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		struct act *acts = s->probes[i].plan ? triggers_acts(ts, i, &s->probes[i].plan->sets_off.acts_conditional) : NULL;

		for (struct act *a = acts; a && !err; a = a->next)
			err = set_words(ts, s, i, a, diag);
		if (acts) {
			s->probes[i].plan->sets_off.acts = acts;
			stage_settle(s->probes[i].plan);
		}
	}
	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		if (s->probes[i].plan && s->probes[i].plan->sets_off.acts)
			err = check_filters(s, i, diag);
	}
	if (!err && !s->host->explains) {
		struct making making = { .set = s };

		err = triggers_states(ts, make_table, &making);
		if (err)
			engine_explain_open(diag, err);
	}
	return err;
}

static int refuse_number(struct diag *diag)
{
	diag_set(diag, -EINVAL, "-n counts lines, and this run prints none: programs count its hits");
	diag_note(diag, "help: leave out -n, or give -d SECONDS");
	return -EINVAL;
}

int trigger_run_open(struct set *s, const struct trigger_run_opts *opts, struct triggers **ret, struct diag *diag)
{
	int err = resolve(s, opts, ret, diag);

	if (err || !*ret || !(opts->in_kernel || triggers_by_programs(*ret)))
		return err;
	if (!opts->in_kernel && !triggers_leave_lines(*ret))
		err = refuse_number(diag);
	if (!err)
		err = plan_counts(s, *ret, diag);
	if (!err && !s->host->explains) {
		struct making making = { .set = s };

		triggers_tables(*ret, count_one, &making);
		err = triggers_tables(*ret, make_table, &making);
		if (err)
			engine_explain_open(diag, err);
	}
	if (!err && (programs_count_alone(s) || triggers_by_programs(*ret)))
		err = plan_acts(s, *ret, diag);
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
	if (ts) {
		triggers_tables(ts, close_table, NULL);
		triggers_states(ts, close_table, NULL);
	}
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
static bool is_first(const struct set *s, unsigned i)
{
	for (unsigned k = 0; k < i; k++) {
		if (!strcmp(s->probes[k].def->event, s->probes[i].def->event) &&
		    !strcmp(s->probes[k].def->group, s->probes[i].def->group))
			return false;
	}
	return true;
}

void trigger_run_print(const struct triggers *ts, const struct set *s, FILE *out)
{
	for (unsigned i = 0; ts && i < s->nr_probes; i++) {
		if (s->probes[i].def->triggers && is_first(s, i))
			print_event(ts, i, s->probes[i].def->group, s->probes[i].def->event, out);
	}
	for (unsigned i = 0; ts && i < s->nr_synthetics; i++)
		print_event(ts, s->nr_probes + i, SYNTHETIC_GROUP, s->synthetics[i]->name, out);
}
