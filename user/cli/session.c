// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - the probes of one run.
 */
#include "cli/session.h"

#include <errno.h>

#include "lang/kprobe.h"

/* ---- text ---- */

static bool same_event(const struct probe_def *a, const struct probe_def *b)
{
	return !strcmp(a->event, b->event) && !strcmp(a->group, b->group);
}

static bool removes(const struct probe_def *removal, const struct probe_def *def)
{
	return (!removal->group || !strcmp(removal->group, def->group)) &&
	       (!removal->event || !strcmp(removal->event, def->event));
}

static int take_removal(struct session *s, const struct probe_def *def, struct diag *diag)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!removes(def, s->probes[i].def))
			s->probes[kept++] = s->probes[i];
	}
	if (kept == s->nr_probes)
		return diag_at(diag, -ENOENT, def->event ? def->event_at : def->group_at,
			       "no earlier definition of this run has this name; "
			       "'bprobe -r NAME' removes the probes of another bprobe");
	s->nr_probes = kept;
	return 0;
}

static int take_definition(struct session *s, struct probe_def *def, struct diag *diag)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!same_event(s->probes[i].def, def))
			continue;
		diag_at(diag, -EEXIST, def->event_at.len ? def->event_at : def->head_at,
			"an earlier definition is called %s/%s already", def->group, def->event);
		diag_note(diag, "help: give this one a name of its own: %s:NAME ...",
			  def->kind == DEF_RETURN ? "r" : "p");
		return -EEXIST;
	}
	s->probes[s->nr_probes++] = (struct probe){ .def = def, .attached = ATTACHED_NONE };
	return 0;
}

int session_parse(struct session *s, const struct options *opts, struct diag *diag)
{
	s->opts = opts;
	s->probes = arena_array(&s->arena, struct probe, opts->nr_words);
	for (unsigned i = 0; i < opts->nr_words; i++) {
		struct probe_def *def = NULL;
		int err = kprobe_parse(&s->arena, opts->words[i], &def, diag);

		if (!err && def)
			err = def->kind == DEF_REMOVE ? take_removal(s, def, diag)
						      : take_definition(s, def, diag);
		if (err)
			return err;
	}
	if (!s->nr_probes)
		return diag_set(diag, -EINVAL, "no definition is left to trace");
	return 0;
}

/* ---- names ---- */

int session_resolve(struct session *s, struct diag *diag)
{
	int err = ksyms_load(s->opts->kallsyms, &s->ks, diag);
	struct facts facts;

	if (err && (s->opts->kallsyms || s->opts->verb != VERB_EXPLAIN))
		return err;
	s->btf = kbtf_open(NULL);
	facts = (struct facts){ .ks = s->ks, .btf = s->btf };
	for (unsigned i = 0; i < s->nr_probes; i++) {
		err = plan_resolve(&s->arena, s->probes[i].def, &facts, &s->probes[i].plan, diag);
		if (err)
			return err;
	}
	return 0;
}

/* ---- programs and places ---- */

int session_load(struct session *s, bool all_tasks, struct diag *diag)
{
	struct engine_opts opts = {
		.nr_probes = s->nr_probes,
		.ring_size = s->opts->buffer,
		.all_tasks = all_tasks,
	};
	int err;

	/*
	 * No record may be larger than the ring it is reserved in; what is left of
	 * the ring is for those that come while it is read.
	 */
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct layout *l = &s->probes[i].plan->layout;
		uint64_t need = 4 * (uint64_t)MAX(l->short_size, l->long_size);

		if (opts.ring_size && opts.ring_size < need)
			opts.ring_size = need;
	}
	err = engine_open(&opts, s->ks, &s->engine, diag);
	for (unsigned i = 0; !err && i < s->nr_probes; i++)
		err = engine_load(s->engine, s->probes[i].plan, i, &s->probes[i].attached.prog_fd, diag);
	return err;
}

int session_attach(struct session *s, struct diag *diag)
{
	int err = attacher_init(&s->attacher, diag);

	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		struct probe *p = &s->probes[i];

		err = attach(&s->attacher, p->plan, p->attached.prog_fd, &p->attached, diag);
		if (!err) {
			p->active = true;
			s->nr_active++;
		}
	}
	return err;
}

void session_detach(struct session *s, struct probe *p)
{
	if (p->active) {
		p->missed_known = attached_missed(&s->attacher, &p->attached, &p->missed);
		s->nr_active--;
	}
	p->active = false;
	attached_close(&p->attached);
}

void session_detach_all(struct session *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++)
		session_detach(s, &s->probes[i]);
}

void session_close(struct session *s)
{
	session_detach_all(s);
	engine_close(s->engine);
	kbtf_close(s->btf);
	ksyms_close(s->ks);
	arena_fini(&s->arena);
}

bool session_name_matches(const struct probe_def *def, const char *name)
{
	const char *slash = strchr(name, '/');
	size_t group = slash ? (size_t)(slash - name) : 0;
	const char *event = slash ? slash + 1 : name;

	if (slash && (strlen(def->group) != group || memcmp(def->group, name, group)))
		return false;
	return (slash && !*event) || !strcmp(def->event, event);
}
