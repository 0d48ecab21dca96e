// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply_list.c - the kept events in the form of files for --apply.
 */
#include "keep/keep.h"

#include <errno.h>
#include <string.h>

#include "keep/kept_definition.h"
#include "keep/kept_triggers.h"
#include "keep/selection.h"
#include "lang/event_name.h"
#include "set/option.h"

/* An event with the parts that joined it. */
struct listed {
	const struct stored **parts;
	unsigned nr_parts;
	struct probe_def **defs;
	unsigned nr_defs;
};

static int read_definitions(struct arena *arena, struct listed *l, struct diag *diag)
{
	unsigned nr = 0;
	int err = 0;

	for (unsigned i = 0; i < l->nr_parts; i++)
		nr += l->parts[i]->kept.nr_lines;
	l->defs = arena_array(arena, struct probe_def *, nr);
	for (unsigned i = 0; i < l->nr_parts; i++) {
		const struct kept *k = &l->parts[i]->kept;

		for (unsigned line = 0; !err && line < k->nr_lines; line++) {
			if (!k->dropped[line])
				err = kept_definition(arena, k, line, &l->defs[l->nr_defs++], diag);
		}
	}
	return err;
}

static const char *filter_of(struct arena *arena, const struct probe_def *def)
{
	struct buf text = { 0 };
	const char *ret;

	def_print_filter(def, &text);
	ret = arena_strdup(arena, buf_str(&text));
	buf_fini(&text);
	return ret;
}

/* The filter that all definitions have; NULL: they have several, and each stands behind its definition. */
static const char *shared_filter(struct arena *arena, const struct listed *l)
{
	const char *first = l->nr_defs ? filter_of(arena, l->defs[0]) : "";

	for (unsigned i = 1; i < l->nr_defs; i++) {
		if (strcmp(first, filter_of(arena, l->defs[i])))
			return NULL;
	}
	return first;
}

/* Does a trigger need the kernel's stack in the records? Then it asks for it itself. */
static bool has_stacktrace(struct arena *arena, const struct kept *k)
{
	struct diag ignored = { 0 };
	const struct trigger *t;
	bool any = false;

	if (kept_triggers_parse(arena, k->triggers, k->nr_triggers, &t, &ignored))
		t = NULL;
	diag_fini(&ignored);
	for (; t; t = t->next)
		any |= t->kind == TRIGGER_STACKTRACE || trigger_uses_field(t, "common_stacktrace") || trigger_uses_field(t, "stacktrace");
	return any;
}

/* "--comm=sh" is "comm sh" here, and "--not" stands in front of what it inverts. */
static void print_options(const struct kept *k, struct buf *out)
{
	for (unsigned i = 0; i < k->nr_options; i++) {
		const char *word = k->options[i] + strspn(k->options[i], "-");
		size_t len = strcspn(word, "=");
		bool inverted = i && !strcmp(k->options[i - 1], SET_OPTION_NOT);

		if (strcmp(k->options[i], SET_OPTION_NOT))
			buf_addf(out, "\t%s%.*s%s%s\n", inverted ? "not " : "", (int)len, word, word[len] ? " " : "", word[len] ? word + len + 1 : "");
	}
}

static void print_settings(struct arena *arena, const struct listed *l, const char *filter, struct buf *out)
{
	const struct stored *ev = l->parts[0];
	unsigned stacks = l->nr_defs ? l->defs[0]->stacks : 0;

	if (filter && *filter)
		buf_addf(out, "\tfilter %s\n", filter + strlen(" if "));
	if (stacks & 1u << STACK_KERNEL && !has_stacktrace(arena, &ev->kept))
		buf_adds(out, "\tkernel-stack\n");
	if (stacks & (1u << STACK_USER | 1u << STACK_USER_IDS))
		buf_adds(out, "\tuser-stack\n");
	print_options(&ev->kept, out);
	for (unsigned i = 0; i < ev->kept.nr_triggers; i++)
		buf_addf(out, "\ttrigger %s\n", ev->kept.triggers[i].text);
	if (!ev->enabled)
		buf_adds(out, "\tdisabled\n");
}

static int print_event(struct arena *arena, struct listed *l, struct buf *out, struct diag *diag)
{
	const char *filter;

	if (kept_is_synthetic(&l->parts[0]->kept)) {
		buf_addf(out, "%s\n", l->parts[0]->kept.lines[0]);
		return 0;
	}
	if (read_definitions(arena, l, diag))
		return diag->err;
	filter = shared_filter(arena, l);
	for (unsigned i = 0; i < l->nr_defs; i++) {
		def_print(l->defs[i], out);
		buf_addf(out, "%s\n", filter ? "" : filter_of(arena, l->defs[i]));
	}
	print_settings(arena, l, filter, out);
	return 0;
}

int apply_list(const struct options *opts, struct buf *out, struct diag *diag)
{
	struct selection s;
	bool first = true;
	int err = selection_open(opts, NULL, 0, &s, diag);

	if (err)
		return err;
	for (unsigned i = 0; !err && i < s.nr_events; i++) {
		struct listed l = { 0 };

		l.nr_parts = selection_parts(&s, i, &l.parts);
		if (!l.nr_parts)
			continue;
		buf_adds(out, first ? "" : "\n");
		err = print_event(&s.arena, &l, out, diag);
		first = false;
	}
	if (!err && s.nr_troubles)
		err = diag_set(diag, -EPROTONOSUPPORT, "%u kept events could not be listed", s.nr_troubles);
	selection_close(&s);
	return err;
}
