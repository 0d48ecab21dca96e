// SPDX-License-Identifier: GPL-2.0-only
/*
 * reload.c - loads the programs of a kept event again.
 *
 * The definitions are resolved again, with the options that they were kept with, and loaded for the event's rings and
 * counters, or for new ones. First all parts of an event are loaded, then all are attached, then all replace the old ones: every error
 * shows before anything is changed. A definition whose module is not loaded stays as it is, so it cannot get another filter.
 */
#include "keep/reload.h"

#include <errno.h>
#include <unistd.h>

#include "base/version.h"
#include "keep/elsewhere.h"
#include "keep/kept_definition.h"
#include "keep/kept_switches.h"
#include "keep/kept_triggers.h"
#include "keep/mades.h"
#include "keep/store_pin.h"
#include "lang/filter.h"
#include "plan/layout.h"
#include "run/switch_map.h"
#include "set/definitions.h"
#include "set/notes.h"
#include "set/option.h"
#include "set/set.h"
#include "set/trigger_run.h"

struct reload {
	struct set set;
	struct set_opts opts;		/* the options that it was kept with */
	const struct store *store;
	const struct stored *ev;
	const struct reload_how *how;
	struct store_use use;
	struct channel *channel;	/* the new one, or NULL */
	uint32_t *next_id;		/* numbers before this are taken; shared by all parts */
	unsigned *kept_of;		/* for each probe of the set: its index among the kept probes */
	bool *loads;			/* for each definition: it is loaded again */
	struct kept_trigger *kept_triggers;	/* what the event has from now on, with their tables */
	unsigned nr_triggers;
	const struct trigger *first;	/* the same, parsed, in the same order */
	struct triggers *triggers;
	struct kept_switches switches;
	struct elsewhere elsewhere;
	struct made_events mades;	/* that its triggers make */
	int switch_fd;			/* of the event; -1: it has none */
	bool makes_switch;		/* it gets one now, */
	int *made_switch;		/* ... which all its parts share; -1: not yet */
};

/* ---- the same definitions ---- */

/* The options that it was kept with. add_line() reads the definitions. */
static int options_of(struct reload *r, struct diag *diag)
{
	const struct kept *k = &r->ev->kept;
	struct diag why = { 0 };
	int err = set_options_read(&r->set.arena, k->options, k->nr_options, &r->opts, &why);

	if (err)
		diag_set(diag, -EINVAL, "the options that %s was kept with cannot be used here: %s", k->event, buf_str(&why.msg));
	diag_fini(&why);
	return err;
}

/* Adds the definition as it was typed, for the event that it was kept as. */
static int add_line(struct reload *r, unsigned line, struct diag *diag)
{
	const char *expr = r->how->filter;
	struct set *s = &r->set;
	struct probe_def *def = NULL;
	int err = kept_definition(&s->arena, &r->ev->kept, line, &def, diag);

	if (!err && r->how->filters)
		def->filter = NULL;
	if (!err && r->how->filters && expr)
		err = filter_parse(&s->arena, expr, (struct span){ 0, (uint32_t)strlen(expr) }, &def->filter, diag);
	if (err)
		return err;
	definitions_add(s, def);
	def->group = r->ev->kept.group;
	def->event = r->ev->kept.event;
	def->triggers = r->first;
	return 0;
}

/* A synthetic event has no programs; those that make it are loaded again by themselves. */
static int add_made(struct reload *r, struct diag *diag)
{
	struct set *s = &r->set;
	struct synthetic_def *def;
	int err = synthetic_parse(&s->arena, r->ev->kept.lines[0], &def, diag);

	r->loads = arena_array(&s->arena, bool, 1);
	if (err)
		return err;
	def->triggers = r->first;
	s->synthetics = arena_array(&s->arena, struct synthetic_def *, 1);
	s->synthetics[s->nr_synthetics++] = def;
	return definitions_find_synthetics(s, diag);
}

static int add_lines(struct reload *r, struct diag *diag)
{
	const struct kept *k = &r->ev->kept;
	const char *module;
	int err = 0;

	if (kept_is_synthetic(k))
		return add_made(r, diag);
	r->loads = arena_array(&r->set.arena, bool, k->nr_lines);
	for (unsigned line = 0; !err && line < k->nr_lines; line++) {
		/* Another filter applies to every definition, and so do other rings. */
		r->loads[line] = !k->dropped[line] && (r->how->filters || r->how->triggers || r->how->renews ||
						       kept_module(k, line, &module) != KEPT_MODULE_GONE);
		if (r->loads[line])
			err = add_line(r, line, diag);
	}
	return err ? err : definitions_find_synthetics(&r->set, diag);
}

