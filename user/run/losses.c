// SPDX-License-Identifier: GPL-2.0-only
/*
 * losses.c - which hits were lost, by the numbers of those that were recorded.
 */
#include "run/losses.h"

#include "base/macros.h"
#include "run/channel.h"

/* Numbers have 32 bits, so what is up to 2^31 numbers back was read before. losses_tell_rest() corrects wrong guesses. */
void losses_gap(struct losses *l, uint32_t seq)
{
	uint32_t gap = seq - l->last - 1;

	if ((int32_t)gap < 0)
		return;
	l->untold += gap;
	l->last = seq;
}

static uint64_t count_untold(const struct losses *l, const struct channel *c, unsigned index, unsigned cpu)
{
	struct bp_stat stat;

	channel_stat_cpu(c, index, cpu, &stat);
	return stat.lost > l->told ? stat.lost - l->told : 0;
}

uint64_t losses_tell(struct losses *l, const struct channel *c, unsigned index, unsigned cpu)
{
	uint64_t nr = l->untold;

	if (nr && c)
		nr = MIN(nr, count_untold(l, c, index, cpu));
	l->untold = 0;
	l->told += nr;
	return nr;
}

uint64_t losses_tell_rest(struct losses *l, const struct channel *c, unsigned index, unsigned cpu)
{
	uint64_t nr = count_untold(l, c, index, cpu);

	/* Those behind the newest record have the next numbers. */
	l->last += (uint32_t)(nr - MIN(nr, l->untold));
	l->untold = 0;
	l->told += nr;
	return nr;
}

uint64_t losses_forget(struct losses *l, const struct channel *c, unsigned index, unsigned cpu)
{
	struct bp_stat stat;

	channel_stat_cpu(c, index, cpu, &stat);
	*l = (struct losses){ .told = stat.lost, .last = (uint32_t)stat.hits };
	return stat.lost;
}
