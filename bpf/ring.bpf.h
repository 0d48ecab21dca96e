/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.bpf.h - a program's side of the rings: reserve, commit, wake. include/bprobe_abi.h has the protocol.
 */
#ifndef RING_BPF_H
#define RING_BPF_H

#define RING_FULL (~0ull)

/* How often a program tries to get a place for its record, while others take that place. */
enum { RESERVE_TRIES = 4 };

enum { RB_FORCE_WAKEUP = 2 };		/* BPF_RB_FORCE_WAKEUP of the kernel's ABI (include/uapi/linux/bpf.h, 5.8) */

/* Reads and writes what other programs and the reader change. */
#define READ_SHARED(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_SHARED(x, value) (*(volatile typeof(x) *)&(x) = (value))

/*
 * The next two functions have two instructions each that are never executed: they show user/gen/patch.c which registers the compiler has
 * chosen. The instructions that replace them change only `was`, and the seal, which nobody needs any more.
 */

/*
 * Sets ring->reserved to @to if it is @from. Returns what it was. It is a full barrier, so a reader that reads the clock later sees the
 * reservation.
 *
 * Before 5.12 there is no exchange, and user/gen/patch.c makes it a plain store. There a program is not preempted. But an interrupt may hit
 * a tracepoint in it, whose program runs to its end meanwhile. So ring->busy is set during the test and the store. A program that finds it
 * set gives up: any other value than @from says that others were faster.
 */
static __always_inline __u64 reserved_exchange(struct bp_ring *ring, __u64 from, __u64 to)
{
	register __u64 was asm("r0") = from;

	if (!PATCH(BP_PATCH_ATOMICS)) {
		__u64 now;

		if (READ_SHARED(ring->busy))
			return ~from;
		WRITE_SHARED(ring->busy, 1);
		now = READ_SHARED(ring->reserved);
		if (now != from) {
			WRITE_SHARED(ring->busy, 0);
			return now;
		}
	}
	asm volatile("%0 = %3\n"
		     "%1 = %2\n"
		     : "+r"(was) : "r"(ring), "r"(to), "i"(BP_PATCH_RESERVE_CODE) : "memory");
	if (!PATCH(BP_PATCH_ATOMICS))
		WRITE_SHARED(ring->busy, 0);
	return was;
}

/*
 * Stores the seal as the last store of the record, and as a full barrier: after it the program sees what the reader wrote before its sleep.
 * user/gen/patch.c writes these instructions.
 */
static __always_inline void seal_store(struct bp_ring *ring, struct bp_rec *rec, __u64 seal)
{
	asm volatile("%0 = %3\n"
		     "%1 = %2\n"
		     : "+r"(seal) : "r"(ring), "r"(rec), "i"(BP_PATCH_COMMIT_CODE) : "memory");
}

static __always_inline struct bp_rec *record_at(struct bp_ring *ring, __u64 at)
{
	return (void *)ring + PATCH_OP(at, "&", BP_PATCH_RING_MASK) + BP_RING_DATA;
}

/* ---- rings that overwrite ---- */

/* @bytes from position @at on are finished. */
static __always_inline void part_commit(struct bp_ring *ring, __u64 at, __u64 bytes)
{
	__u64 part = PATCH_OP(at, ">>", BP_PATCH_PART_SHIFT) & (BP_RING_PARTS - 1);

	__sync_fetch_and_add(&ring->committed[part], bytes);
}

/* Are all earlier laps of the part that begins at @at finished? */
static __always_inline bool part_is_free(const struct bp_ring *ring, __u64 at)
{
	__u64 part = PATCH_OP(at, ">>", BP_PATCH_PART_SHIFT), lap = part / BP_RING_PARTS;

	return READ_SHARED(ring->committed[part & (BP_RING_PARTS - 1)]) == PATCH_OP(lap, "<<", BP_PATCH_PART_SHIFT);
}