/* ---- triggers ---- */

static int read_triggers(struct reload *r, struct diag *diag)
{
	const struct kept *k = &r->ev->kept;
	const struct reload_triggers now = { k->triggers, k->nr_triggers }, *list = r->how->triggers ? r->how->triggers : &now;

	r->nr_triggers = list->nr;
	r->kept_triggers = arena_array(&r->set.arena, struct kept_trigger, list->nr);
	if (list->nr)
		memcpy(r->kept_triggers, list->list, list->nr * sizeof(*list->list));
	return kept_triggers_parse(&r->set.arena, r->kept_triggers, r->nr_triggers, &r->first, diag);
}

static struct kept_trigger *kept_of(const struct reload *r, const struct trigger *t)
{
	struct kept_trigger *kept = r->kept_triggers;

	for (const struct trigger *at = r->first; at && at != t; at = at->next)
		kept++;
	return kept;
}

static bool is_itself(void *ctx, const struct stored *ev)
{
	const struct reload *r = ctx;

	return name_same_event(ev->kept.group, ev->kept.event, r->ev->kept.group, r->ev->kept.event) ||
	       (kept_is_synthetic(&ev->kept) && mades_named(&r->mades, ev->kept.event));
}

static const char *find_synthetic(void *ctx, struct arena *arena, const char *name, const struct trigger **ret_first)
{
	struct reload *r = ctx;

	return mades_find(&r->mades, r->store, arena, name, ret_first);
}

static int open_made(void *ctx, struct set *s, unsigned i, struct slot *ret, struct diag *diag)
{
	struct reload *r = ctx;
	struct made_event *e = mades_named(&r->mades, s->synthetics[i]->name);
	int err = mades_open(e, NULL, NULL, 0, NULL, &r->switches, diag);

	if (!err)
		*ret = (struct slot){ .channel = e->channel, .id = e->id };
	return err;
}

static const struct triggers_probe *find_elsewhere(void *ctx, unsigned *ret_nr)
{
	struct reload *r = ctx;
	struct stored *list;
	unsigned nr = store_list(r->store, &r->set.arena, &list);

	elsewhere_find(&r->set.arena, list, nr, is_itself, r, &r->elsewhere);
	*ret_nr = r->elsewhere.nr;
	return r->elsewhere.probes;
}

/* Renewing begins with new counters. */
static int open_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	const struct reload *r = ctx;
	int err;

	if (elsewhere_open_table(&r->elsewhere, t, table, &err) || mades_open_table(&r->mades, t, table, &err))
		return err;
	return r->how->renews ? -ENOENT : store_open_table(r->ev, kept_of(r, t)->number, table);
}

static int note_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	struct reload *r = ctx;

	for (const struct trigger *at = r->first; at; at = at->next) {
		if (at == t)
			kept_of(r, t)->table = table;
	}
	return 0;
}

static int find_words(void *ctx, unsigned i, const struct trigger *t, const struct act_word **ret, unsigned *ret_nr, struct diag *diag)
{
	struct reload *r = ctx;

	(void)i;
	if (r->switch_fd < 0)
		return kept_switches_refuse_old(r->ev, t, diag);
	return kept_switches_words(&r->switches, t, ret, ret_nr, diag);
}

/* An event of an older bprobe gets its switch when it is renewed. All parts of an event have one. */
static int open_switches(struct reload *r, struct diag *diag)
{
	const struct kept *k = &r->ev->kept;
	struct stored *list;
	unsigned nr = store_list(r->store, &r->set.arena, &list);
	int err = kept_switches_open(&r->set.arena, list, nr, -1, &r->switches, diag);

	if (err)
		return err;
	r->switch_fd = kept_switches_event(&r->switches, k->group, k->event);
	if (r->switch_fd >= 0 || !r->how->renews)
		return 0;
	if (*r->made_switch < 0)
		*r->made_switch = switch_map_create(1);
	r->switch_fd = *r->made_switch;
	r->makes_switch = r->switch_fd >= 0;
	return r->switch_fd < 0 ? engine_explain_open(diag, r->switch_fd) : 0;
}

static int open_triggers(struct reload *r, struct diag *diag)
{
	const struct trigger_run_opts opts = { .in_kernel = true, .reach = r->switches.reach };
	int err = trigger_run_open(&r->set, &opts, &r->triggers, diag);

	if (err || !r->triggers)
		return err;
	triggers_states(r->triggers, note_table, r);
	return triggers_users_of_tables(r->triggers, note_table, r);
}

