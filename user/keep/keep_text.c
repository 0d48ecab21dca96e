// SPDX-License-Identifier: GPL-2.0-only
/*
 * keep_text.c - what is stored about events that are to be kept.
 */
#include "keep/keep_priv.h"

#include "base/version.h"
#include "lang/dialect.h"

/* The definitions of an event in their listed form, and which definition each probe came from. */
static void describe_lines(struct keeper *k, const struct event_probes *ev, struct kept *kept)
{
	struct set *s = &k->set;
	struct buf text = { 0 };

	kept->lines = arena_array(&s->arena, const char *, ev->nr);
	kept->sources = arena_array(&s->arena, const char *, ev->nr);
	kept->dialects = arena_array(&s->arena, const char *, ev->nr);
	kept->dropped = arena_array(&s->arena, bool, ev->nr);
	for (unsigned i = 0; i < ev->nr; i++) {
		const struct probe *p = &s->probes[ev->probes[i]];

		if (!probe_follows(p)) {
			buf_reset(&text);
			probe_print_listing(p, false, &text);
			/* Of a line of the source, one of several places is no source for all of them. */
			kept->sources[kept->nr_lines] = def_source(&s->arena, p->family.def ? p->family.def : p->def);
			kept->dialects[kept->nr_lines] = dialect_name(p->def->dialect);
			kept->lines[kept->nr_lines++] = arena_strdup(&s->arena, buf_str(&text));
		}
		kept->probes[i].line = kept->nr_lines - 1;
	}
	buf_fini(&text);
}

int keep_prepare_event(struct keeper *k, const struct event_probes *ev, struct diag *diag)
{
	struct set *s = &k->set;
	struct store_probe *probes = arena_array(&s->arena, struct store_probe, ev->nr);
	struct kept kept = {
		.group = ev->group, .event = ev->event,
		.created = k->now + (uint64_t)(ev - k->events), .version = version, .abi = BP_ABI_VERSION,
		.probes = arena_array(&s->arena, struct kept_probe, ev->nr), .nr_probes = ev->nr,
		.options = k->opts->keep.words, .nr_options = k->opts->keep.nr_words,
		.triggers = ev->triggers, .nr_triggers = ev->nr_triggers,
		.has_switches = ev->switch_fd >= 0, .tracing_fd = k->switches.tracing_fd, .switch_fd = ev->switch_fd,
	};

	for (unsigned i = 0; i < ev->nr; i++) {
		const struct probe *p = &s->probes[ev->probes[i]];
		bool saver = p->saver.prog_fd >= 0;

		kept.probes[i] = (struct kept_probe){
			.id = p->slot.id, .plan = *p->plan, .has_saver = saver,
			.saver_last = saver && engine_saver_is_last(s->engine, p->plan), .selects = p->selects,
		};
		kept.probes[i].module = set_find_module(s, p, &kept.probes[i].module_load);
		kept_name_file(&kept.probes[i], &s->arena);
		probes[i] = (struct store_probe){ &p->attached, saver ? &p->saver : NULL };
	}
	describe_lines(k, ev, &kept);
	return store_prepare(&k->store, &kept, ev->channel, probes, diag);
}

int keep_open_synthetic(struct keeper *k, unsigned i, struct diag *diag)
{
	struct made_event *e = mades_named(&k->mades, k->set.synthetics[i]->name);
	struct channel_opts opts = set_channel_opts(&k->set, false);

	opts.nr_probes = 1;
	opts.nr_channels = MAX(k->nr_events, k->nr_sharing) + k->set.nr_synthetics;
	opts.max_record = k->set.synthetic_plans[i]->layout.short_size;
	opts.saves = opts.once = false;
	opts.nr_pairs = 0;
	return mades_open(e, &opts, k->kept.list, k->kept.nr, &k->next_id, &k->switches, diag);
}

int keep_prepare_synthetic(struct keeper *k, unsigned i, struct diag *diag)
{
	const struct synthetic_def *def = k->set.synthetics[i];
	int err = keep_open_synthetic(k, i, diag);
	const struct made_event *e = mades_named(&k->mades, def->name);
	struct kept_probe probe = { .id = e->id, .plan = *k->set.synthetic_plans[i] };
	const struct store_probe none = { 0 };
	const char *line, *dialect = dialect_name(DIALECT_KPROBE);
	struct buf text = { 0 };
	struct kept kept = {
		.group = SYNTHETIC_GROUP, .event = def->name, .created = k->now + k->nr_events + i, .version = version,
		.abi = BP_ABI_VERSION, .lines = &line, .sources = &line, .dialects = &dialect, .nr_lines = 1,
		.probes = &probe, .nr_probes = 1, .triggers = e->triggers, .nr_triggers = e->nr_triggers,
		.options = k->opts->keep.words, .nr_options = k->opts->keep.nr_words,
	};

	if (err)
		return err;

	synthetic_print(def, &text);
	line = arena_strdup(&k->set.arena, buf_str(&text));
	buf_fini(&text);
	return store_prepare(&k->store, &kept, e->channel, &none, diag);
}