/* The position of a new record of @size bytes, or RING_FULL: a late program is still in the next part. */
static __attribute__((noinline)) __u64 reserve_over(struct bp_ring *ring, __u64 size)
{
	__u64 at = READ_SHARED(ring->reserved), mask = PATCH(BP_PATCH_PART_MASK);

#pragma unroll
	for (int i = 0; i < RESERVE_TRIES; i++) {
		__u64 start = at, was;

		if ((at & mask) + size > mask + 1)
			start = (at | mask) + 1;
		if (!(start & mask) && !part_is_free(ring, start))
			return RING_FULL;
		was = reserved_exchange(ring, at, start + size);
		if (was == at) {
			if (start != at) {
				__u64 pad = start - at;

				seal_store(ring, record_at(ring, at),
					   PATCH64(BP_PATCH_SECRET) ^ at ^ ((pad | BP_SEAL_PAD) << BP_SEAL_SHIFT));
				part_commit(ring, at, pad);
			}
			return start;
		}
		at = was;
	}
	return RING_FULL;
}

/* ---- rings that discard ---- */

static __always_inline bool has_room(const struct bp_ring *ring, __u64 to)
{
	/* Signed: if other programs and the reader have passed @to meanwhile, this test must pass, and the exchange fails. */
	return (__s64)(to - READ_SHARED(ring->free)) <= (__s64)PATCH(BP_PATCH_RING_BYTES);
}

/* After a first try that failed, because `reserved` was @at. */
static __attribute__((noinline)) __u64 reserve_again(struct bp_ring *ring, __u64 size, __u64 at)
{
#pragma unroll
	for (int i = 1; i < RESERVE_TRIES; i++) {
		__u64 was;

		if (!has_room(ring, at + size))
			return RING_FULL;
		was = reserved_exchange(ring, at, at + size);
		if (was == at)
			return at;
		at = was;
	}
	return RING_FULL;
}

/* ---- both ---- */

/*
 * Sets @at to the position of a new record. @which marks its size. Goes to @full if there is no room. It is a macro, so that
 * the usual way has one test only.
 */
#define RING_RESERVE(ring, at, which, full) do {				\
	struct bp_ring *ring_ = (ring);						\
	__u64 to_, was_;							\
	if (PATCH(BP_PATCH_OVERWRITES)) {					\
		(at) = reserve_over(ring_, PATCH(which));			\
		if ((at) == RING_FULL)						\
			goto full;						\
		break;								\
	}									\
	(at) = READ_SHARED(ring_->reserved);					\
	to_ = PATCH_OP((at), "+", which);					\
	if (!has_room(ring_, to_))						\
		goto full;							\
	was_ = reserved_exchange(ring_, (at), to_);				\
	if (was_ == (at))							\
		break;								\
	(at) = reserve_again(ring_, PATCH(which), was_);			\
	if ((at) == RING_FULL)							\
		goto full;							\
} while (0)

/* A reader sleeps. It looks again before it sleeps, so the program that clears `waiting` must wake it. */
static __attribute__((noinline)) int ring_bell(struct bp_ring *ring)
{
	__u64 nothing = 0;

	WRITE_SHARED(ring->waiting, 0);
	/*
	 * This fails only while another program rings, or if the bell is full. Both wake the reader later: it leaves in the bell
	 * what is still being rung (bell_empty() in user/run/ring.c; tests/model/sleep.pml).
	 */
	bpf_ringbuf_output(&bp_bell, &nothing, sizeof(nothing), RB_FORCE_WAKEUP);
	return 0;
}

/* The record at @at of @size bytes is finished. @seal: see struct bp_ring. */
static __always_inline void ring_commit(struct bp_ring *ring, struct bp_rec *rec, __u64 at, __u64 seal, __u64 size)
{
	seal_store(ring, rec, seal);
	if (PATCH(BP_PATCH_OVERWRITES))
		part_commit(ring, at, size);
	else if (READ_SHARED(ring->waiting))
		ring_bell(ring);
}

/* Gives back what a record of @size bytes does not need, if nothing came after it. Returns its size. */
static __always_inline __u64 ring_shrink(struct bp_ring *ring, __u64 at, __u64 size, __u64 needed)
{
	if (needed >= size)
		return size;
	return reserved_exchange(ring, at + size, at + needed) == at + size ? needed : size;
}

/*
 * Gives back the whole record, if nothing came after it. False: it must be committed. Not for rings that overwrite: there the place still
 * has the seal of an earlier lap, and a reader would take it for that record.
 */
static __always_inline bool ring_retract(struct bp_ring *ring, __u64 at, __u64 size)
{
	return reserved_exchange(ring, at + size, at) == at + size;
}

#endif