/* ... and the switches of its programs. */
static void set_switches(struct reload *r, struct channel *c)
{
	if (r->switch_fd < 0)
		return;
	c->tracing = switch_map_word(r->switches.tracing_fd, 0);
	for (unsigned i = 0; i < r->set.nr_probes; i++)
		r->set.probes[i].slot.event = switch_map_word(r->switch_fd, 0);
}

static void describe_triggers(const struct reload *r, struct kept *k)
{
	k->triggers = r->kept_triggers;
	k->nr_triggers = r->nr_triggers;
	k->has_switches = r->makes_switch;
	k->tracing_fd = r->switches.tracing_fd;
	k->switch_fd = r->switch_fd;
}

/* ---- the same channel ---- */

static bool same_layout(const struct layout *a, const struct layout *b)
{
	unsigned field;

	return layout_compare(a, b, &field) == LAYOUT_SAME;
}

/* Matches the set's probes from @first on, in their order, with the kept probes of definition @line. */
static bool match_line(struct reload *r, unsigned line, unsigned first, unsigned *ret_end)
{
	const struct kept *k = &r->ev->kept;
	struct set *s = &r->set;
	unsigned i = first;

	for (unsigned n = 0; n < k->nr_probes; n++) {
		if (k->probes[n].line != line)
			continue;
		if (i == s->nr_probes || (i > first && !probe_follows(&s->probes[i])) || !s->probes[i].plan ||
		    !same_layout(&s->probes[i].plan->layout, &k->probes[n].plan.layout))
			return false;
		s->probes[i].slot = (struct slot){ .channel = r->use.channel, .index = n, .id = k->probes[n].id };
		r->kept_of[i++] = n;
	}
	*ret_end = i;
	return i == s->nr_probes || !probe_follows(&s->probes[i]);
}

/* ---- another channel ---- */

static int create_channel(struct reload *r, const struct channel_opts *opts, struct diag *diag)
{
	int err = channel_create(opts, &r->channel, diag);

	return err && !diag->err ? engine_explain_open(diag, err) : err;
}

/* The numbers are new, too: a function may have joined or left a pattern. */
static int renew(struct reload *r, bool saves, struct diag *diag)
{
	struct set *s = &r->set;
	struct channel_opts opts = set_channel_opts(s, saves);
	struct stored *list;
	unsigned nr = store_list(r->store, &s->arena, &list);
	int err;

	opts.nr_channels = r->how->nr_channels;
	err = create_channel(r, &opts, diag);
	if (err)
		return err;
	r->channel->selves_fd = s->selves.fd;
	for (unsigned i = 0; i < s->nr_probes; i++) {
		*r->next_id = store_free_id(list, nr, *r->next_id);
		s->probes[i].slot = (struct slot){ .channel = r->channel, .index = i, .id = (*r->next_id)++ };
	}
	set_switches(r, r->channel);
	return 0;
}

/* ---- which channel ---- */

/* Do records have fields that only a condition names? */
static bool has_hidden(const struct kept *k)
{
	for (unsigned i = 0; i < k->nr_probes; i++) {
		if (k->probes[i].plan.layout.nr_hidden)
			return true;
	}
	return false;
}

/* The rings hold records that must stay readable. */
static int adopt(void *ctx, struct set *s, bool saves, struct diag *diag)
{
	struct reload *r = ctx;
	const struct kept *k = &r->ev->kept;
	unsigned end = 0;
	bool same = true;

	if (store_selves(r->store, &s->selves, diag))
		return diag->err;
	if (r->how->renews)
		return renew(r, saves, diag);
	r->use.channel->selves_fd = s->selves.fd;
	r->kept_of = arena_array(&s->arena, unsigned, s->nr_probes);
	for (unsigned line = 0; same && line < k->nr_lines; line++) {
		if (r->loads[line])
			same = match_line(r, line, end, &end);
	}
	if (same && end == s->nr_probes) {
		set_switches(r, r->use.channel);
		return 0;
	}
	diag_set(diag, -ESTALE, "records of %s/%s would now differ from those in its buffers", k->group, k->event);
	if (has_hidden(k))
		diag_note(diag, "help: the fields that its definition's condition names are in the records; remove it and keep it again");
	else
		diag_note(diag, "help: symbols, types or modules have changed since it was kept; remove it and keep it again");
	return -ESTALE;
}

/* ---- the new description of the event ---- */

