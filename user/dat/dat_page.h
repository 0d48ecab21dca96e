/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_page.h - the pages that a trace.dat's events lie in: those of the kernel's ring buffer.
 *
 *	0          8            16
 *	| ts (ns)  | commit     | entry | entry | ...      | lost (u64), where commit says so |
 *	             `-- bytes of entries; bit 31: events were lost in front of the first one;
 *			 bit 30: and how many stands behind the last one
 *
 * An entry is a u32 of type_len (5 bits) and the time since the one before (27 bits, ns), and (6.12,
 * kernel/trace/ring_buffer.c, include/linux/ring_buffer.h):
 *
 *	type_len 1..28	4 * type_len bytes of a record
 *	0		a u32: bytes of a longer one, and these 4; the record
 *	29		nothing more on this page, or so many bytes as the u32 behind it says
 *	30		a u32: the upper bits of the time since the one before; no record
 *	31		the same of a time that is not relative
 */
#ifndef DAT_DAT_PAGE_H
#define DAT_DAT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DAT_PAGE_HEAD = 16,
	DAT_PAGE_SPARE = DAT_PAGE_HEAD + 8 + 8,	/* of a page not a record's: head, its entry's words, lost */
	DAT_PAGE_MIN = 4096,
	DAT_PAGE_MAX = 65536,			/* a __data_loc cannot point further anyway */
};

/* A page that is written. */
struct dat_page {
	unsigned char *bytes;		/* the caller's; as many as */
	uint32_t size;
	uint32_t len;			/* used, with the head; 0: not started */
	uint64_t ts;			/* of the last record, ns */
	uint64_t lost;			/* events in front of the first one */
};

/* The smallest page that holds a record of @len bytes. 0: none does. */
uint32_t dat_page_size(uint32_t len);

/* An empty page; what was in it is gone. */
void dat_page_start(struct dat_page *p, uint64_t ts, uint64_t lost);

/*
 * Adds a record of @len bytes, a multiple of 4. False: it does not fit, or its time is before that of the last one,
 * which a page cannot say; it is unchanged then.
 */
bool dat_page_add(struct dat_page *p, uint64_t ts, const void *record, uint32_t len);

/* Makes the page readable; more can be added afterwards, and it is sealed again. */
void dat_page_seal(struct dat_page *p);

/* A page that is read. */
struct dat_iter {
	const unsigned char *at, *end;
	uint64_t ts;			/* of the last record, ns */
	uint64_t lost;			/* events in front of the first one; UINT64_MAX: some */
};

/*
 * A page of @size bytes, of which only the first @have are there, as where a file was cut: the records that are whole are
 * found. -EBADMSG: this is no such page.
 */
int dat_iter_start(struct dat_iter *it, const unsigned char *page, uint32_t size, uint32_t have);

/* 1: *ret of *ret_len bytes is the next record; 0: there is none; -EBADMSG: the rest of the page makes no sense. */
int dat_iter_next(struct dat_iter *it, const unsigned char **ret, uint32_t *ret_len);

#endif
