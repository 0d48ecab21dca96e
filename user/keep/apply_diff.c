// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply_diff.c - what differs between an event that a file describes and the one that is kept.
 *
 * What is compared is what the store says now, not what an earlier --apply has read: an event may have been changed by hand since.
 */
#include "keep/apply_priv.h"

#include <string.h>

#include "keep/kept_definition.h"
#include "keep/kept_switches.h"
#include "lang/event_name.h"
#include "set/option.h"

/* ---- definitions ---- */

/* A definition of all parts that was not removed. */
struct kept_line {
	const struct stored *part;
	unsigned line;
};

static struct kept_line *list_lines(struct arena *arena, const struct wanted *w, unsigned *ret_nr)
{
	unsigned nr = 0;
	struct kept_line *ret;

	for (unsigned i = 0; i < w->nr_parts; i++)
		nr += w->parts[i]->kept.nr_lines;
	ret = arena_array(arena, struct kept_line, nr);
	*ret_nr = 0;
	for (unsigned i = 0; i < w->nr_parts; i++) {
		const struct kept *k = &w->parts[i]->kept;

		for (unsigned line = 0; line < k->nr_lines; line++) {
			if (!k->dropped[line])
				ret[(*ret_nr)++] = (struct kept_line){ w->parts[i], line };
		}
	}
	return ret;
}

static bool same_text(const struct probe_def *a, const struct probe_def *b, void (*print)(const struct probe_def *, struct buf *))
{
	struct buf x = { 0 }, y = { 0 };
	bool same;

	print(a, &x);
	print(b, &y);
	same = !strcmp(buf_str(&x), buf_str(&y));
	buf_fini(&x);
	buf_fini(&y);
	return same;
}

/* @by_triggers: stacks that triggers need. The kept records must have them, but may also have them for another reason. */
static bool same_stacks(unsigned want, unsigned have, unsigned by_triggers)
{
	return !(by_triggers & ~have) && (want & ~by_triggers) == (have & ~by_triggers);
}

static unsigned compare_definitions(struct arena *arena, const struct wanted *w)
{
	unsigned nr, changes = 0;
	const struct kept_line *lines = list_lines(arena, w, &nr);

	if (nr != w->nr_words)
		return CHANGE_DEFINITIONS;
	for (unsigned i = 0; i < nr; i++) {
		const struct probe_def *want = w->defs[i];
		struct probe_def *have;
		struct diag ignored = { 0 };
		int err = kept_definition(arena, &lines[i].part->kept, lines[i].line, &have, &ignored);

		diag_fini(&ignored);
		if (err || !same_text(want, have, def_print) || !same_stacks(want->stacks, have->stacks, w->defs[0]->trigger_stacks))
			changes |= CHANGE_DEFINITIONS;
		else if (!same_text(want, have, def_print_filter))
			changes |= CHANGE_FILTER;
	}
	return changes;
}

/* One filter is for all definitions of an event, if it is changed. */
static bool filters_differ(const struct wanted *w)
{
	for (unsigned i = 1; i < w->nr_words; i++) {
		if (!same_text(w->defs[0], w->defs[i], def_print_filter))
			return true;
	}
	return false;
}

static unsigned compare_synthetic(const struct wanted *w)
{
	struct buf text = { 0 };
	bool same;

	synthetic_print(w->synthetic, &text);
	same = w->parts[0]->kept.nr_lines == 1 && !strcmp(w->parts[0]->kept.lines[0], buf_str(&text));
	buf_fini(&text);
	return same ? 0 : CHANGE_DEFINITIONS;
}

/* ---- options, triggers, state ---- */

/* The order of options has no meaning, but for what stands behind "--not". */
static bool has_option(const struct kept *k, const char *word, bool inverted)
{
	for (unsigned i = 0; i < k->nr_options; i++) {
		if (!strcmp(k->options[i], word) && (i && !strcmp(k->options[i - 1], SET_OPTION_NOT)) == inverted)
			return true;
	}
	return false;
}