/* The definitions in their listed form. */
static const char **list_lines(struct reload *r)
{
	const struct kept *k = &r->ev->kept;
	struct set *s = &r->set;
	const char **lines = arena_array(&s->arena, const char *, k->nr_lines);
	struct buf text = { 0 };

	memcpy(lines, k->lines, k->nr_lines * sizeof(*lines));
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (probe_follows(&s->probes[i]))
			continue;
		buf_reset(&text);
		probe_print_listing(&s->probes[i], false, &text);
		lines[k->probes[r->kept_of[i]].line] = arena_strdup(&s->arena, buf_str(&text));
	}
	buf_fini(&text);
	return lines;
}

/* Says what @i of the set is now. Its number and its definition are known. */
static void take_probe(struct reload *r, unsigned i, struct kept_probe *ret)
{
	struct set *s = &r->set;
	const struct probe *p = &s->probes[i];
	bool saver = p->saver.prog_fd >= 0;

	ret->plan = *p->plan;
	ret->has_saver = saver;
	ret->saver_last = saver && engine_saver_is_last(s->engine, p->plan);
	ret->selects = p->selects;
	ret->module = set_find_module(s, p, &ret->module_load);
	kept_name_file(ret, &s->arena);
	if (p->state == PROBE_ACTIVE && p->plan->fell_back && !probe_follows(p))
		note_fallback(p->def, p->plan, stderr);
}

static int replace(struct reload *r, struct diag *diag)
{
	struct set *s = &r->set;
	struct kept k = r->ev->kept;
	struct store_probe *probes = arena_array(&s->arena, struct store_probe, k.nr_probes);
	int err;

	k.version = version;
	k.abi = BP_ABI_VERSION;
	describe_triggers(r, &k);
	k.lines = list_lines(r);
	k.probes = arena_array(&s->arena, struct kept_probe, k.nr_probes);
	memcpy(k.probes, r->ev->kept.probes, k.nr_probes * sizeof(*k.probes));
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		take_probe(r, i, &k.probes[r->kept_of[i]]);
		probes[r->kept_of[i]] = (struct store_probe){ &p->attached, p->saver.prog_fd >= 0 ? &p->saver : NULL };
	}
	/* With a first variable for others, it begins to watch what it misses. */
	err = r->use.channel ? store_pin_watch(r->ev->dir, r->use.channel) : 0;
	if (err)
		return diag_set(diag, err, "cannot keep what watches where tasks run: %s", strerror(-err));
	return store_replace(r->ev, &k, NULL, probes, diag);
}

/* All its definitions were removed, but other parts need its directory. It gets rings that nothing writes to. */
static int renew_empty(struct reload *r, struct diag *diag)
{
	struct kept k = r->ev->kept;
	const struct channel_opts opts = { .nr_probes = k.nr_probes, .ring_size = 1, .max_record = sizeof(struct bp_rec) };
	struct store_probe *probes = arena_array(&r->set.arena, struct store_probe, k.nr_probes);
	int err = create_channel(r, &opts, diag);

	k.version = version;
	k.abi = BP_ABI_VERSION;
	return err ? err : store_replace(r->ev, &k, r->channel, probes, diag);
}

/* The definitions that were loaded, as if they were kept now. */
static int replace_all(struct reload *r, struct diag *diag)
{
	struct set *s = &r->set;
	const struct kept *old = &r->ev->kept;
	struct kept k = *old;
	struct store_probe *probes = arena_array(&s->arena, struct store_probe, s->nr_probes);
	const char **lines = arena_array(&s->arena, const char *, s->nr_probes);
	struct buf text = { 0 };
	unsigned line = 0;

	k.version = version;
	k.abi = BP_ABI_VERSION;
	describe_triggers(r, &k);
	k.nr_lines = 0;
	k.nr_probes = s->nr_probes;
	k.lines = lines;
	k.sources = arena_array(&s->arena, const char *, s->nr_probes);
	k.dialects = arena_array(&s->arena, const char *, s->nr_probes);
	k.dropped = NULL;
	k.probes = arena_array(&s->arena, struct kept_probe, s->nr_probes);
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (!probe_follows(p)) {
			while (!r->loads[line])
				line++;
			buf_reset(&text);
			probe_print_listing(p, false, &text);
			k.sources[k.nr_lines] = old->sources[line];
			k.dialects[k.nr_lines] = old->dialects[line++];
			lines[k.nr_lines++] = arena_strdup(&s->arena, buf_str(&text));
		}
		k.probes[i].line = k.nr_lines - 1;
		k.probes[i].id = p->slot.id;
		take_probe(r, i, &k.probes[i]);
		probes[i] = (struct store_probe){ &p->attached, p->saver.prog_fd >= 0 ? &p->saver : NULL };
	}
	buf_fini(&text);
	return store_replace(r->ev, &k, r->channel, probes, diag);
}

