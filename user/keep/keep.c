// SPDX-License-Identifier: GPL-2.0-only
/*
 * keep.c - puts probes into the kernel that stay there after bprobe has ended.
 *
 *	parse -> resolve -> (lock) -> load -> attach -> pin -> (shown, unlock)
 *
 * As in tracing, everything is checked before the first probe is attached. What is pinned
 * becomes visible only when all of it is there.
 */
#include "keep/keep.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "keep/enable.h"
#include "keep/keep_priv.h"
#include "keep/remove.h"
#include "run/switch_map.h"
#include "set/lint.h"
#include "set/notes.h"

/* ---- which probes make which event ---- */

static struct event_probes *find_event(struct keeper *k, const struct probe_def *def)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		if (name_same_event(k->events[i].group, k->events[i].event, def->group, def->event))
			return &k->events[i];
	}
	k->events[k->nr_events] = (struct event_probes){ .group = def->group, .event = def->event, .switch_fd = -1 };
	return &k->events[k->nr_events++];
}

static void group_probes(struct keeper *k)
{
	struct set *s = &k->set;
	struct event_probes **of = arena_array(&s->arena, struct event_probes *, s->nr_probes);

	k->events = arena_array(&s->arena, struct event_probes, s->nr_probes);
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *def = s->probes[i].def, *before = i ? s->probes[i - 1].def : NULL;
		bool same = before && name_same_event(def->group, def->event, before->group, before->event);

		of[i] = same ? of[i - 1] : find_event(k, def);
		of[i]->nr++;
	}
	for (unsigned i = 0; i < k->nr_events; i++) {
		k->events[i].probes = arena_array(&s->arena, unsigned, k->events[i].nr);
		k->events[i].nr = 0;
	}
	for (unsigned i = 0; i < s->nr_probes; i++)
		of[i]->probes[of[i]->nr++] = i;
}

/* A running process could wait for a module; a kept probe has no such process. */
int keep_refuse_waiting(const struct set *s, struct diag *diag)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (p->plan)
			continue;
		diag->text = p->def->text;
		diag->file = p->from.file;
		diag->line = p->from.line;
		diag_at(diag, -ENOENT, p->def->place.module_at, "module %s is not loaded, and a kept probe cannot wait for it",
			p->def->place.module);
		diag_note(diag, "help: load it first (modprobe %s), or leave out --keep: a running bprobe can wait for the module",
			  p->def->place.module);
		return -ENOENT;
	}
	return 0;
}

static int create_channel(struct keeper *k, struct event_probes *ev, bool saves, struct diag *diag)
{
	struct channel_opts opts = set_channel_opts(&k->set, saves);
	int err;

	opts.nr_probes = ev->nr;
	opts.nr_channels = MAX(k->nr_events, k->nr_sharing);
	err = channel_create(&opts, &ev->channel, diag);
	if (!err) {
		ev->channel->selves_fd = k->set.selves.fd;
		if (ev->switch_fd >= 0)
			ev->channel->tracing = switch_map_word(k->switches.tracing_fd, 0);
	}
	return err && !diag->err ? engine_explain_open(diag, err) : err;
}

static int open_store(struct keeper *k, struct diag *diag)
{
	struct set *s = &k->set;
	int err = 0;

	if (k->given)
		k->store = *k->given;
	else
		err = store_open(k->opts->keep.store, true, &k->store, diag);
	if (err)
		return err;
	k->kept.nr = store_list(&k->store, &s->arena, &k->kept.list);
	for (unsigned i = 0; !err && i < s->nr_synthetics; i++) {
		if (mades_named(&k->mades, s->synthetics[i]->name))	/* it is kept already, and triggers make it */
			continue;
		err = keep_settle_synthetic(k, s->synthetics[i], diag);
		if (!err)
			mades_add(&k->mades, &s->arena, s->synthetics[i]);
	}
	return err;
}

/* Only synthetic events, for which no program is loaded. */
static int open_alone(struct keeper *k, struct diag *diag)
{
	int err = open_store(k, diag);

	if (!err)
		err = keep_open_switches(k, diag);
	if (err)
		return err;
	err = keep_open_triggers(k, diag);
	k->refused = err;
	return err;
}

static void set_state(struct keeper *k, const struct event_probes *ev)
{
	bool off = k->is_disabled ? k->is_disabled(k, ev->group, ev->event) : k->opts->keep.disabled;

	for (unsigned i = 0; i < ev->nr; i++)
		k->set.probes[ev->probes[i]].state = off ? PROBE_DISABLED : PROBE_READY;
}

