// SPDX-License-Identifier: GPL-2.0-only
/*
 * mades.c - the synthetic events that the programs of a set make.
 */
#include "keep/mades.h"

#include <errno.h>
#include <string.h>

#include "keep/kept_triggers.h"
#include "lang/synthetic.h"
#include "run/switch_map.h"

struct made_event *mades_named(const struct made_events *m, const char *name)
{
	for (unsigned i = 0; i < m->nr; i++) {
		if (!strcmp(m->list[i].name, name))
			return &m->list[i];
	}
	return NULL;
}

static struct made_event *add(struct made_events *m, struct arena *arena, const struct made_event *e)
{
	m->list = arena_grow(arena, m->list, m->nr, &m->size);
	m->list[m->nr] = *e;
	return &m->list[m->nr++];
}

static void take_triggers(struct made_event *e, struct arena *arena, const struct trigger *first)
{
	unsigned nr = 0;

	for (const struct trigger *t = first; t; t = t->next)
		nr++;
	e->parsed = arena_array(arena, const struct trigger *, nr);
	e->nr_triggers = nr;
	nr = 0;
	for (const struct trigger *t = first; t; t = t->next)
		e->parsed[nr++] = t;
}

struct made_event *mades_add(struct made_events *m, struct arena *arena, const struct synthetic_def *def)
{
	struct made_event e = { .name = def->name, .use = { .dir_fd = -1 } };

	take_triggers(&e, arena, def->triggers);
	e.triggers = arena_array(arena, struct kept_trigger, e.nr_triggers);
	for (unsigned i = 0; i < e.nr_triggers; i++)
		e.triggers[i] = (struct kept_trigger){ .number = i, .text = e.parsed[i]->text };
	return add(m, arena, &e);
}

const char *mades_find(struct made_events *m, const struct store *store, struct arena *arena, const char *name,
		       const struct trigger **ret_first)
{
	struct stored *list;
	unsigned nr = store_list(store, arena, &list);

	for (unsigned i = 0; i < nr; i++) {
		const struct kept *k = &list[i].kept;
		struct made_event e = { .name = name, .ev = &list[i], .use = { .dir_fd = -1 } };
		struct diag ignored = { 0 };

		if (list[i].trouble || !kept_is_synthetic(k) || strcmp(k->event, name))
			continue;
		if (kept_triggers_parse(arena, k->triggers, k->nr_triggers, ret_first, &ignored))
			*ret_first = NULL;
		diag_fini(&ignored);
		take_triggers(&e, arena, *ret_first);
		add(m, arena, &e);
		return k->lines[0];
	}
	return NULL;
}

bool mades_open_table(const struct made_events *m, const struct trigger *t, struct count_table *table, int *ret_err)
{
	for (unsigned i = 0; i < m->nr; i++) {
		const struct made_event *e = &m->list[i];

		for (unsigned n = 0; n < e->nr_triggers; n++) {
			if (e->parsed[n] != t)
				continue;
			*ret_err = e->ev ? store_open_table(e->ev, e->ev->kept.triggers[n].number, table) : -ENOENT;
			return true;
		}
	}
	return false;
}

void mades_note_table(const struct made_events *m, const struct trigger *t, const struct count_table *table)
{
	for (unsigned i = 0; i < m->nr; i++) {
		for (unsigned n = 0; n < m->list[i].nr_triggers && !m->list[i].ev; n++) {
			if (m->list[i].parsed[n] == t)
				m->list[i].triggers[n].table = table;
		}
	}
}

static int refuse_old(const struct stored *ev, struct diag *diag)
{
	diag_set(diag, -EPROTONOSUPPORT, "%s/%s was kept by an older bprobe, and has no buffers", ev->kept.group, ev->kept.event);
	diag_note(diag, "help: remove it, and keep it again");
	return -EPROTONOSUPPORT;
}

int mades_open(struct made_event *e, const struct channel_opts *opts, const struct stored *list, unsigned nr, uint32_t *next_id,
	       const struct kept_switches *switches, struct diag *diag)
{
	int err;

	if (e->channel)
		return 0;
	if (e->ev) {
		err = e->ev->kept.nr_probes ? store_use(e->ev, false, &e->use, diag) : refuse_old(e->ev, diag);
		if (err)
			return err;
		e->channel = e->use.channel;
		e->id = e->ev->kept.probes[0].id;
	} else {
		err = channel_create(opts, &e->channel, diag);
		if (err)
			return diag->err ? err : engine_explain_open(diag, err);
		e->id = store_free_id(list, nr, *next_id);
		*next_id = e->id + 1;
	}
	if (switches->tracing_fd >= 0)
		e->channel->tracing = switch_map_word(switches->tracing_fd, 0);
	return 0;
}

void mades_close(struct made_events *m)
{
	for (unsigned i = 0; i < m->nr; i++) {
		struct made_event *e = &m->list[i];

		if (e->ev && e->channel)
			store_unuse(&e->use);
		else
			channel_close(e->channel);
		e->channel = NULL;
	}
}
