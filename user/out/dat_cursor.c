// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_cursor.c - the records of a trace.dat's CPUs, in time order.
 */
#include "out/dat_cursor.h"

#include <errno.h>
#include <unistd.h>

#include "out/dat_pack.h"

enum { CHUNK_MAX = 1 << 28 };		/* decompressed; trace-cmd makes them of ten pages, we of 256 KiB */

struct cursor {
	struct dat_stripe stripe;
	uint64_t at;			/* of the next page or chunk in the stripe */
	uint32_t nr_chunks;		/* compressed: that are left */
	struct buf packed, bytes;	/* a chunk; its pages, or the one */
	size_t used;			/* bytes of those that were gone through */
	struct dat_iter page;
	bool in_page, done;
	struct dat_hit hit;		/* the next one */
	uint64_t lost;			/* to be told of with it */
};

struct dat_cursors {
	uint32_t page_size;
	struct cursor *cpus;
	unsigned nr;
	struct cursor *last;		/* whose record was handed out; it lies in its page */
	uint64_t bad;
};

/* All @len bytes, or false. */
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

/* The next of the stripe's bytes into @to. */
static bool take(struct cursor *c, struct buf *to, uint64_t len)
{
	buf_reset(to);
	if (c->at + len > c->stripe.size)
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
	if (sizes[1] > CHUNK_MAX || !take(c, &c->packed, sizes[0]))
		return false;
	buf_reset(&c->bytes);
	len = sizes[1];
	if (!c->stripe.packing->unpack(buf_room(&c->bytes, len), &len, c->packed.data, sizes[0]))
		return false;
	c->bytes.len = len;
	return true;
}

/* False: the stripe is over, or what follows cannot be read. */
static bool next_page(struct dat_cursors *all, struct cursor *c)
{
	uint32_t size = all->page_size;
	bool more;

	c->used += c->in_page ? size : 0;
	c->in_page = false;
	if (c->used + size > c->bytes.len) {
		c->used = 0;
		more = c->stripe.packing ? c->nr_chunks : c->at + size <= c->stripe.size;
		if (!more)
			return false;
		if (!(c->stripe.packing ? next_chunk(c) : take(c, &c->bytes, size)) || c->bytes.len < size) {
			all->bad++;
			return false;
		}
	}
	c->in_page = true;
	if (dat_iter_start(&c->page, (unsigned char *)c->bytes.data + c->used, size)) {
		c->page = (struct dat_iter){ 0 };
		all->bad++;
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
		all->bad += got < 0;
		c->done = !next_page(all, c);
	}
	/* Losses at the end come behind everything else. */
	c->hit = (struct dat_hit){ .cpu = c->stripe.cpu, .ts = UINT64_MAX, .lost = c->lost };
	c->lost = 0;
}

int dat_cursors_open(struct arena *arena, const struct dat_stripe *stripes, unsigned nr, uint32_t page_size,
		     struct dat_cursors **ret, struct diag *diag)
{
	struct dat_cursors *all = arena_new(arena, struct dat_cursors);

	*all = (struct dat_cursors){ .page_size = page_size, .nr = nr, .cpus = arena_array(arena, struct cursor, nr) };
	for (unsigned i = 0; i < nr; i++) {
		struct cursor *c = &all->cpus[i];

		c->stripe = stripes[i];
		c->hit.cpu = stripes[i].cpu;
		if (!c->stripe.packing)
			continue;
		c->stripe.size += sizeof(c->nr_chunks);	/* which is not in the size */
		if (!take(c, &c->packed, sizeof(c->nr_chunks))) {
			dat_cursors_close(all);
			return diag_set(diag, -EBADMSG, "the pages of CPU %u are not in the file", stripes[i].cpu);
		}
		memcpy(&c->nr_chunks, c->packed.data, sizeof(c->nr_chunks));
	}
	for (unsigned i = 0; i < nr; i++)
		advance(all, &all->cpus[i]);
	*ret = all;
	return 0;
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
