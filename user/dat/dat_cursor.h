/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_cursor.h - the records of a trace.dat's CPUs, in time order.
 *
 * In memory are one page of each CPU, and of a compressed file the chunk that it is in.
 */
#ifndef DAT_DAT_CURSOR_H
#define DAT_DAT_CURSOR_H

#include "base/arena.h"
#include "dat/dat.h"
#include "dat/dat_page.h"

struct dat_cursors;

struct dat_hit {
	const unsigned char *record;	/* until the next one; NULL: losses with no record behind them */
	uint32_t len;
	unsigned cpu;
	uint64_t ts;			/* ns */
	uint64_t lost;			/* events of this CPU in front of it; UINT64_MAX: some */
};

/* The caller closes with dat_cursors_close(), before @arena and the stripes' files are. */
struct dat_cursors *dat_cursors_open(struct arena *arena, const struct dat_stripe *stripes, unsigned nr,
				     uint32_t page_size);
void dat_cursors_close(struct dat_cursors *all);

/*
 * 1: *ret is the next one; at equal times that of the lower CPU. 0: there are no more. Pages that make no sense are
 * passed over, and counted.
 */
int dat_cursors_next(struct dat_cursors *all, struct dat_hit *ret);

/* Pages that were damaged so far, or are not all there. */
uint64_t dat_cursors_bad(const struct dat_cursors *all);

#endif
