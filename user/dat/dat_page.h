/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_page.h - the pages with the events of a trace.dat: those of the kernel's ring buffer.
 *
 *	0          8            16
 *	| ts (ns)  | commit     | entry | entry | ...      | lost (u64), where commit says so |
 *	             `-- bytes of entries; bit 31: events were lost before the first one;
 *	                 bit 30: their number is behind the last entry
 *
 * An entry starts with a u32: type_len (5 bits) and the time since the previous entry (27 bits, ns). See 6.12,
 * kernel/trace/ring_buffer.c, include/linux/ring_buffer.h:
 *
 *	type_len 1..28	4 * type_len bytes of a record
 *	0		a u32: the length of a longer record plus these 4 bytes; then the record
 *	29		nothing more on this page, or as many bytes as the next u32 says
 *	30		a u32: the upper bits of the time since the previous entry; no record
 *	31		the same for an absolute time
 */
#ifndef DAT_DAT_PAGE_H
#define DAT_DAT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	DAT_PAGE_HEAD = 16,
	DAT_PAGE_SPARE = DAT_PAGE_HEAD + 8 + 8,	/* part of a page that a record cannot use: head, its entry's words, lost */
	DAT_PAGE_MIN = 4096,
	DAT_PAGE_MAX = 65536,			/* a __data_loc cannot point further anyway */
};

/* A page that is being written. */
struct dat_page {
	unsigned char *bytes;		/* the caller's; their number is */
	uint32_t size;
	uint32_t len;			/* bytes in use, with the head; 0: not started */
	uint64_t ts;			/* of the last record, ns */
	uint64_t lost;			/* events lost before the first one */
	uint64_t number;		/* differs from that of the pages that were in this struct before */
};

/* The size of the smallest page that holds a record of @len bytes. 0: no page can hold it. */
uint32_t dat_page_size(uint32_t len);

/* Starts an empty page; the old content is lost. */
void dat_page_start(struct dat_page *p, uint64_t ts, uint64_t lost);

enum { DAT_SHORT_MAX = 112, DAT_DELTA_BITS = 27 };

/* dat_page_place() for a record that needs more than one word, or does not fit. */
unsigned char *dat_page_place_any(struct dat_page *p, uint64_t ts, uint32_t len);

/*
 * Makes room for a record of @len bytes, a multiple of 4. Returns where the caller has to put it. NULL: it does not fit, or its
 * time is before that of the last record, which a page cannot express. Then the page is unchanged.
 */
static inline unsigned char *dat_page_place(struct dat_page *p, uint64_t ts, uint32_t len)
{
	uint64_t delta = ts - p->ts;
	uint32_t word = len / 4 | (uint32_t)delta << 5, end = p->len + 4 + len;
	unsigned char *at = p->bytes + p->len;

	if (delta >> DAT_DELTA_BITS || len - 1 >= DAT_SHORT_MAX || end + sizeof(p->lost) > p->size)
		return dat_page_place_any(p, ts, len);
	memcpy(at, &word, sizeof(word));
	p->len = end;
	p->ts = ts;
	return at + sizeof(word);
}

/* The same for a record that is copied from @record. False: see above. */
bool dat_page_add(struct dat_page *p, uint64_t ts, const void *record, uint32_t len);

/*
 * Makes the page readable, and its rest zeroes. More records can be added afterwards; then the page must be sealed again.
 * Returns how many bytes of the page are used.
 */
uint32_t dat_page_seal(struct dat_page *p);

/* A page that is being read. */
struct dat_iter {
	const unsigned char *at, *end;
	uint64_t ts;			/* of the last record, ns */
	uint64_t lost;			/* events lost before the first one; UINT64_MAX: some */
};

/*
 * Starts to read a page of @size bytes. Only its first @have bytes may be present, if the file was cut; then the complete
 * records are found. -EBADMSG: this is not such a page.
 */
int dat_iter_start(struct dat_iter *it, const unsigned char *page, uint32_t size, uint32_t have);

/* 1: *ret of *ret_len bytes is the next record. 0: there is none. -EBADMSG: the rest of the page is damaged. */
int dat_iter_next(struct dat_iter *it, const unsigned char **ret, uint32_t *ret_len);

#endif
