// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ring_look.c - what is copied from a ring while others write and read it.
 *
 * The ring is a file with the same pages as the kernel's: consumer, producer, data, and the second image of the
 * data. Here that image is memory of its own: the end of a record that crosses the end of the first image is read
 * from there only, and no record begins there.
 */
#include "run/ring_look.c"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "tap.h"

enum { SIZE = 1 << 16, WORDS_MAX = 60, ROUNDS = 3000 };

static struct fake {
	int fd;
	unsigned char *pages;
	unsigned long *consumer, *producer;
	unsigned char *data;
	atomic_bool stop;
	uint64_t next;			/* the number of the record that is written next */
} fake;

static void fake_open(void)
{
	long page = sysconf(_SC_PAGESIZE);

	fake = (struct fake){ .fd = memfd_create("ring", MFD_CLOEXEC) };
	if (fake.fd < 0 || ftruncate(fake.fd, 2 * page + 2 * SIZE))
		abort();
	fake.pages = mmap(NULL, (size_t)(2 * page + 2 * SIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fake.fd, 0);
	if (fake.pages == MAP_FAILED)
		abort();
	fake.consumer = (unsigned long *)(void *)fake.pages;
	fake.producer = (unsigned long *)(void *)(fake.pages + page);
	fake.data = fake.pages + 2 * page;
}

static void fake_close(void)
{
	munmap(fake.pages, (size_t)(2 * sysconf(_SC_PAGESIZE) + 2 * SIZE));
	close(fake.fd);
}

static uint32_t *head_of(unsigned long at)
{
	return (uint32_t *)(void *)(fake.data + (at & (SIZE - 1)));
}

/* Reserves a record of bp_rec and @words more, as the kernel does; false: there is no room. */
static bool reserve(unsigned words, unsigned long *ret_at)
{
	uint32_t len = (uint32_t)(sizeof(struct bp_rec) + 8 * words);
	unsigned long at = *fake.producer;

	if (at + len + BPF_RINGBUF_HDR_SZ - position(fake.consumer) > SIZE - 1)
		return false;
	__atomic_store_n(head_of(at), len | BPF_RINGBUF_BUSY_BIT, __ATOMIC_RELEASE);
	__atomic_store_n(fake.producer, at + len + BPF_RINGBUF_HDR_SZ, __ATOMIC_RELEASE);
	*ret_at = at;
	return true;
}

/* Fills the record with the number, and finishes it. */
static void finish(unsigned long at, uint64_t number)
{
	uint32_t *head = head_of(at), len = *head & ~BPF_RINGBUF_BUSY_BIT;
	volatile uint64_t *to = (volatile uint64_t *)(void *)(head + 2);

	for (uint32_t i = 0; i < len / 8; i++)
		to[i] = number;
	__atomic_store_n(head, len, __ATOMIC_RELEASE);
}

/* ---- without writer and reader ---- */

struct seen_test {
	unsigned nr, torn, unordered;
	uint64_t last;
};

static bool take(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	struct seen_test *t = ctx;
	const uint64_t *words = (const uint64_t *)(const void *)rec;

	for (uint32_t i = 1; i < len / 8; i++)
		t->torn += words[i] != words[0];
	t->unordered += t->nr && words[0] <= t->last;
	t->last = words[0];
	t->nr++;
	return true;
}

static uint64_t since;

static struct seen_test look(void)
{
	struct seen_test t = { 0 };
	struct ring_src src = { .fd = fake.fd, .size = SIZE, .since = since };
	struct diag diag = { 0 };
	struct look *l;

	if (look_open(&src, 1, &l, &diag)) {
		t.torn = 1;
		return t;
	}
	look_emit(l, take, &t);
	look_close(l);
	return t;
}

static void alone(void)
{
	unsigned long at[4];
	struct seen_test t;

	fake_open();
	CHECK(look().nr == 0, "an empty ring has no records");
	for (unsigned i = 0; i < 4; i++)
		reserve(i, &at[i]);
	CHECK(look().nr == 0, "what is being written is left out");
	finish(at[1], 8);
	finish(at[3], 9);
	t = look();
	CHECK(t.nr == 2 && t.last == 9 && !t.torn, "the finished record after it is read");
	finish(at[0], 7);
	*head_of(at[0]) |= BPF_RINGBUF_DISCARD_BIT;
	CHECK(look().nr == 2, "what was given up is left out");
	*fake.consumer = at[2];
	t = look();
	CHECK(t.nr == 1 && t.last == 9, "what was read is left out");
	CHECK(!ring_clear(fake.fd, SIZE, 100) && *fake.consumer == at[2], "a record being written is not thrown away");
	finish(at[2], 5);
	CHECK(!ring_clear(fake.fd, SIZE, 5) && *fake.consumer == at[2], "nor is one of the time that is asked for");
	CHECK(!ring_clear(fake.fd, SIZE, 9) && *fake.consumer == at[3], "older ones are, up to the first that is not");
	CHECK(!ring_clear(fake.fd, SIZE, 10) && *fake.consumer == *fake.producer, "or all");
	/* An interrupt has stamped its record before the previous record was stamped. */
	reserve(0, &at[0]);
	reserve(0, &at[1]);
	reserve(0, &at[2]);
	finish(at[0], 21);
	finish(at[1], 20);
	finish(at[2], 22);
	CHECK(!ring_clear(fake.fd, SIZE, 21) && *fake.consumer == at[0], "an older record after a younger one is not cleared");
	since = 21;
	t = look();
	since = 0;
	CHECK(t.nr == 2 && t.last == 22, "... and is passed over by who looks from then on");
	fake_close();
}

/* ---- with writer and reader ---- */

/* Two records at a time, so that one is unfinished while the next one is finished. */
static void *write_records(void *ctx)
{
	unsigned long a, b;
	unsigned words = 0;

	(void)ctx;
	while (!fake.stop) {
		words = (words * 7 + 3) % WORDS_MAX;
		if (!reserve(words, &a))
			continue;
		if (reserve(WORDS_MAX - words, &b))
			finish(b, fake.next + 1);
		else
			b = a;
		finish(a, fake.next);
		fake.next += 1 + (b != a);
	}
	return NULL;
}

static void *read_records(void *ctx)
{
	(void)ctx;
	while (!fake.stop) {
		unsigned long at = *fake.consumer, to = position(fake.producer);

		while (at < to) {
			uint32_t head = head_at((unsigned char *)head_of(at));

			if (head & BPF_RINGBUF_BUSY_BIT)
				break;
			at += record_size(head);
		}
		__atomic_store_n(fake.consumer, at, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void beside(bool reads)
{
	unsigned nr = 0, torn = 0, unordered = 0;
	pthread_t writer, reader;

	fake_open();
	fake.next = 1;
	if (pthread_create(&writer, NULL, write_records, NULL) ||
	    (reads && pthread_create(&reader, NULL, read_records, NULL)))
		abort();
	/* If the reader is never interrupted there is nothing to see: go on until there was something, however long that takes. */
	for (unsigned i = 0; i < ROUNDS || !nr; i++) {
		struct seen_test t = look();

		nr += t.nr;
		torn += t.torn;
		unordered += t.unordered;
		if (!reads && i % 16 == 0)
			ring_clear(fake.fd, SIZE, UINT64_MAX);
	}
	fake.stop = true;
	pthread_join(writer, NULL);
	if (reads)
		pthread_join(reader, NULL);
	CHECK(!torn, "beside a %s: each record is whole: %u torn of %u", reads ? "reader" : "writer", torn, nr);
	CHECK(!unordered, "... each once and in order");
	fake_close();
}

int main(void)
{
	alone();
	beside(false);
	beside(true);
	return tap_done();
}