/* Called when the engine is open. The store is locked only now, because other users of the store must wait then. */
static int open_channels(void *ctx, struct set *s, bool saves, struct diag *diag)
{
	struct keeper *k = ctx;
	uint32_t id = k->next_id;
	int err = open_store(k, diag);
	const struct kept_list kept = k->kept;

	if (err)
		return err;
	for (unsigned i = 0; i < k->nr_events; i++)
		set_state(k, &k->events[i]);
	for (unsigned i = 0; !err && i < k->nr_events; i++)
		err = keep_settle_name(k, &kept, &k->events[i], diag);
	if (!err)
		err = keep_open_switches(k, diag);
	if (!err) {
		err = keep_open_triggers(k, diag);
		k->refused = err;
	}
	if (!err)
		keep_attach_armed(k);
	if (!err)
		err = store_selves(&k->store, &s->selves, diag);
	if (!err)
		err = set_leave_out(s, 0, diag);
	for (unsigned i = 0; !err && i < k->nr_events; i++) {
		struct event_probes *ev = &k->events[i];

		err = create_channel(k, ev, saves, diag);
		for (unsigned n = 0; !err && n < ev->nr; n++, id++) {
			id = store_free_id(kept.list, kept.nr, id);
			s->probes[ev->probes[n]].slot = (struct slot){ .channel = ev->channel, .index = n, .id = id,
									  .event = switch_map_word(ev->switch_fd, 0) };
		}
	}
	k->next_id = id;
	return err;
}

/* Removes the whole event, with the parts that joined it, if it is kept. */
static int remove_kept(struct keeper *k, const char *group, const char *event, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < k->kept.nr; i++) {
		const struct kept *kept = &k->kept.list[i].kept;

		if (name_same_event(kept->group, kept->event, group, event))
			err = store_remove(&k->store, &k->kept.list[i], NULL, diag);
	}
	return err;
}

static int remove_replaced(struct keeper *k, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < k->nr_events; i++)
		err = k->events[i].replaced ? remove_kept(k, k->events[i].group, k->events[i].event, diag) : 0;
	for (unsigned i = 0; !err && k->opts->keep.replaces && i < k->set.nr_synthetics; i++)
		err = mades_named(&k->mades, k->set.synthetics[i]->name)->ev ? 0 : remove_kept(k, SYNTHETIC_GROUP, k->set.synthetics[i]->name, diag);
	return err;
}

/* Attaches the kept events that the new triggers enable, if they are disabled. What is to be replaced is none of them. */
static int arm(struct keeper *k, struct armed *ret)
{
	struct set *s = &k->set;
	const struct trigger **firsts = arena_array(&s->arena, const struct trigger *, s->nr_probes);
	struct stored *list = arena_array(&s->arena, struct stored, k->kept.nr);
	unsigned nr = 0;

	for (unsigned i = 0; i < s->nr_probes; i++)
		firsts[i] = s->probes[i].def->triggers;
	for (unsigned i = 0; i < k->kept.nr; i++) {
		const struct event_probes *ev = keep_event_named(k, k->kept.list[i].kept.group, k->kept.list[i].kept.event);

		if (!ev || !ev->replaced)
			list[nr++] = k->kept.list[i];
	}
	return enable_arm(&k->store, list, nr, firsts, s->nr_probes, ret);
}

/* What replaces an event has its switch, and begins in its own state. */
static void set_replaced(const struct keeper *k)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		if (k->events[i].replaced && k->events[i].switch_fd >= 0)
			switch_map_set(k->events[i].switch_fd, 0, k->events[i].armed);
	}
}

static int prepare(struct keeper *k, struct diag *diag)
{
	int err = 0;

	k->now = now_ns();
	for (unsigned i = 0; !err && i < k->nr_events; i++)
		err = keep_prepare_event(k, &k->events[i], diag);
	for (unsigned i = 0; !err && i < k->set.nr_synthetics; i++) {
		if (!mades_named(&k->mades, k->set.synthetics[i]->name)->ev)
			err = keep_prepare_synthetic(k, i, diag);
	}
	return err;
}

/* Only at the end, when nothing but the names is missing: an earlier error leaves everything as it was. */
static int replace_and_commit(struct keeper *const *keepers, unsigned nr, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < nr; i++)
		err = remove_replaced(keepers[i], diag);
	if (!err)
		err = store_commit(&keepers[0]->store, diag);
	for (unsigned i = 0; !err && i < nr; i++)
		set_replaced(keepers[i]);
	return err;
}