static int replace_part(struct reload *r, struct diag *diag)
{
	if (!r->set.nr_probes && !kept_is_synthetic(&r->ev->kept))
		return r->how->renews ? renew_empty(r, diag) : 0;
	return r->how->renews ? replace_all(r, diag) : replace(r, diag);
}

/* Another filter or another channel is for all definitions, so none of them may be in a module that is not loaded. */
static int check_modules(const struct kept *k, struct diag *diag)
{
	const char *module;

	for (unsigned line = 0; line < k->nr_lines; line++) {
		if (k->dropped[line] || kept_module(k, line, &module) != KEPT_MODULE_GONE)
			continue;
		diag_set(diag, -ENODEV, "%s: module %s is not loaded", k->event, module);
		diag_note(diag, "help: load it first (modprobe %s): the new programs need the module's addresses", module);
		return -ENODEV;
	}
	return 0;
}

static const struct set_host host = {
	.attaches = true, .stays = true, .open_channels = adopt, .find_synthetic = find_synthetic, .open_made = open_made,
	.elsewhere = find_elsewhere, .open_table = open_table, .find_words = find_words,
};

/* Does everything up to loading the programs, but does not attach them. Returns 0 or an exit status. */
static int prepare(struct reload *r, struct diag *diag)
{
	struct set *s = &r->set;
	int err;

	set_init(s, &host, r, &r->opts);
	if (!r->how->renews && store_use(r->ev, false, &r->use, diag))
		return EXIT_KERNEL;
	if ((r->how->filters || r->how->triggers || r->how->renews) && check_modules(&r->ev->kept, diag))
		return EXIT_KERNEL;
	if (options_of(r, diag) || read_triggers(r, diag) || add_lines(r, diag))
		return EXIT_BAD_DEFINITION;
	if (!s->nr_probes && !s->nr_synthetics)
		return 0;
	if (set_open_kernel(s, diag))
		return EXIT_KERNEL;
	err = set_resolve(s, diag);
	if (!err)
		err = open_switches(r, diag);
	if (!err)
		err = open_triggers(r, diag);
	if (err)
		return report_resolve_status(err);
	return s->nr_probes && set_load(s, true, diag) ? EXIT_KERNEL : 0;
}

static int attach_part(struct reload *r, struct diag *diag)
{
	bool attaches = r->set.nr_probes && (r->how->attaches || r->ev->enabled);

	return attaches && set_attach(&r->set, diag) ? EXIT_KERNEL : 0;
}

static int change_all(struct reload *all, unsigned nr, struct diag *diag)
{
	int status = 0;

	for (unsigned i = 0; !status && i < nr; i++)
		status = prepare(&all[i], diag);
	for (unsigned i = 0; !status && i < nr; i++)
		status = attach_part(&all[i], diag);
	for (unsigned i = 0; !status && i < nr; i++)
		status = replace_part(&all[i], diag) ? EXIT_KERNEL : 0;
	return status;
}

static unsigned count_parts(const struct reload_event *events, unsigned nr)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < nr; i++)
		sum += events[i].nr;
	return sum;
}

int reload_events(const struct store *store, const struct reload_event *events, unsigned nr_events)
{
	struct arena arena = { 0 };
	unsigned nr_all = count_parts(events, nr_events), nr = 0;
	struct reload *all = arena_array(&arena, struct reload, nr_all);
	int *made_switches = arena_array(&arena, int, nr_events), status;
	struct diag diag = { 0 };
	uint32_t next_id = 0;

	for (unsigned e = 0; e < nr_events; e++) {
		made_switches[e] = -1;
		for (unsigned i = 0; i < events[e].nr; i++)
			all[nr++] = (struct reload){ .store = store, .ev = events[e].parts[i], .how = events[e].how, .use = { .dir_fd = -1 },
						     .next_id = &next_id, .switch_fd = -1, .made_switch = &made_switches[e] };
	}
	status = change_all(all, nr, &diag);
	if (status)
		status = report_error(&diag, status);
	for (unsigned i = 0; i < nr; i++) {
		trigger_run_close(all[i].triggers);
		kept_switches_close(&all[i].switches);
		mades_close(&all[i].mades);
		set_close(&all[i].set);
		store_unuse(&all[i].use);
		channel_close(all[i].channel);
	}
	for (unsigned e = 0; e < nr_events; e++) {
		if (made_switches[e] >= 0)
			close(made_switches[e]);
	}
	arena_fini(&arena);
	diag_fini(&diag);
	return status;
}

int reload_parts(const struct store *store, const struct stored *const *parts, unsigned nr, const struct reload_how *how)
{
	const struct reload_event event = { parts, nr, how };

	return reload_events(store, &event, 1);
}
