// SPDX-License-Identifier: GPL-2.0-only
/*
 * bundle.c - the link of a set that many definitions share.
 */
#include "set/bundle.h"

#include <errno.h>
#include <unistd.h>

#include "plan/bundle.h"

static int by_func(const void *a, const void *b)
{
	uint64_t x = (*(struct probe *const *)a)->plan->target.func, y = (*(struct probe *const *)b)->plan->target.func;

	return x < y ? -1 : x > y;
}

/* Sorted by the functions' addresses. */
static unsigned collect(struct set *s, struct probe ***ret)
{
	struct probe **list = arena_array(&s->arena, struct probe *, s->nr_probes);
	unsigned nr = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (s->probes[i].plan && s->probes[i].plan->bundled)
			list[nr++] = &s->probes[i];
	}
	if (nr)
		qsort(list, nr, sizeof(*list), by_func);
	*ret = list;
	return nr;
}

/* The kernel accepts all functions of a link or none. */
static int load_each(struct set *s, struct probe **probes, unsigned nr, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < nr; i++) {
		attached_close(&probes[i]->attached);
		plan_unbundle(probes[i]->plan);
		err = set_load_probe(s, probes[i], diag);
	}
	return err;
}

/* For messages: the first one as the user wrote them. */
static const struct probe *first_of(struct probe *const *probes, unsigned nr)
{
	const struct probe *first = probes[0];

	for (unsigned i = 1; i < nr; i++)
		first = probes[i] < first ? probes[i] : first;
	return first;
}

static int attach_link(struct set *s, struct probe **probes, unsigned nr, struct diag *diag)
{
	struct bundle *b = &s->bundle;
	struct plan plan = *first_of(probes, nr)->plan;
	uint64_t *addrs = arena_array(&s->arena, uint64_t, nr);
	int *fds = arena_array(&s->arena, int, nr), prog_fd, err;

	for (unsigned i = 0; i < nr; i++) {
		addrs[i] = probes[i]->plan->target.func;
		fds[i] = probes[i]->attached.prog_fd;
	}
	plan.target.addrs = addrs;
	plan.target.nr_addrs = nr;
	err = engine_load_dispatcher(s->engine, &plan, fds, &prog_fd, &b->map_fd, diag);
	if (err)
		return err;
	err = attach(&s->attacher, &plan, ATTACH_PROBE, prog_fd, &b->attached, diag);
	if (err) {
		close(prog_fd);
		close(b->map_fd);
		return err;
	}
	b->is_open = true;
	b->nr_active = nr;
	s->nr_active += nr;
	for (unsigned i = 0; i < nr; i++)
		probes[i]->state = PROBE_ACTIVE;
	return 0;
}

int bundle_attach(struct set *s, struct diag *diag)
{
	struct probe **probes;
	unsigned nr = collect(s, &probes);
	int err = nr ? attach_link(s, probes, nr, diag) : 0;

	if (!err || s->attacher.ftrace_off)
		return err;
	fprintf(stderr, "bprobe: %s; each definition gets a link of its own\n", buf_str(&diag->msg));
	diag_fini(diag);
	return load_each(s, probes, nr, diag);
}

void bundle_close(struct set *s)
{
	if (!s->bundle.is_open)
		return;
	attached_close(&s->bundle.attached);
	close(s->bundle.map_fd);
	s->bundle.is_open = false;
}

void bundle_leave(struct set *s, struct probe *p)
{
	channel_stop_one(s->channel, p->slot.index);
	if (!--s->bundle.nr_active)
		bundle_close(s);
}

bool bundle_missed(const struct set *s, const struct probe *p, uint64_t *ret)
{
	return attached_missed(&s->attacher, p->plan->layout.backend, &s->bundle.attached, ret);
}
