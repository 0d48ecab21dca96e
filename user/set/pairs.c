// SPDX-License-Identifier: GPL-2.0-only
/*
 * pairs.c - the pairs of events of a run.
 */
#include "set/pairs.h"

#include "set/definitions_priv.h"

#include <errno.h>
#include <string.h>

#include "lang/pair.h"
#include "plan/pair.h"

/* ---- marking definitions ---- */

static int refuse_unknown(const struct set *s, const struct pair_event *event, struct diag *diag)
{
	struct buf names = { 0 };
	int err;

	for (unsigned i = 0; i < s->nr_probes; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", s->probes[i].def->event);
	err = diag_at(diag, -ENOENT, event->at, "no definition of this run has the event '%s'", event->event);
	diag_note(diag, "help: the events of this run: %s", buf_str(&names));
	buf_fini(&names);
	return err;
}

/* The argument $elapsed under its own name. */
static int give_elapsed(struct set *s, struct probe_def *def, const struct pair *pair, struct diag *diag)
{
	struct arg *args = arena_array(&s->arena, struct arg, def->nr_args + 1);
	struct expr *elapsed = arena_new(&s->arena, struct expr);

	for (unsigned i = 0; i < def->nr_args; i++) {
		if (def->args[i].expr->kind == EXPR_ELAPSED)
			return 0;
		if (strcmp(def->args[i].name, "elapsed"))
			continue;
		return diag_at(diag, -EINVAL, pair->end.at, "'%s' has a field 'elapsed', which is no $elapsed", def->event);
	}
	if (def->nr_args == LANG_MAX_ARGS)
		return diag_at(diag, -E2BIG, pair->end.at, "'%s' has %d arguments, so there is no room for $elapsed", def->event,
			       LANG_MAX_ARGS);
	memcpy(args, def->args, def->nr_args * sizeof(*args));
	*elapsed = (struct expr){ .kind = EXPR_ELAPSED, .at = def->head_at };
	args[def->nr_args++] = (struct arg){ .name = "elapsed", .expr = elapsed, .at = def->head_at, .body_at = def->head_at };
	def->args = args;
	def->from_tree = true;
	return 0;
}

static int mark(struct set *s, struct probe *p, const struct pair *pair, bool ends, struct diag *diag)
{
	const struct pair_event *event = ends ? &pair->end : &pair->begin;
	struct probe_def *def;

	if (p->def->pair)
		return diag_at(diag, -EINVAL, event->at, "'%s' belongs to the pair %s already", p->def->event, p->def->pair->text);
	def = arena_new(&s->arena, struct probe_def);
	*def = *p->def;
	def->pair = pair;
	def->ends_pair = ends;
	/* What --count and the like ask for is a matter of the pair: its first event only begins it. */
	if (!ends && s->opts->answers.wanted) {
		def->triggers = NULL;
		def->silent = true;
	}
	p->def = def;
	if (ends && give_elapsed(s, def, pair, diag))
		return diag->err;
	return ends && s->opts->answers.live ? definitions_take_answer(s, def, diag) : 0;	/* its durations are known now */
}

static int mark_event(struct set *s, const struct pair *pair, bool ends, struct diag *diag)
{
	const struct pair_event *event = ends ? &pair->end : &pair->begin;
	unsigned nr = 0;
	int err = 0;

	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		if (!pair_names(event, s->probes[i].def))
			continue;
		err = mark(s, &s->probes[i], pair, ends, diag);
		nr++;
	}
	return err || nr ? err : refuse_unknown(s, event, diag);
}

int pairs_settle(struct set *s, struct diag *diag)
{
	unsigned nr = s->opts->nr_pairs;
	int err = 0;

	s->pairs = arena_array(&s->arena, struct pair, nr);
	for (s->nr_pairs = 0; !err && s->nr_pairs < nr; s->nr_pairs++) {
		struct pair *pair = &s->pairs[s->nr_pairs];

		err = pair_parse(&s->arena, s->opts->pairs[s->nr_pairs], pair, diag);
		pair->nr = s->nr_pairs;
		if (!err)
			err = mark_event(s, pair, false, diag);
		if (!err)
			err = mark_event(s, pair, true, diag);
	}
	if (!err)
		diag->text = NULL;
	return err;
}

/* ---- checks ---- */

/* A resolved definition of the pair: all those of an event have the same fields. */
static const struct plan *find_plan(const struct set *s, const struct pair *pair, bool ends)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct plan *plan = s->probes[i].plan;

		if (plan && plan->paired.pair == pair && plan->paired.ends == ends)
			return plan;
	}
	return NULL;
}

int pairs_check(const struct set *s, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < s->nr_pairs; i++) {
		const struct plan *begin = find_plan(s, &s->pairs[i], false), *end = find_plan(s, &s->pairs[i], true);

		err = begin && end ? pair_check(begin, end, diag) : 0;
	}
	return err;
}

/* ---- while they are traced ---- */

int pairs_watch(struct set *s, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < s->nr_pairs; i++) {
		if (!s->pairs[i].field)
			err = engine_clean_pair(s->engine, s->channel, i, diag);
	}
	return err;
}

uint64_t pairs_count(const struct set *s, const struct pair *pair, bool ends)
{
	struct bp_stat stat;
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (s->probes[i].def->pair != pair || s->probes[i].def->ends_pair != ends)
			continue;
		channel_stat(s->channel, i, &stat);
		sum += stat.unpaired;
	}
	return sum;
}
