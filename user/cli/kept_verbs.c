// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_verbs.c - what can be done to kept probes but reading them.
 */
#include "cli/kept_verbs.h"

#include <errno.h>
#include <inttypes.h>

#include "cli/files.h"
#include "cli/selection.h"
#include "cli/trace.h"
#include "out/format.h"
#include "run/ring_look.h"

/* What a verb does to each of the events that were named; -errno with @diag. */
typedef int (*event_fn)(const struct options *opts, const struct stored *ev, void *ctx, struct diag *diag);

/* Every event is tried, so that trouble with one does not keep it from the others. */
static int for_each(const struct options *opts, event_fn fn, void *ctx)
{
	struct diag diag = { 0 };
	struct selection s;
	int status;

	files_raise_limit();
	if (selection_open(opts, opts->words, opts->nr_words, &s, &diag)) {
		status = trace_failed(opts, &diag, diag.err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
		diag_fini(&diag);
		return status;
	}
	status = s.nr_troubles ? EXIT_KERNEL : 0;
	for (unsigned i = 0; i < s.nr_events; i++) {
		if (fn(opts, s.events[i], ctx, &diag))
			status = trace_failed(opts, &diag, EXIT_KERNEL);
		diag_fini(&diag);
	}
	selection_close(&s);
	return status;
}

/* ---- enable, disable, clear ---- */

static int enable(const struct options *opts, const struct stored *ev, void *ctx, struct diag *diag)
{
	const struct attacher *at = ctx;

	return opts->verb == VERB_ENABLE ? store_enable(ev, at, diag) : store_disable(ev, at, diag);
}

int kept_enable(const struct options *opts)
{
	struct attacher at;

	attacher_init(&at);
	return for_each(opts, enable, &at);
}

/* What was lost so far is of the time before: neither LOST lines nor the header tell of it any more. */
static void forget_losses(const struct stored *ev, const struct store_use *u)
{
	unsigned cpus = u->channel->nr_cpus;
	struct arena arena = { 0 };
	uint64_t *lost = arena_array(&arena, uint64_t, cpus);

	*u->lost_before = 0;
	for (unsigned i = 0; i < ev->kept.nr_probes; i++) {
		channel_lost(u->channel, i, lost);
		for (unsigned cpu = 0; cpu < cpus; cpu++) {
			u->told[(size_t)i * cpus + cpu] = (uint32_t)lost[cpu];
			*u->lost_before += lost[cpu];
		}
	}
	arena_fini(&arena);
}

static int clear(const struct options *opts, const struct stored *ev, void *ctx, struct diag *diag)
{
	struct store_use u;
	int err = store_use(ev, true, &u, diag);

	(void)opts;
	(void)ctx;
	if (err)
		return err;
	for (unsigned i = 0; !err && i < u.channel->nr_rings; i++)
		err = ring_clear(u.channel->rings[i], u.channel->ring_size);
	if (err)
		diag_set(diag, err, "cannot empty the buffers of %s: %s", ev->kept.event, strerror(-err));
	forget_losses(ev, &u);
	store_unuse(&u);
	return err;
}

int kept_clear(const struct options *opts)
{
	return for_each(opts, clear, NULL);
}

/* ---- profile and format ---- */

struct profile {
	struct attacher at;
	bool all;			/* not only the kernel's columns */
};

struct counts {
	struct bp_stat stat;
	uint64_t missed;
	bool missed_known;
};

static struct counts count_line(const struct profile *p, const struct stored *ev, const struct store_use *u,
				unsigned line)
{
	struct counts sum = { .missed_known = true };

	for (unsigned i = 0; i < ev->kept.nr_probes; i++) {
		struct bp_stat stat;
		uint64_t missed = 0;

		if (ev->kept.probes[i].line != line)
			continue;
		channel_stat(u->channel, i, &stat);
		sum.stat.hits += stat.hits + stat.filtered + stat.limited;
		sum.stat.filtered += stat.filtered + u->filtered[i];
		sum.stat.limited += stat.limited;
		sum.stat.lost += stat.lost;
		sum.stat.faults += stat.faults;
		if (store_missed(ev, &p->at, u, i, &missed))
			sum.missed += missed;
		else
			sum.missed_known = false;
	}
	return sum;
}

/* As kprobe_profile has it (6.12, kernel/trace/trace_kprobe.c, probes_profile_seq_show()): misses that nobody counts are 0 there. */
static int profile(const struct options *opts, const struct stored *ev, void *ctx, struct diag *diag)
{
	const struct profile *p = ctx;
	struct store_use u;
	int err = store_use(ev, false, &u, diag);

	(void)opts;
	if (err)
		return err;
	for (unsigned line = 0; line < ev->kept.nr_lines; line++) {
		struct counts c = count_line(p, ev, &u, line);

		printf("  %-44s %15" PRIu64, ev->kept.event, (uint64_t)c.stat.hits);
		if (p->all)
			printf(" %15" PRIu64 " %15" PRIu64, (uint64_t)c.stat.filtered, (uint64_t)c.stat.limited);
		if (c.missed_known || !p->all)
			printf(" %15" PRIu64, c.missed);
		else
			printf(" %15s", "unknown");
		if (p->all)
			printf(" %15" PRIu64 " %15" PRIu64, (uint64_t)c.stat.faults, (uint64_t)c.stat.lost);
		putchar('\n');
	}
	store_unuse(&u);
	return 0;
}

int kept_profile(const struct options *opts)
{
	struct profile p = { .all = opts->verbose };

	attacher_init(&p.at);
	if (p.all)
		printf("# %-44s %15s %15s %15s %15s %15s %15s\n", "event", "hits", "filtered", "limited", "missed",
		       "faulted", "lost");
	return for_each(opts, profile, &p);
}

static int format(const struct options *opts, const struct stored *ev, void *ctx, struct diag *diag)
{
	const struct kept_probe *p = &ev->kept.probes[0];
	struct buf text = { 0 };

	(void)opts;
	(void)ctx;
	(void)diag;
	format_print(&p->plan.layout, p->id, &text);
	fputs(buf_str(&text), stdout);
	buf_fini(&text);
	return 0;
}

int kept_format(const struct options *opts)
{
	return for_each(opts, format, NULL);
}

/* ---- list and remove ---- */

int kept_list(const struct options *opts, struct buf *out, struct diag *diag)
{
	struct selection s;
	int err = selection_open(opts, NULL, 0, &s, diag);

	if (err)
		return err;
	for (unsigned i = 0; i < s.nr_events; i++) {
		const struct stored *ev = s.events[i];

		for (unsigned line = 0; line < ev->kept.nr_lines; line++) {
			buf_addf(out, "%s # %s, kept", ev->kept.lines[line], ev->enabled ? "enabled" : "disabled");
			for (unsigned o = 0; o < ev->kept.nr_options; o++)
				buf_addf(out, "%s%s", o ? " " : ", ", ev->kept.options[o]);
			buf_addc(out, '\n');
		}
	}
	err = s.nr_troubles ? diag_set(diag, -EPROTONOSUPPORT, "%u kept events could not be listed", s.nr_troubles) : 0;
	selection_close(&s);
	return err;
}

int kept_remove(const struct options *opts, const char *name, struct diag *diag)
{
	struct store store;
	struct arena arena = { 0 };
	struct stored *list;
	unsigned nr, gone = 0;
	int err = *name ? store_open(opts->store, false, &store, diag) : -ENOENT;

	if (err)
		return err == -ENOENT ? 0 : err;
	nr = store_list(&store, &arena, &list);
	for (unsigned i = 0; i < nr; i++) {
		int failed;

		if (!kept_name_matches(list[i].kept.group, list[i].kept.event, name) ||
		    (list[i].foreign && (strpbrk(name, "*?[") || name[strlen(name) - 1] == '/')))
			continue;
		failed = store_remove(&store, &list[i], diag);
		err = err ? err : failed;
		gone += failed ? 0 : MAX(list[i].kept.nr_lines, 1u);
	}
	store_close(&store);
	arena_fini(&arena);
	return err ? err : (int)gone;
}
