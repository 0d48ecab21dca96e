// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_counts.c - what became of the hits of a kept event.
 */
#include "keep/kept_counts.h"

#include "run/ring_look.h"
#include "run/tally.h"

/* Counts the records in the event's rings if they overwrite. @t is filled in, with memory from @arena. -errno with @diag. */
static int count_records(const struct stored *ev, const struct store_use *u, struct arena *arena, struct tally *t, struct diag *diag)
{
	const struct kept *k = &ev->kept;
	const struct ring_src src = channel_src(u->channel);
	unsigned nr = 0;
	struct look *look;
	int err;

	for (unsigned i = 0; i < k->nr_probes; i++)
		nr = MAX(nr, k->probes[i].id + 1);
	tally_init(t, arena, nr, u->channel->nr_cpus);
	if (!u->channel->overwrites)
		return 0;
	for (unsigned i = 0; i < k->nr_probes; i++)
		tally_counters(t, k->probes[i].id, u->channel, i);
	err = look_open(&src, 1, &look, diag);
	if (err)
		return err;
	look_emit(look, tally_record, t);
	look_close(look);
	return 0;
}

static struct kept_counts count_line(const struct attacher *at, const struct stored *ev, const struct store_use *u, const struct tally *t,
				unsigned line)
{
	struct kept_counts sum = { .missed_known = true };

	for (unsigned i = 0; i < ev->kept.nr_probes; i++) {
		struct bp_stat stat;
		uint64_t missed = 0;

		if (ev->kept.probes[i].line != line)
			continue;
		channel_stat(u->channel, i, &stat);
		sum.seen += stat.hits + stat.filtered + stat.limited;
		sum.stat.hits += stat.hits - u->filtered[i];
		sum.stat.filtered += stat.filtered + u->filtered[i];
		sum.rejected += u->filtered[i];
		sum.stat.limited += stat.limited;
		sum.stat.undecided += stat.undecided;
		sum.stat.lost += stat.lost;
		sum.stat.faults += stat.faults;
		sum.stat.cold += stat.cold;
		sum.overwritten += tally_overwritten(t, ev->kept.probes[i].id, u->cleared[i]);
		if (store_missed(ev, at, u, i, &missed))
			sum.missed += missed;
		else
			sum.missed_known = false;
	}
	return sum;
}

int kept_counts(struct arena *arena, const struct attacher *at, const struct stored *ev, struct kept_counts **ret, struct diag *diag)
{
	struct store_use u;
	struct tally tally;
	int err = store_use(ev, false, &u, diag);

	if (err)
		return err;
	*ret = arena_array(arena, struct kept_counts, ev->kept.nr_lines);
	err = count_records(ev, &u, arena, &tally, diag);
	for (unsigned line = 0; !err && line < ev->kept.nr_lines; line++)
		(*ret)[line] = count_line(at, ev, &u, &tally, line);
	store_unuse(&u);
	return err;
}
