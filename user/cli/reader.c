// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader.c - kept events that are read.
 */
#include "cli/reader.h"

#include <errno.h>

#include "cli/files.h"

static unsigned count_probes(const struct reader *r)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < r->sel.nr_events; i++) {
		const struct kept *k = &r->sel.events[i]->kept;

		for (unsigned n = 0; n < k->nr_probes; n++)
			nr = MAX(nr, k->probes[n].id + 1);
	}
	return nr;
}

/* One event's rings and probes among those of all. What LOST lines tell is the reader's own until it is saved. */
static void add_event(struct reader *r, unsigned i)
{
	const struct kept *k = &r->sel.events[i]->kept;
	const struct store_use *u = &r->uses[i];
	const struct channel *c = u->channel;
	struct ring_src *more = arena_array(&r->sel.arena, struct ring_src, r->nr_srcs + c->nr_rings);

	if (r->nr_srcs)
		memcpy(more, r->srcs, r->nr_srcs * sizeof(*more));
	r->srcs = more;
	for (unsigned n = 0; n < c->nr_rings; n++)
		r->srcs[r->nr_srcs++] = (struct ring_src){ c->rings[n], c->ring_size };
	for (unsigned n = 0; n < k->nr_probes; n++) {
		struct source *s = &r->sources[k->probes[n].id];

		*s = (struct source){ .layout = &k->probes[n].plan.layout, .channel = c, .index = n,
				      .told = arena_array(&r->sel.arena, uint32_t, c->nr_cpus) };
		memcpy(s->told, u->told + (size_t)n * c->nr_cpus, c->nr_cpus * sizeof(*s->told));
	}
	r->nr_cpus = c->nr_cpus;
}

void reader_save_told(struct reader *r)
{
	for (unsigned i = 0; i < r->sel.nr_events; i++) {
		const struct kept *k = &r->sel.events[i]->kept;
		const struct store_use *u = &r->uses[i];

		for (unsigned n = 0; n < k->nr_probes; n++)
			memcpy(u->told + (size_t)n * r->nr_cpus, r->sources[k->probes[n].id].told,
			       r->nr_cpus * sizeof(*u->told));
	}
}

uint64_t reader_written(const struct reader *r, unsigned i)
{
	const struct store_use *u = &r->uses[i];
	uint64_t sum = 0;

	for (unsigned n = 0; n < r->sel.events[i]->kept.nr_probes; n++) {
		struct bp_stat stat;

		channel_stat(u->channel, n, &stat);
		sum += stat.hits - stat.lost;
	}
	return sum - *u->written_before;
}

static int use_events(struct reader *r, bool consume, struct diag *diag)
{
	int err = 0;

	r->uses = arena_array(&r->sel.arena, struct store_use, r->sel.nr_events);
	for (unsigned i = 0; i < r->sel.nr_events; i++)
		r->uses[i] = (struct store_use){ .dir_fd = -1 };
	r->nr_sources = count_probes(r);
	r->sources = arena_array(&r->sel.arena, struct source, r->nr_sources);
	for (unsigned i = 0; !err && i < r->sel.nr_events; i++) {
		err = store_use(r->sel.events[i], consume, &r->uses[i], diag);
		if (!err)
			add_event(r, i);
	}
	return err;
}

int reader_open(const struct options *opts, bool consume, struct reader *ret, struct diag *diag)
{
	struct reader r = { 0 };
	int err = selection_open(opts, opts->words, opts->nr_words, &r.sel, diag);

	if (err)
		return err;
	files_raise_limit();
	if (!r.sel.nr_events)
		err = diag_set(diag, -ENOENT, "no probes are kept; 'bprobe --keep DEFINITION' keeps one");
	if (!err)
		err = use_events(&r, consume, diag);
	selection_unlock(&r.sel);
	if (!err)
		err = ksyms_load(NULL, &r.ks, diag);
	if (err) {
		reader_close(&r);
		return err;
	}
	*ret = r;
	return 0;
}

void reader_close(struct reader *r)
{
	for (unsigned i = 0; r->uses && i < r->sel.nr_events; i++)
		store_unuse(&r->uses[i]);
	if (r->ks)
		ksyms_close(r->ks);
	selection_close(&r->sel);
	*r = (struct reader){ .sel.store.fd = -1 };
}
