// SPDX-License-Identifier: GPL-2.0-only
/*
 * keep_names.c - an event of this name may be kept already: which one is meant?
 */
#include "keep/keep_priv.h"

#include <errno.h>

#include "keep/kept_triggers.h"
#include "lang/listing.h"
#include "plan/join.h"
#include "set/definitions.h"

/*
 * Finds the first part of the event that still has definitions. If all definitions of a part were removed, nothing of that
 * part is enabled any more.
 */
static const struct stored *find_kept(const struct kept_list *kept, const char *group, const char *event)
{
	const struct stored *found = NULL;

	for (unsigned i = 0; i < kept->nr; i++) {
		const struct stored *ev = &kept->list[i];

		if (!name_same_event(ev->kept.group, ev->kept.event, group, event))
			continue;
		if (ev->trouble || kept_count(&ev->kept))
			return ev;
		found = found ? found : ev;
	}
	return found;
}

static bool is_taken(const struct keeper *k, const struct kept_list *kept, const struct event_probes *ev,
		     const char *event)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		if (&k->events[i] != ev && name_same_event(k->events[i].group, k->events[i].event, ev->group, event))
			return true;
	}
	return find_kept(kept, ev->group, event);
}

/*
 * If the user could not name an event, the definition does not mean a kept event of this name. So the new event gets a
 * number, as within a run.
 */
static void number_event(struct keeper *k, const struct kept_list *kept, struct event_probes *ev)
{
	struct set *s = &k->set;
	struct probe_def *def = s->probes[ev->probes[0]].def;

	ev->wanted = ev->event;
	for (unsigned n = 2; is_taken(k, kept, ev, def->event); n++)
		definitions_number(&s->arena, def, n);
	ev->event = def->event;
	for (unsigned i = 0; i < ev->nr; i++) {
		struct probe *p = &s->probes[ev->probes[i]];
		struct probe_def *listed = arena_new(&s->arena, struct probe_def);

		*listed = p->family.def ? *p->family.def : *p->plan->def;
		listed->event = p->def->event = p->plan->layout.event = ev->event;
		if (p->family.def)
			p->family.def = listed;
		else
			p->plan->def = listed;
	}
}

/* Does the event already have exactly this probe? */
static bool has_same(const struct kept_list *kept, const struct event_probes *ev, const struct probe *p)
{
	struct buf text = { 0 };
	bool same = false;

	probe_print_definition(p, &text);
	for (unsigned i = 0; !same && i < kept->nr; i++) {
		const struct kept *k = &kept->list[i].kept;

		if (!name_same_event(k->group, k->event, ev->group, ev->event))
			continue;
		for (unsigned line = 0; !same && line < k->nr_lines; line++)
			same = !k->dropped[line] && listing_same(k->lines[line], buf_str(&text));
	}
	buf_fini(&text);
	return same;
}

static int refuse_join(const struct probe *p, struct diag *diag)
{
	const struct probe_def *def = p->def;

	diag->file = p->from.file;
	diag->line = p->from.line;
	diag_note(diag, "help: give this probe another event name: %s:NAME ...; or remove the kept event: bprobe -r %s/%s",
		  def->kind == DEF_RETURN ? "r" : "p", def->group, def->event);
	return -EEXIST;
}

/*
 * Adds probes to a kept event, as in kprobe_events: they must have the same fields, and are enabled if the event is enabled
 * (6.12, append_trace_kprobe()).
 */
static int join(struct keeper *k, const struct kept_list *kept, struct event_probes *ev, const struct stored *before,
		struct diag *diag)
{
	for (unsigned i = 0; i < ev->nr; i++) {
		struct probe *p = &k->set.probes[ev->probes[i]];

		diag->text = p->def->text;
		if (before->trouble) {
			diag_at(diag, -EEXIST, p->def->head_at, "event %s/%s is kept already, and no probe can join it: %s",
				ev->group, ev->event, before->trouble);
			return refuse_join(p, diag);
		}
		if (!kept_is_current(&before->kept)) {
			diag_at(diag, -EEXIST, p->def->head_at, "event %s/%s was kept by an older bprobe, and no probe can join it",
				ev->group, ev->event);
			diag_note(diag, "help: keep it anew first: bprobe --renew %s/%s", ev->group, ev->event);
			return refuse_join(p, diag);
		}
		if (join_check(&before->kept.probes[0].plan.layout, p->plan, diag))
			return refuse_join(p, diag);
		if (!probe_follows(p) && has_same(kept, ev, p)) {
			diag_at(diag, -EEXIST, p->def->head_at, "the same probe is kept already");
			return refuse_join(p, diag);
		}
		p->state = before->enabled ? PROBE_READY : PROBE_DISABLED;
	}
	diag->text = NULL;
	ev->joined = before;
	return 0;
}

