/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_cursor.h - reads the records of all CPUs of a trace.dat, in time order.
 *
 * Only one page of each CPU is in memory; if the file is compressed, the whole chunk of this page.
 */
#ifndef DAT_DAT_CURSOR_H
#define DAT_DAT_CURSOR_H

#include "base/arena.h"
#include "dat/dat.h"
#include "dat/dat_page.h"

struct dat_cursors;

struct dat_hit {
	const unsigned char *record;	/* valid until the next call; NULL: losses that no record follows */
	uint32_t len;
	unsigned cpu;
	uint64_t ts;			/* ns */
	uint64_t lost;			/* lost events of this CPU before this record; UINT64_MAX: some */
};

/* The caller closes with dat_cursors_close(), before it frees @arena and closes the stripes' files. */
struct dat_cursors *dat_cursors_open(struct arena *arena, const struct dat_stripe *stripes, unsigned nr,
				     uint32_t page_size);
void dat_cursors_close(struct dat_cursors *all);

/*
 * 1: *ret is the next record; at equal times that of the lower CPU. 0: there are no more. Damaged pages are skipped and
 * counted.
 */
int dat_cursors_next(struct dat_cursors *all, struct dat_hit *ret);

/* The number of pages so far that were damaged or incomplete. */
uint64_t dat_cursors_bad(const struct dat_cursors *all);

#endif
