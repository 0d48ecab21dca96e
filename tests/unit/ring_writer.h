/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring_writer.h - programs' side of the rings (bpf/ring.bpf.h) in C, on rings in a file.
 *
 * Each step of a program is a function of its own, so a test can put others between them.
 */
#ifndef RING_WRITER_H
#define RING_WRITER_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bprobe_abi.h"
#include "base/macros.h"

enum { ROOM = 8192 };			/* behind the data: the longest record */

#define FULL	UINT64_MAX

struct bells {				/* as the kernel's: how far it was rung, and how far it was heard */
	unsigned long rung, heard;
	uint32_t heads[4096 / 4];	/* 16 bytes each time: its head says 8 bytes of data, and whether it is finished */
};

static void bells_init(struct bells *b)
{
	b->rung = b->heard = 0;
	for (unsigned i = 0; i < sizeof(b->heads) / sizeof(*b->heads); i += 4)
		b->heads[i] = 8;
}

struct map {
	int fd;
	unsigned nr;
	uint64_t bytes, stride, secret;
	unsigned char *memory;
};

static void map_open(struct map *m, unsigned nr, uint64_t bytes, uint64_t flags)
{
	*m = (struct map){ .fd = memfd_create("rings", MFD_CLOEXEC), .nr = nr, .bytes = bytes,
			   .stride = BP_RING_DATA + bytes + ROOM, .secret = 0x9e3779b97f4a7c15 };
	if (m->fd < 0 || ftruncate(m->fd, (off_t)(nr * m->stride)))
		abort();
	m->memory = mmap(NULL, nr * m->stride, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (m->memory == MAP_FAILED)
		abort();
	for (unsigned i = 0; i < nr; i++) {
		struct bp_ring *ring = (void *)(m->memory + i * m->stride);

		ring->secret = m->secret;
		ring->bytes = bytes;
		ring->flags = flags;
	}
}

static void map_close(struct map *m)
{
	munmap(m->memory, m->nr * m->stride);
	close(m->fd);
}

static struct bp_ring *map_ring(const struct map *m, unsigned i)
{
	return (void *)(m->memory + i * m->stride);
}

static struct bp_rec *map_record(struct bp_ring *ring, uint64_t at)
{
	return (void *)((unsigned char *)ring + BP_RING_DATA + (at & (ring->bytes - 1)));
}

static uint64_t shared_read(const __u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

/* Returns what was there, as BPF's exchange. */
static uint64_t reserved_exchange(struct bp_ring *ring, uint64_t from, uint64_t to)
{
	__u64 was = from;

	__atomic_compare_exchange_n(&ring->reserved, &was, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return was;
}

static void seal(struct bp_ring *ring, uint64_t at, uint64_t size, uint64_t flags)
{
	__atomic_exchange_n(&map_record(ring, at)->seal, at ^ ring->secret ^ (size | flags) << BP_SEAL_SHIFT, __ATOMIC_SEQ_CST);
}

static uint64_t ring_reserve(struct bp_ring *ring, uint64_t size)
{
	for (uint64_t at = shared_read(&ring->reserved), was;; at = was) {
		if ((int64_t)(at + size - shared_read(&ring->free)) > (int64_t)ring->bytes)
			return FULL;
		was = reserved_exchange(ring, at, at + size);
		if (was == at)
			return at;
	}
}

static uint64_t ring_shrink(struct bp_ring *ring, uint64_t at, uint64_t size, uint64_t needed)
{
	return reserved_exchange(ring, at + size, at + needed) == at + size ? needed : size;
}

/* The three steps of waking, after the seal. */
static bool is_waited(const struct bp_ring *ring)
{
	return __atomic_load_n(&ring->waiting, __ATOMIC_ACQUIRE);
}

static void clear_waiting(struct bp_ring *ring)
{
	__atomic_store_n(&ring->waiting, 0, __ATOMIC_RELEASE);
}

static void bell_ring(struct bells *b)
{
	__atomic_fetch_add(&b->rung, 16, __ATOMIC_SEQ_CST);
}

/* ---- rings that overwrite ---- */

static void part_commit(struct bp_ring *ring, uint64_t at, uint64_t bytes)
{
	__atomic_fetch_add(&ring->committed[at / (ring->bytes / BP_RING_PARTS) % BP_RING_PARTS], bytes, __ATOMIC_SEQ_CST);
}

static uint64_t ring_reserve_over(struct bp_ring *ring, uint64_t size)
{
	uint64_t part = ring->bytes / BP_RING_PARTS;

	for (uint64_t at = shared_read(&ring->reserved), was;; at = was) {
		uint64_t start = (at & (part - 1)) + size > part ? (at | (part - 1)) + 1 : at;

		if (!(start & (part - 1)) && shared_read(&ring->committed[start / part % BP_RING_PARTS]) != start / ring->bytes * part)
			return FULL;
		was = reserved_exchange(ring, at, start + size);
		if (was != at)
			continue;
		if (start != at) {
			seal(ring, at, start - at, BP_SEAL_PAD);
			part_commit(ring, at, start - at);
		}
		return start;
	}
}

/* ---- records with a number in each word ---- */

static void fill(struct bp_rec *rec, uint64_t number, uint64_t size)
{
	volatile uint64_t *words = (volatile uint64_t *)(void *)(rec + 1);

	rec->tgid = (uint32_t)number;
	for (uint64_t i = 0; i < (size - sizeof(*rec)) / 8; i++)
		words[i] = number;
}

static bool is_torn(const struct bp_rec *rec, uint64_t size)
{
	const uint64_t *words = (const uint64_t *)(const void *)(rec + 1);
	bool torn = false;

	for (uint64_t i = 0; i < (size - sizeof(*rec)) / 8; i++)
		torn |= words[i] != rec->tgid;
	return torn;
}

#endif