static bool same_options(const struct wanted *w, const struct kept *k)
{
	if (w->nr_options != k->nr_options)
		return false;
	/* No setting is there twice, so one direction is enough. */
	for (unsigned i = 0; i < w->nr_options; i++) {
		bool inverted = i && !strcmp(w->options[i - 1], SET_OPTION_NOT);

		if (strcmp(w->options[i], SET_OPTION_NOT) && !has_option(k, w->options[i], inverted))
			return false;
	}
	return true;
}

static bool same_triggers(const struct wanted *w, const struct kept *k)
{
	const struct trigger *t = w->triggers;
	unsigned i = 0;

	for (; t && i < k->nr_triggers; t = t->next, i++) {
		if (strcmp(t->text, k->triggers[i].text))
			return false;
	}
	return !t && i == k->nr_triggers;
}

/* Does a trigger of a wanted event enable or disable this one? Then its state is a matter of what happens. */
static bool is_switched(const struct apply *a, const struct wanted *w)
{
	for (unsigned i = 0; i < a->nr_files; i++) {
		for (unsigned n = 0; n < a->files[i].nr_events; n++) {
			const struct wanted *by = &a->files[i].events[n];

			for (const struct trigger *t = by->left_out ? NULL : by->triggers; t; t = t->next) {
				if ((t->kind == TRIGGER_ENABLE_EVENT || t->kind == TRIGGER_DISABLE_EVENT) &&
				    name_same_event(t->system, t->event, w->group, w->event))
					return true;
			}
		}
	}
	return false;
}

static bool same_state(const struct wanted *w)
{
	for (unsigned i = 0; i < w->nr_parts; i++) {
		if (w->parts[i]->enabled == w->disabled)
			return false;
	}
	return w->disabled || !kept_switches_is_off(w->parts[0]);
}

/* ---- an event ---- */

void apply_compare(struct apply *a, struct wanted *w)
{
	struct arena *arena = &a->sel.arena;
	const struct kept *k;

	w->parts = arena_array(arena, const struct stored *, a->sel.nr_all);
	w->nr_parts = 0;
	for (unsigned i = 0; i < a->sel.nr_all; i++) {
		if (name_same_event(a->sel.all[i].kept.group, a->sel.all[i].kept.event, w->group, w->event))
			w->parts[w->nr_parts++] = &a->sel.all[i];
	}
	w->changes = w->nr_parts ? 0 : CHANGE_NEW;
	if (!w->nr_parts)
		return;
	k = &w->parts[0]->kept;
	/* An event that this bprobe cannot read is kept anew. */
	if (w->parts[0]->trouble || kept_is_synthetic(k) != (w->synthetic != NULL)) {
		w->changes = CHANGE_DEFINITIONS;
		return;
	}
	if (w->synthetic) {
		w->changes = compare_synthetic(w);
		return;
	}
	w->changes = compare_definitions(arena, w);
	if (!same_options(w, k))
		w->changes |= CHANGE_OPTIONS;
	if (!same_triggers(w, k))
		w->changes |= CHANGE_TRIGGERS;
	if (!is_switched(a, w) && !same_state(w))
		w->changes |= CHANGE_STATE;
	if ((w->changes & CHANGE_FILTER && filters_differ(w)) || (w->changes & (CHANGE_FILTER | CHANGE_TRIGGERS) && !kept_is_current(k)))
		w->changes |= CHANGE_DEFINITIONS;
}

void apply_print_changes(const struct wanted *w, struct buf *out)
{
	static const struct { unsigned change; const char *name; } names[] = {
		{ CHANGE_DEFINITIONS, "definitions" }, { CHANGE_OPTIONS, "options" }, { CHANGE_FILTER, "filter" },
		{ CHANGE_TRIGGERS, "triggers" }, { CHANGE_STATE, "state" },
	};
	size_t from = out->len;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (w->changes & names[i].change)
			buf_addf(out, "%s%s", out->len > from ? ", " : "", names[i].name);
	}
}
