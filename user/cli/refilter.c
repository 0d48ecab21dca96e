// SPDX-License-Identifier: GPL-2.0-only
/*
 * refilter.c - another filter for kept probes.
 *
 * The event's definitions are resolved again, with the options that they were kept with, and loaded for its
 * rings and counters. Whatever is wrong with the filter shows before anything is changed.
 */
#include "cli/refilter.h"

#include <errno.h>

#include "cli/definitions.h"
#include "cli/files.h"
#include "cli/selection.h"
#include "cli/session.h"
#include "cli/trace.h"
#include "cli/version.h"
#include "lang/dialect.h"
#include "lang/filter.h"
#include "plan/layout_text.h"

struct refilter {
	struct session session;		/* first: adopt() gets back to this */
	const struct stored *ev;
	struct store_use use;
};

/* ---- the same definitions with another filter ---- */

/* What the command line said that kept them; its definitions are read by add_line(). */
static int options_of(struct arena *arena, const struct options *opts, const struct kept *k, struct options *ret,
		      struct diag *diag)
{
	char **argv = arena_array(arena, char *, 3 + k->nr_options + 1);
	int argc = 0;

	argv[argc++] = "bprobe";
	argv[argc++] = "--keep";
	for (unsigned i = 0; i < k->nr_options; i++)
		argv[argc++] = arena_strdup(arena, k->options[i]);
	argv[argc++] = arena_strdup(arena, k->lines[0]);
	if (options_parse(arena, argc, argv, ret))
		return diag_set(diag, -EINVAL, "the options that %s was kept with cannot be had here", k->event);
	ret->store = opts->store;
	return 0;
}

/* The definition as it was typed, with the filter @expr (NULL: none), of the event that it was kept as. */
static int add_line(struct session *s, const struct kept *k, unsigned line, const char *expr, struct diag *diag)
{
	struct probe_def *def = NULL;
	enum dialect dialect;
	int err;

	if (!dialect_find(k->dialects[line], &dialect))
		return diag_set(diag, -EBADMSG, "%s was kept in the unknown dialect %s", k->event, k->dialects[line]);
	err = dialect_parse(&s->arena, k->sources[line], dialect, &def, diag);
	if (!err && expr)
		err = filter_parse(&s->arena, expr, (struct span){ 0, (uint32_t)strlen(expr) }, &def->filter, diag);
	if (err)
		return err;
	definitions_add(s, def);
	def->group = k->group;
	def->event = k->event;
	return 0;
}

/* ---- the same channel ---- */

static bool same_layout(const struct layout *a, const struct layout *b)
{
	struct buf x = { 0 }, y = { 0 };
	struct layout la = *a, lb = *b;
	bool same;

	la.backend = lb.backend = 0;
	layout_print(&la, &x);
	layout_print(&lb, &y);
	same = !strcmp(buf_str(&x), buf_str(&y));
	buf_fini(&x);
	buf_fini(&y);
	return same;
}

/* The rings hold records that must be read as before. */
static int adopt(struct session *s, bool saves, struct diag *diag)
{
	struct refilter *r = (struct refilter *)(void *)s;
	const struct kept *k = &r->ev->kept;
	bool same = s->nr_probes == k->nr_probes;

	(void)saves;
	for (unsigned i = 0; same && i < s->nr_probes; i++) {
		same = s->probes[i].plan && same_layout(&s->probes[i].plan->layout, &k->probes[i].plan.layout);
		s->probes[i].slot = (struct slot){ .channel = r->use.channel, .index = i, .id = k->probes[i].id };
	}
	if (same)
		return 0;
	diag_set(diag, -ESTALE, "%s/%s would have other records now than those in its buffers", k->group, k->event);
	diag_note(diag, "help: remove it and keep it again; symbols, types or modules have changed since");
	return -ESTALE;
}

/* The definitions as they are listed from now on. */
static const char **list_lines(struct session *s, const struct kept *k)
{
	const char **lines = arena_array(&s->arena, const char *, k->nr_lines);
	struct buf text = { 0 };

	for (unsigned i = 0; i < s->nr_probes; i++) {
		buf_reset(&text);
		session_print_listing(&s->probes[i], false, &text);
		if (!lines[k->probes[i].line])
			lines[k->probes[i].line] = arena_strdup(&s->arena, buf_str(&text));
	}
	buf_fini(&text);
	return lines;
}

static int replace(struct refilter *r, struct diag *diag)
{
	struct session *s = &r->session;
	struct store_probe *probes = arena_array(&s->arena, struct store_probe, s->nr_probes);
	struct kept k = r->ev->kept;

	k.version = version;
	k.lines = list_lines(s, &r->ev->kept);
	k.probes = arena_array(&s->arena, struct kept_probe, s->nr_probes);
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];
		bool saver = p->saver.prog_fd >= 0;

		k.probes[i] = r->ev->kept.probes[i];
		k.probes[i].plan = *p->plan;
		k.probes[i].plan.layout.backend = (uint8_t)p->plan->backend;
		k.probes[i].has_saver = saver;
		k.probes[i].saver_last = saver && engine_saver_is_last(s->engine);
		k.probes[i].selects = p->selects;
		probes[i] = (struct store_probe){ &p->attached, saver ? &p->saver : NULL };
	}
	return store_replace(r->ev, &k, probes, diag);
}

/* Returns 0 or an exit status. */
static int change(struct refilter *r, const struct options *opts, const char *expr, struct diag *diag)
{
	struct session *s = &r->session;
	int err;

	s->opts = opts;
	s->open_channels = adopt;
	for (unsigned i = 0; i < r->ev->kept.nr_lines; i++) {
		if (add_line(s, &r->ev->kept, i, expr, diag))
			return EXIT_BAD_DEFINITION;
	}
	if (session_open_kernel(s, diag))
		return EXIT_KERNEL;
	err = session_resolve(s, diag);
	if (err)
		return trace_resolve_status(err);
	if (session_load(s, true, diag))
		return EXIT_KERNEL;
	if (r->ev->enabled && session_attach(s, diag))
		return EXIT_KERNEL;
	return replace(r, diag) ? EXIT_KERNEL : 0;
}

/* One event. Returns 0 or an exit status, when standard error has heard of it. */
static int refilter(const struct options *opts, const struct stored *ev, const char *expr)
{
	struct refilter r = { .ev = ev, .use = { .dir_fd = -1 } };
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct options with;
	int status;

	if (store_use(ev, false, &r.use, &diag))
		status = EXIT_KERNEL;
	else if (options_of(&arena, opts, &ev->kept, &with, &diag))
		status = EXIT_BAD_DEFINITION;
	else
		status = change(&r, &with, expr, &diag);
	if (status)
		status = trace_failed(opts, &diag, status);
	session_close(&r.session);
	store_unuse(&r.use);
	arena_fini(&arena);
	diag_fini(&diag);
	return status;
}

int refilter_run(const struct options *opts)
{
	const char *expr = strcmp(opts->words[1].text, "0") ? opts->words[1].text : NULL;
	struct diag diag = { 0 };
	struct selection s;
	int status = 0;

	files_raise_limit();
	if (selection_open(opts, opts->words, 1, &s, &diag)) {
		status = trace_failed(opts, &diag, diag.err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
		diag_fini(&diag);
		return status;
	}
	for (unsigned i = 0; i < s.nr_events && !status; i++)
		status = refilter(opts, s.events[i], expr);
	if (!status && s.nr_troubles)
		status = EXIT_KERNEL;
	selection_close(&s);
	return status;
}
