/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * palette.h - the colours of lines for people.
 *
 * They are SGR sequences (ECMA-48): dim, bold, and some of the first eight colours. Every terminal with colours has these
 * eight, and its user may have chosen them. Colour never carries information of its own.
 */
#ifndef PRINT_PALETTE_H
#define PRINT_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#define PALETTE_OFF	"\033[m"
#define PALETTE_DIM	"\033[2m"
#define PALETTE_STRING	"\033[32m"	/* green */
#define PALETTE_BAD	"\033[31m"	/* red */

enum { PALETTE_EVENTS = 6 };

/* All zeroes: no colours. */
struct palette {
	bool on;
	unsigned nr_events;
	uint32_t events[PALETTE_EVENTS];	/* hashes of the first events' names */
};

/*
 * The colour of the event @name, always the same for this palette: the first events get different ones, in the order in which
 * this was called. PALETTE_OFF ends it. Without colours: "".
 */
const char *palette_event(struct palette *p, const char *name);

#endif
