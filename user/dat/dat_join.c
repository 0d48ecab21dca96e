// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_join.c - joins the pages of all CPUs into one file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dat/dat.h"
#include "dat/dat_pack.h"

enum { COPY_SIZE = 1 << 20, CHUNK_SIZE = 1 << 18 };

static int write_at(int fd, const void *data, size_t len, uint64_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data = (const char *)data + n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

/* Reads @len bytes; fewer only at the end of the file. */
static ssize_t read_at(int fd, void *data, size_t len, uint64_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)data + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static bool goes_on(const struct dat_progress *p, uint64_t done)
{
	return !p || p->step(p->ctx, done);
}

/* ---- version 6 ---- */

/* Copies by reading and writing. */
static int copy_plain(int fd, uint64_t to, const struct dat_stripe *s, uint64_t at, char *bytes, size_t len)
{
	ssize_t got = read_at(s->fd, bytes, len, s->off + at);

	if (got != (ssize_t)len)
		return got < 0 ? (int)got : -EIO;
	return write_at(fd, bytes, len, to + at);
}

/*
 * The kernel copies without us, and on some file systems (Btrfs, XFS) it lets both files share the blocks. Some refuse; then the
 * bytes are read and written.
 */
static int copy_stripe(int fd, uint64_t to, const struct dat_stripe *s, const struct dat_progress *p, uint64_t *done)
{
	auto_free char *bytes = malloc(COPY_SIZE);
	bool plain = false;

	if (!bytes)
		return -ENOMEM;
	for (uint64_t at = 0; at < s->size;) {
		size_t len = (size_t)MIN(s->size - at, (uint64_t)COPY_SIZE);
		off_t from = (off_t)(s->off + at), dest = (off_t)(to + at);
		ssize_t n = plain ? -1 : copy_file_range(s->fd, &from, fd, &dest, len, 0);

		if (n <= 0) {
			int err = copy_plain(fd, to, s, at, bytes, len);

			if (err)
				return err;
			plain = true;
			n = (ssize_t)len;
		}
		at += (uint64_t)n;
		*done += (uint64_t)n;
		if (!goes_on(p, *done))
			return -EINTR;
	}
	return 0;
}

/* The stripe of one CPU; NULL: it has none. */
static const struct dat_stripe *stripe_of(const struct dat_stripe *stripes, unsigned nr, unsigned cpu)
{
	for (unsigned i = 0; i < nr; i++) {
		if (stripes[i].cpu == cpu)
			return &stripes[i];
	}
	return NULL;
}

/* Where the pages of each CPU go. Returns where the first ones begin, and their end as *ret_end. */
static uint64_t find_places(const struct dat_meta *m, uint64_t data, int fd, const struct dat_stripe *stripes, unsigned nr,
			    uint64_t (*places)[2], uint64_t *ret_end)
{
	const struct dat_stripe *there = NULL;
	uint64_t at;

	for (unsigned i = 0; i < nr; i++)
		there = stripes[i].fd == fd ? &stripes[i] : there;
	at = there ? there->off + there->size : data;
	for (unsigned i = 0; i < m->nr_cpus; i++) {
		const struct dat_stripe *s = stripe_of(stripes, nr, i);

		places[i][0] = s && s == there ? s->off : at;
		places[i][1] = s ? s->size : 0;
		at += s == there ? 0 : places[i][1];
	}
	*ret_end = at;
	return there ? there->off : data;
}

/* Appends everything between the comms and the list of places. */
static void add_tail(const struct dat_meta *m, struct buf *out)
{
	const uint16_t none = DAT_OPTION_DONE;
	uint32_t cpus = m->nr_cpus;

	dat_section_text(m, DAT_SECTION_CMDLINES, out);
	buf_add(out, &cpus, sizeof(cpus));
	buf_add(out, "options  ", DAT_WORD_LEN);
	dat_options(m, out);
	buf_add(out, &none, sizeof(none));
	buf_add(out, "flyrecord", DAT_WORD_LEN);
}

int dat_join(int fd, const struct dat_meta *m, uint64_t head_len, const struct dat_stripe *stripes, unsigned nr,
	     const struct dat_progress *progress)
{
	uint64_t (*places)[2] = calloc(m->nr_cpus, sizeof(*places)), tail_end, end, done = 0;
	struct buf tail = { 0 };
	int err = 0;

	if (!places)
		return -ENOMEM;
	add_tail(m, &tail);
	tail_end = head_len + tail.len + sizeof(*places) * m->nr_cpus;
	if (find_places(m, ROUND_UP(tail_end, (uint64_t)m->page_size), fd, stripes, nr, places, &end) < tail_end)
		err = -EFBIG;
	for (unsigned i = 0; !err && i < m->nr_cpus; i++) {
		const struct dat_stripe *s = stripe_of(stripes, nr, i);

		if (s && s->fd != fd)
			err = copy_stripe(fd, places[i][0], s, progress, &done);
	}
	if (!err && ftruncate(fd, (off_t)end))
		err = -errno;
	buf_add(&tail, places, sizeof(*places) * m->nr_cpus);
	if (!err)
		err = write_at(fd, tail.data, tail.len, head_len);
	buf_fini(&tail);
	free(places);
	return err;
}

/* ---- version 7 ---- */

struct writer {
	int fd;
	const struct dat_packing *packing;
	uint64_t at;
	int err;			/* the first error; after it nothing is written */
};

static void put(struct writer *w, const void *data, size_t len)
{
	if (!w->err)
		w->err = write_at(w->fd, data, len, w->at);
	w->at += len;
}

static void put_section(struct writer *w, unsigned id, bool compressed, uint64_t size)
{
	uint16_t head[2] = { (uint16_t)id, compressed };
	uint32_t description = 0;

	put(w, head, sizeof(head));
	put(w, &description, sizeof(description));
	put(w, &size, sizeof(size));
}

/* Sizes and compressed bytes, in the form of sections and chunks. */
static int compress_into(const struct writer *w, struct buf *out, const void *data, uint32_t len)
{
	size_t room = w->packing->bound(len);
	uint32_t sizes[2] = { 0, len };
	char *at;

	buf_reset(out);
	at = buf_room(out, sizeof(sizes) + room);
	if (!w->packing->pack(at + sizeof(sizes), &room, data, len))
		return -ENOMEM;
	sizes[0] = (uint32_t)room;
	memcpy(at, sizes, sizeof(sizes));
	out->len += sizeof(sizes) + room;
	return 0;
}

/* Writes the section, and adds the option that tells its place. */
static void put_compressed(struct writer *w, enum dat_section id, const struct dat_meta *m, struct buf *options)
{
	struct buf text = { 0 }, packed = { 0 };
	uint64_t at = w->at;
	int err;

	dat_section_text(m, id, &text);
	err = compress_into(w, &packed, text.data, (uint32_t)text.len);
	if (!w->err)
		w->err = err;
	put_section(w, id, true, packed.len);
	put(w, packed.data, packed.len);
	dat_option_add(options, (enum dat_option)id, &at, sizeof(at));
	buf_fini(&text);
	buf_fini(&packed);
}

static void put_chunks(struct writer *w, const struct dat_stripe *s, uint32_t chunk, const struct dat_progress *p,
		       uint64_t *done)
{
	auto_free char *bytes = malloc(chunk);
	uint32_t nr = (uint32_t)((s->size + chunk - 1) / chunk);
	struct buf packed = { 0 };

	put(w, &nr, sizeof(nr));
	for (uint64_t at = 0; !w->err && at < s->size; at += chunk) {
		uint32_t len = (uint32_t)MIN(s->size - at, (uint64_t)chunk);
		ssize_t got = bytes ? read_at(s->fd, bytes, len, s->off + at) : -ENOMEM;

		w->err = got == (ssize_t)len ? compress_into(w, &packed, bytes, len) : got < 0 ? (int)got : -EIO;
		put(w, packed.data, packed.len);
		*done += len;
		if (!w->err && !goes_on(p, *done))
			w->err = -EINTR;
	}
	buf_fini(&packed);
}

/* Writes all pages, and adds the option that tells the place of each CPU's pages. */
static void put_buffer(struct writer *w, const struct dat_meta *m, const struct dat_stripe *stripes, unsigned nr,
		       const struct dat_progress *p, struct buf *options)
{
	static const char zeroes[65536];
	uint32_t chunk = MAX((uint32_t)CHUNK_SIZE, m->page_size), cpus = nr;
	uint64_t head = w->at, done = 0, end;
	struct buf data = { 0 };

	put_section(w, DAT_SECTION_BUFFER, true, 0);
	put(w, zeroes, (size_t)(ROUND_UP(w->at, (uint64_t)m->page_size) - w->at));
	buf_add(&data, &head, sizeof(head));
	buf_add(&data, "", 1);		/* for the trace without a name */
	buf_add(&data, m->clock, strlen(m->clock) + 1);
	buf_add(&data, &m->page_size, sizeof(m->page_size));
	buf_add(&data, &cpus, sizeof(cpus));
	for (unsigned i = 0; i < nr; i++) {
		uint32_t cpu = stripes[i].cpu;
		uint64_t place[2] = { w->at };

		put_chunks(w, &stripes[i], chunk, p, &done);
		place[1] = w->at - place[0] - 4;	/* without the count, as trace-cmd writes it */
		buf_add(&data, &cpu, sizeof(cpu));
		buf_add(&data, place, sizeof(place));
	}
	end = w->at;
	w->at = head;
	put_section(w, DAT_SECTION_BUFFER, true, end - head - 16);
	w->at = end;
	dat_option_add(options, DAT_OPTION_BUFFER, data.data, data.len);
	buf_fini(&data);
}

int dat_join_compressed(int fd, const struct dat_meta *m, const struct dat_packing *packing, const struct dat_stripe *stripes,
			unsigned nr, const struct dat_progress *progress)
{
	struct writer w = { .fd = fd, .packing = packing };
	struct buf options = { 0 };
	uint64_t place, offset = 0;

	put(&w, DAT_MAGIC "7\0\0\10", DAT_MAGIC_LEN + 4);
	put(&w, &m->page_size, sizeof(m->page_size));
	put(&w, packing->name, strlen(packing->name) + 1);
	put(&w, packing->version(), strlen(packing->version()) + 1);
	place = w.at;
	put(&w, &offset, sizeof(offset));
	for (enum dat_section s = DAT_SECTION_HEADER; s < DAT_SECTION_END; s++)
		put_compressed(&w, s, m, &options);
	put_buffer(&w, m, stripes, nr, progress, &options);
	dat_options(m, &options);
	dat_option_add(&options, DAT_OPTION_DONE, &offset, sizeof(offset));
	offset = w.at;
	put_section(&w, DAT_SECTION_OPTIONS, false, options.len);
	put(&w, options.data, options.len);
	w.at = place;
	put(&w, &offset, sizeof(offset));
	buf_fini(&options);
	return w.err;
}
