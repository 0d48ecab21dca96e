/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * losses.h - which hits were lost, by the numbers of those that were recorded.
 *
 * A CPU numbers the hits of a definition (bp_rec.seq), and hits of one definition do not nest on a CPU. So a number that is
 * missing between two records is a lost hit, and the two records show when it was lost.
 */
#ifndef RUN_LOSSES_H
#define RUN_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

struct channel;

/* For one definition on one CPU. Of kept events this is in the store, so its layout belongs to KEPT_VERSION. All zeroes: none. */
struct losses {
	uint64_t told;			/* lost hits that were reported, as far as bp_stat.lost counts */
	uint32_t last;			/* number of the newest hit that was recorded and read, or reported as lost */
	uint32_t untold;		/* lost before that one, but not reported */
};
_Static_assert(sizeof(struct losses) == 16, "struct losses is in the store");

void losses_gap(struct losses *l, uint32_t seq);

/* Takes note of a record. A record that was read before changes nothing: its reader was killed before it had given it back. */
static inline void losses_note(struct losses *l, uint32_t seq)
{
	if (seq == l->last + 1)
		l->last = seq;
	else
		losses_gap(l, seq);
}

/*
 * The number of lost hits to report before the next record; from then on they count as reported. @c counts definition @index; NULL: there
 * are no counters. The number is never larger than what @c has counted as lost, because hits that another reader has taken were not lost.
 */
uint64_t losses_tell(struct losses *l, const struct channel *c, unsigned index, unsigned cpu);

/* The same for the end, when everything was read: all lost hits that were not reported. */
uint64_t losses_tell_rest(struct losses *l, const struct channel *c, unsigned index, unsigned cpu);

/* What was lost until now need not be reported. Records of earlier hits may still be read. Returns bp_stat.lost. */
uint64_t losses_forget(struct losses *l, const struct channel *c, unsigned index, unsigned cpu);

#endif
