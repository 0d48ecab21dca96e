// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_dat_cut.c - a trace.dat that was cut, or that gives impossible places for its pages.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dat/dat.h"
#include "dat/dat_cursor.h"
#include "dat/dat_pack.h"

#include "tap.h"

enum { CPUS = 2, PAGES = 3, RECORDS = 20, PAGE = 4096 };

struct sample {
	int cpu_fd[CPUS];
	struct dat_stripe stripes[CPUS];
	struct dat_event event;
	struct dat_meta meta;
	uint32_t ends[RECORDS];		/* of each record in its page; all pages are the same */
};

static void make_sample(struct sample *s)
{
	static const uint64_t lost[CPUS];
	unsigned char bytes[PAGE], record[400] = { 0xd0, 0x07 };	/* 2000 */
	struct dat_page p = { .bytes = bytes, .size = PAGE };

	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		s->cpu_fd[cpu] = memfd_create("cpu", 0);
		for (unsigned n = 0; n < PAGES; n++) {
			dat_page_start(&p, 1000 * (n + 1), 0);
			for (unsigned i = 0; i < RECORDS; i++) {	/* of both forms */
				dat_page_add(&p, 1000 * (n + 1) + i, record, i % 2 ? 40 : 200);
				s->ends[i] = p.len;
			}
			dat_page_seal(&p);
			if (write(s->cpu_fd[cpu], bytes, PAGE) != PAGE)
				CHECK(false, "a page is written");
		}
		s->stripes[cpu] = (struct dat_stripe){ .fd = s->cpu_fd[cpu], .cpu = cpu, .size = PAGES * PAGE };
	}
	s->event = (struct dat_event){ "kprobes", "name: a\nID: 2000\nformat:\n\nprint fmt: \"\"\n" };
	s->meta = (struct dat_meta){ .page_size = PAGE, .events = &s->event, .nr_events = 1, .kallsyms = "1 T f\n",
				     .kallsyms_len = 6, .clock = "mono", .uname = "Linux", .version = "test", .lost = lost,
				     .nr_cpus = CPUS };
}

static unsigned count(const struct dat_stripe *stripes, unsigned nr, uint64_t *ret_bad)
{
	struct arena arena = { 0 };
	struct dat_cursors *cursors = dat_cursors_open(&arena, stripes, nr, PAGE);
	struct dat_hit hit;
	unsigned records = 0;

	while (dat_cursors_next(cursors, &hit))
		records += hit.record != NULL;
	*ret_bad = dat_cursors_bad(cursors);
	dat_cursors_close(cursors);
	arena_fini(&arena);
	return records;
}

/* As a recorder leaves it if it was killed while it wrote: cut at any byte of the second page. */
static void test_half_pages(const struct sample *s)
{
	unsigned wrong = 0;

	for (uint32_t have = 0; have <= PAGE; have++) {
		struct dat_stripe stripe = s->stripes[0];
		unsigned whole = 0;
		uint64_t bad;

		stripe.size = PAGE + have;
		for (unsigned i = 0; i < RECORDS; i++)
			whole += s->ends[i] <= have;
		wrong += count(&stripe, 1, &bad) != RECORDS + whole || bad != (have % PAGE != 0);
	}
	CHECK(!wrong, "a page cut at each of its bytes: records that are whole, and a word of the rest: %u wrong", wrong);
}

static int make_6(const struct sample *s)
{
	int fd = memfd_create("v6", 0);
	struct buf head = { 0 };

	dat_head(&s->meta, &head);
	CHECK(write(fd, head.data, head.len) == (ssize_t)head.len && !dat_join(fd, &s->meta, head.len, s->stripes, CPUS, NULL),
	      "joined");
	buf_fini(&head);
	return fd;
}

/* The result of dat_open() for @fd; the records and damaged pages that are found. */
static int look(int fd, unsigned *ret_records, uint64_t *ret_bad)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct dat_file f = { 0 };
	int err = dat_open(&arena, fd, &f, &diag);

	if (!err && f.complete)
		*ret_records = count(f.stripes, f.nr_stripes, ret_bad);
	diag_fini(&diag);
	arena_fini(&arena);
	return err;
}

static void put_u64(int fd, off_t at, uint64_t n)
{
	if (pwrite(fd, &n, sizeof(n), at) != (ssize_t)sizeof(n))
		CHECK(false, "eight bytes are written");
}

/* The 16 bytes with each CPU's place and size come after this word of version 6. */
static off_t find(int fd, const void *word, size_t len)
{
	unsigned char bytes[4 * PAGE];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);

	for (ssize_t at = 0; at + (ssize_t)len <= n; at++) {
		if (!memcmp(bytes + at, word, len))
			return at + (off_t)len;
	}
	CHECK(false, "the place to be changed is there");
	return 0;
}