/*
 * The triggers of the event that they join count for them, too, in the same tables. Triggers of their own would have to be added to its
 * probes as well.
 */
static int join_triggers(struct keeper *k, struct event_probes *ev, struct diag *diag)
{
	struct set *s = &k->set;
	const struct kept *before = &ev->joined->kept;
	const struct trigger *first;

	for (unsigned i = 0; i < ev->nr; i++) {
		const struct trigger *t = s->probes[ev->probes[i]].def->triggers;

		if (!t)
			continue;
		diag->text = t->text;
		diag_at(diag, -EEXIST, t->at, "event %s/%s is kept already", ev->group, ev->event);
		diag_note(diag, "help: keep this definition without the trigger, then: bprobe --set-trigger %s/%s '%s'", ev->group,
			  ev->event, t->text);
		return -EEXIST;
	}
	if (kept_triggers_parse(&s->arena, before->triggers, before->nr_triggers, &first, diag))
		return diag->err;
	for (unsigned i = 0; i < ev->nr; i++)
		s->probes[ev->probes[i]].def->triggers = first;
	return 0;
}

/* An event of this name is kept already: the rules of the definition's dialect decide. */
int keep_settle_name(struct keeper *k, const struct kept_list *kept, struct event_probes *ev, struct diag *diag)
{
	const struct probe_def *def = k->set.probes[ev->probes[0]].def;
	const struct stored *before = find_kept(kept, ev->group, ev->event);

	if (!before)
		return 0;
	if (kept_is_synthetic(&before->kept)) {
		diag->text = def->text;
		diag_at(diag, -EEXIST, def->head_at, "%s/%s is kept as a synthetic event, and no probe can join it", ev->group, ev->event);
		return refuse_join(&k->set.probes[ev->probes[0]], diag);
	}
	if (!definitions_is_named(def)) {
		number_event(k, kept, ev);
		return 0;
	}
	if (k->opts->keep.replaces || (def->dialect == DIALECT_V13 && !before->trouble)) {
		ev->replaced = before;
		return 0;
	}
	return join(k, kept, ev, before, diag) || join_triggers(k, ev, diag) ? diag->err : 0;
}

/* An event of this name would be another one. */
int keep_settle_synthetic(struct keeper *k, const struct synthetic_def *def, struct diag *diag)
{
	bool same_run = false;

	for (unsigned i = 0; i < k->nr_events; i++)
		same_run |= name_same_event(k->events[i].group, k->events[i].event, SYNTHETIC_GROUP, def->name);
	if (!same_run && (k->opts->keep.replaces || !find_kept(&k->kept, SYNTHETIC_GROUP, def->name)))
		return 0;
	diag->text = def->text;
	if (same_run)
		return diag_at(diag, -EEXIST, def->name_at, "a probe of this command has the name synthetic/%s", def->name);
	diag_at(diag, -EEXIST, def->name_at, "event synthetic/%s is kept already", def->name);
	diag_note(diag, "help: give this one another name, or remove the kept event: bprobe -r synthetic/%s", def->name);
	return -EEXIST;
}

void keep_note_names(const struct keeper *k, FILE *out)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		const struct event_probes *ev = &k->events[i];

		if (ev->wanted)
			fprintf(out, "bprobe: %s: kept under this name, because %s/%s exists already\n", ev->event, ev->group,
				ev->wanted);
		if (ev->replaced && !k->opts->keep.replaces)
			fprintf(out, "bprobe: %s: replaces the kept event of this name, as v13's definitions do\n",
				ev->event);
		if (ev->joined && ev->joined->enabled == k->opts->keep.disabled)
			fprintf(out, "bprobe: %s: %s, because the event that it joins is %s\n", ev->event,
				ev->joined->enabled ? "enabled" : "disabled", ev->joined->enabled ? "enabled" : "disabled");
	}
}
