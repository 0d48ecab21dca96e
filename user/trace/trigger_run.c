// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_run.c - the triggers of a session.
 */
#include "trace/trigger_run.h"

#include <errno.h>

#include "kernel/features.h"
#include "run/count_map.h"

static int resolve(struct session *s, struct triggers **ret, struct diag *diag)
{
	struct triggers_probe *probes = arena_array(&s->arena, struct triggers_probe, s->nr_probes);
	struct facts *facts = arena_new(&s->arena, struct facts);
	struct triggers_opts opts = { .arena = &s->arena, .probes = probes, .nr_probes = s->nr_probes, .facts = facts };

	*facts = session_facts(s);
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *def = s->probes[i].def;

		probes[i] = (struct triggers_probe){ .plan = s->probes[i].plan, .first = def->triggers, .group = def->group,
						     .event = def->event };
	}
	return triggers_open(&opts, ret, diag);
}

static int make_table(void *ctx, struct count_table *table, bool paused)
{
	struct session *s = ctx;
	const struct count_map_opts opts = {
		.memory = s->opts->hist_memory,
		.grows = feature(&s->machine.features, FEATURE_HASH_GROWS),
		.paused = paused,
	};

	return count_map_create(&opts, table);
}

int trigger_run_open(struct session *s, bool in_kernel, struct triggers **ret, struct diag *diag)
{
	int err = resolve(s, ret, diag);

	if (err || !*ret || !in_kernel)
		return err;
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (s->probes[i].plan)
			s->probes[i].plan->counts = triggers_counts(*ret, i);
	}
	err = triggers_tables(*ret, make_table, s);
	if (err) {
		engine_explain_open(diag, err);
		trigger_run_close(*ret);
		*ret = NULL;
	}
	return err;
}

static int close_table(void *ctx, struct count_table *table, bool paused)
{
	(void)ctx;
	(void)paused;
	count_map_close(table);
	return 0;
}

void trigger_run_close(struct triggers *ts)
{
	if (ts)
		triggers_tables(ts, close_table, NULL);
	triggers_close(ts);
}

static int stop_table(void *ctx, struct count_table *table, bool paused)
{
	(void)ctx;
	(void)paused;
	return count_map_pause(table, true);
}

void trigger_run_stop(const struct triggers *ts)
{
	if (ts)
		triggers_tables(ts, stop_table, NULL);
}

int trigger_run_show(const struct triggers *ts, const struct text *t, struct buf *out)
{
	return triggers_show(ts, t, count_map_read, out);
}