static void test_places(const struct sample *s)
{
	int fd = make_6(s);
	off_t places = find(fd, "flyrecord", DAT_WORD_LEN), end = lseek(fd, 0, SEEK_END);
	uint64_t place[4], bad = 0;
	unsigned records = 0;

	if (pread(fd, place, sizeof(place), places) != (ssize_t)sizeof(place))
		CHECK(false, "the places are read");
	CHECK(!look(fd, &records, &bad) && records == CPUS * PAGES * RECORDS && !bad, "all are read");

	put_u64(fd, places + 24, UINT32_MAX * (uint64_t)PAGE);
	CHECK(!look(fd, &records, &bad) && records == CPUS * PAGES * RECORDS && bad == UINT32_MAX - PAGES,
	      "a size beyond the file: what is there is read, the rest is told of");
	put_u64(fd, places + 24, UINT64_MAX);
	CHECK(look(fd, &records, &bad) == -EBADMSG, "a size that no file has");
	put_u64(fd, places + 24, place[3]);

	put_u64(fd, places + 16, UINT64_MAX - 100);
	CHECK(look(fd, &records, &bad) == -EBADMSG, "a place that no file has");
	put_u64(fd, places + 16, place[0]);
	CHECK(look(fd, &records, &bad) == -EBADMSG, "two CPUs at one place");
	put_u64(fd, places + 16, place[2] - 1);
	CHECK(look(fd, &records, &bad) == -EBADMSG, "... or in part");
	put_u64(fd, places + 16, place[2]);

	CHECK(!ftruncate(fd, end - PAGES * PAGE) && !look(fd, &records, &bad) && records == PAGES * RECORDS && bad == PAGES,
	      "a file cut before a CPU's pages: the other CPU is read, %u pages are reported", PAGES);
	close(fd);
}

static void test_sections(const struct sample *s, const char *name)
{
	const struct dat_packing *packing = dat_packing_find(name);
	const uint16_t printk[] = { DAT_SECTION_PRINTK, 8, 0 }, kallsyms = DAT_SECTION_KALLSYMS;
	const uint32_t one = 1, zero = 0;
	uint64_t bad = 0, size = 0;
	unsigned records = 0;
	off_t at, place;
	int fd;

	if (!packing) {
		TAP_SKIP("built without zstd");
		return;
	}
	fd = memfd_create("v7", 0);
	CHECK(!dat_join_compressed(fd, &s->meta, packing, s->stripes, CPUS, NULL) && !look(fd, &records, &bad) &&
	      records == CPUS * PAGES * RECORDS && !bad, "%s: all are read", name);

	at = find(fd, printk, sizeof(printk)) - (off_t)sizeof(printk);
	CHECK(pwrite(fd, &kallsyms, 2, at) == 2 && look(fd, &records, &bad) == -EBADMSG, "%s: a section twice", name);
	CHECK(pwrite(fd, printk, 2, at) == 2 && !look(fd, &records, &bad), "%s: ... which it was not before", name);

	/* After the clock come page size and number of CPUs, then a number, a place and a size for each CPU. */
	place = find(fd, "mono", 5) + 8;
	CHECK(pwrite(fd, &zero, 4, place + 20) == 4 && look(fd, &records, &bad) == -EBADMSG, "%s: a CPU twice", name);
	CHECK(pwrite(fd, &one, 4, place + 20) == 4 && !look(fd, &records, &bad), "%s: ... which it was not before", name);

	if (pread(fd, &at, sizeof(at), place + 24) != 8 || pread(fd, &size, sizeof(size), place + 32) != 8)
		CHECK(false, "the place is read");
	put_u64(fd, place + 32, size - 10);
	CHECK(!look(fd, &records, &bad) && records == PAGES * RECORDS && bad == 1, "%s: a chunk cut", name);
	put_u64(fd, place + 32, size);
	CHECK(pwrite(fd, &(uint32_t){ UINT32_MAX }, 4, at + 4) == 4 && !look(fd, &records, &bad) && records == PAGES * RECORDS &&
	      bad == 1, "%s: a chunk longer than any", name);
	close(fd);
}

int main(void)
{
	struct sample s = { 0 };

	make_sample(&s);
	test_half_pages(&s);
	test_places(&s);
	test_sections(&s, "zlib");
	test_sections(&s, "zstd");
	for (unsigned i = 0; i < CPUS; i++)
		close(s.cpu_fd[i]);
	return tap_done();
}