int keep_commit(struct keeper *const *keepers, unsigned nr, struct diag *diag)
{
	struct arena arena = { 0 };
	struct armed *armed = arena_array(&arena, struct armed, nr);
	unsigned nr_armed = 0;
	int status = 0;

	for (unsigned i = 0; !status && i < nr; i++)
		status = arm(keepers[i], &armed[nr_armed++]);
	if (!status && nr)
		status = replace_and_commit(keepers, nr, diag) ? EXIT_KERNEL : 0;
	for (unsigned i = 0; i < nr_armed; i++) {
		if (status)
			enable_disarm(&armed[i]);
		enable_arm_close(&armed[i]);
	}
	arena_fini(&arena);
	return status;
}

static const char *find_synthetic(void *ctx, struct arena *arena, const char *name, const struct trigger **ret_first)
{
	struct keeper *k = ctx;
	const struct store store = { .dir = k->opts->keep.store ? k->opts->keep.store : STORE_DEFAULT, .fd = -1 };

	return mades_find(&k->mades, &store, arena, name, ret_first);
}

static int open_made(void *ctx, struct set *s, unsigned i, struct slot *ret, struct diag *diag)
{
	struct keeper *k = ctx;
	const struct made_event *e;
	int err = keep_open_synthetic(k, i, diag);

	if (err)
		return err;
	e = mades_named(&k->mades, s->synthetics[i]->name);
	*ret = (struct slot){ .channel = e->channel, .id = e->id };
	return 0;
}

static const struct set_host host = {
	.attaches = true, .stays = true, .open_channels = open_channels, .find_synthetic = find_synthetic,
	.open_made = open_made, .elsewhere = keep_elsewhere, .open_table = keep_open_table, .find_words = keep_find_words,
	.needs_trigger = keep_needs_trigger,
};

int keep_begin(struct keeper *k, struct diag *diag)
{
	const struct options *opts = k->opts;
	struct set *s = &k->set;
	int err;

	set_init(s, &host, k, &opts->set);
	for (unsigned i = 0; i < opts->nr_words; i++) {
		for (unsigned t = 0; t < opts->words[i].nr_triggers; t++) {
			if (strchr(opts->words[i].triggers[t], '\n')) {
				diag_set(diag, -EINVAL, "a trigger with a newline cannot be kept");
				return EXIT_USAGE;
			}
		}
	}
	for (unsigned i = 0; i < opts->keep.nr_words; i++) {
		if (strchr(opts->keep.words[i], '\n')) {
			diag_set(diag, -EINVAL, "an option's value with a newline cannot be kept");
			return EXIT_USAGE;
		}
	}
	if (set_parse(s, opts->words, opts->nr_words, diag))
		return EXIT_BAD_DEFINITION;
	if ((s->nr_probes || s->nr_synthetics) && set_open_kernel(s, diag))
		return EXIT_KERNEL;
	err = set_resolve(s, diag);
	if (!err)
		err = keep_refuse_waiting(s, diag);
	if (err)
		return report_resolve_status(err);
	/* Must happen before the store is locked. A new event can then take the place of a removed one with the same name. */
	err = remove_definitions(opts, s, diag);
	if (err)
		return err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
	group_probes(k);
	files_raise_limit();
	err = s->nr_probes ? set_load(s, true, diag) : open_alone(k, diag);
	if (err)
		return err == -EEXIST || k->refused ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
	err = set_attach(s, diag);
	if (err)
		return err == -EILSEQ ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
	return prepare(k, diag) ? EXIT_KERNEL : 0;
}

void keep_tell(const struct keeper *k, FILE *out)
{
	keep_note_names(k, out);
	notes_print(&k->set, out);
}

void keep_end(struct keeper *k)
{
	trigger_run_close(k->triggers);
	for (unsigned i = 0; i < k->nr_events; i++) {
		channel_close(k->events[i].channel);
		if (k->events[i].owns_switch)
			close(k->events[i].switch_fd);
	}
	kept_switches_close(&k->switches);
	mades_close(&k->mades);
	set_close(&k->set);
}

int keep_run(const struct options *opts)
{
	struct keeper k = { .opts = opts, .store.fd = -1, .given_tracing = -1 }, *const all[] = { &k };
	struct diag diag = { 0 };
	int status = keep_begin(&k, &diag);

	if (!status)
		status = keep_commit(all, 1, &diag);
	store_close(&k.store);		/* other processes need not wait for the rest */
	if (status) {
		status = diag.err ? report_error(&diag, status) : status;
	} else {
		keep_tell(&k, stderr);
		lint_print(&k.set, stderr, NULL, NULL);
	}
	keep_end(&k);
	diag_fini(&diag);
	return status;
}
