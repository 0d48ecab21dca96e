// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_cursor.c - reads the records of all CPUs of a trace.dat, in time order.
 */
#include "dat/dat_cursor.h"

#include <errno.h>
#include <unistd.h>

#include "dat/dat_pack.h"

enum { CHUNK_MAX = 1 << 25 };		/* decompressed; trace-cmd's chunks have ten pages of at most 1 MiB, ours 256 KiB */

struct cursor {
	struct dat_stripe stripe;
	uint64_t at;			/* offset of the next page or chunk in the stripe */
	uint32_t nr_chunks;		/* compressed: remaining chunks */
	struct buf packed, bytes;	/* packed: a chunk; bytes: its pages, or the one page */
	size_t used;			/* bytes of these that are done */
	struct dat_iter page;
	uint32_t len;			/* of the page: the bytes that are present */
	bool in_page, done;
	bool is_bad;			/* the page was already counted as damaged */
	struct dat_hit hit;		/* the next record */
	uint64_t lost;			/* to be reported with it */
};

struct dat_cursors {
	uint32_t page_size;
	struct cursor *cpus;
	unsigned nr;
	struct cursor *last;		/* the CPU of the last returned record, which is in this CPU's page */
	uint64_t bad;
};

/* Counts a damaged page only once, however often it is found to be damaged. */
static void count_bad(struct dat_cursors *all, struct cursor *c)
{
	all->bad += !c->is_bad;
	c->is_bad = true;
}

/* Reads all @len bytes; otherwise false. */
static bool read_all(int fd, void *to, size_t len, uint64_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)to + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Reads the next @len bytes of the stripe into @to. */
static bool take(struct cursor *c, struct buf *to, uint64_t len)
{
	buf_reset(to);
	if (len > c->stripe.size - c->at)
		return false;
	if (!read_all(c->stripe.fd, buf_room(to, len), len, c->stripe.off + c->at))
		return false;
	to->len = len;
	c->at += len;
	return true;
}

static bool next_chunk(struct cursor *c)
{
	uint32_t sizes[2];
	size_t len;

	if (!c->nr_chunks || !take(c, &c->packed, sizeof(sizes)))
		return false;
	c->nr_chunks--;
	memcpy(sizes, c->packed.data, sizeof(sizes));
	if (sizes[1] > CHUNK_MAX || sizes[0] > c->stripe.packing->bound(sizes[1]) || !take(c, &c->packed, sizes[0]))
		return false;
	buf_reset(&c->bytes);
	len = sizes[1];
	if (!c->stripe.packing->unpack(buf_room(&c->bytes, len), &len, c->packed.data, sizes[0]))
		return false;
	c->bytes.len = len;
	return true;
}

/* Reads the next chunk, or the next page if the file is not compressed. False: there is none, or it cannot be read. */
static bool fill(struct dat_cursors *all, struct cursor *c)
{
	uint64_t left = c->stripe.size - c->at;

	buf_reset(&c->bytes);
	c->used = 0;
	if (c->stripe.packing ? !c->nr_chunks : !left)
		return false;
	if ((c->stripe.packing ? next_chunk(c) : take(c, &c->bytes, MIN(left, (uint64_t)all->page_size))) && c->bytes.len)
		return true;
	all->bad++;
	return false;
}

/* False: the stripe has ended, or the next page cannot be read. */
static bool next_page(struct dat_cursors *all, struct cursor *c)
{
	uint32_t size = all->page_size;

	c->used += c->in_page ? c->len : 0;
	c->in_page = c->is_bad = false;
	if (c->used == c->bytes.len && !fill(all, c))
		return false;
	c->in_page = true;
	c->len = (uint32_t)MIN(c->bytes.len - c->used, (size_t)size);
	if (c->len < size)		/* the file was cut, or its writer was killed; complete records are read */
		count_bad(all, c);
	if (dat_iter_start(&c->page, (unsigned char *)c->bytes.data + c->used, size, c->len)) {
		c->page = (struct dat_iter){ 0 };
		count_bad(all, c);
	}
	if (c->page.lost == UINT64_MAX || c->lost == UINT64_MAX)
		c->lost = UINT64_MAX;
	else
		c->lost += c->page.lost;
	return true;
}

static void advance(struct dat_cursors *all, struct cursor *c)
{
	while (!c->done) {
		int got = c->in_page && c->page.at ? dat_iter_next(&c->page, &c->hit.record, &c->hit.len) : 0;

		if (got > 0) {
			c->hit.ts = c->page.ts;
			c->hit.lost = c->lost;
			c->lost = 0;
			return;
		}
		if (got < 0)
			count_bad(all, c);
		c->done = !next_page(all, c);
	}
	/* Losses at the end come after everything else. */
	c->hit = (struct dat_hit){ .cpu = c->stripe.cpu, .ts = UINT64_MAX, .lost = c->lost };
	c->lost = 0;
}

struct dat_cursors *dat_cursors_open(struct arena *arena, const struct dat_stripe *stripes, unsigned nr,
				     uint32_t page_size)
{
	struct dat_cursors *all = arena_new(arena, struct dat_cursors);

	*all = (struct dat_cursors){ .page_size = page_size, .nr = nr, .cpus = arena_array(arena, struct cursor, nr) };
	for (unsigned i = 0; i < nr; i++) {
		struct cursor *c = &all->cpus[i];

		c->stripe = stripes[i];
		c->hit.cpu = stripes[i].cpu;
		if (!c->stripe.packing)
			all->bad += c->stripe.cut / page_size;
		else if (take(c, &c->packed, sizeof(c->nr_chunks)))
			memcpy(&c->nr_chunks, c->packed.data, sizeof(c->nr_chunks));
		else
			all->bad++;
	}
	for (unsigned i = 0; i < nr; i++)
		advance(all, &all->cpus[i]);
	return all;
}

void dat_cursors_close(struct dat_cursors *all)
{
	for (unsigned i = 0; all && i < all->nr; i++) {
		buf_fini(&all->cpus[i].packed);
		buf_fini(&all->cpus[i].bytes);
	}
}

int dat_cursors_next(struct dat_cursors *all, struct dat_hit *ret)
{
	struct cursor *first = NULL;

	if (all->last)
		advance(all, all->last);
	for (unsigned i = 0; i < all->nr; i++) {
		struct cursor *c = &all->cpus[i];

		if ((c->hit.record || c->hit.lost) &&
		    (!first || c->hit.ts < first->hit.ts || (c->hit.ts == first->hit.ts && c->hit.cpu < first->hit.cpu)))
			first = c;
	}
	all->last = first;
	if (first)
		*ret = first->hit;
	return first != NULL;
}

uint64_t dat_cursors_bad(const struct dat_cursors *all)
{
	return all->bad;
}
