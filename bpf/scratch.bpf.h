/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scratch.bpf.h - memory in which a program makes a record that no reader shall see, or not yet: struct bp_scratch.
 *
 * What only counts or switches needs no room in a ring. So a full ring does not stop it.
 */
#ifndef SCRATCH_BPF_H
#define SCRATCH_BPF_H

/*
 * Takes the element if nobody has it. Before 5.12 there is no exchange, and it becomes a plain store (see reserved_exchange()). There
 * programs are not preempted. A program that an interrupt runs between the test and the store has given the element back when the store
 * comes.
 */
static __always_inline bool scratch_take(struct bp_scratch *s)
{
	register __u64 was asm("r0") = 0;
	__u64 taken = 1;

	if (!PATCH(BP_PATCH_ATOMICS) && READ_SHARED(s->taken))
		return false;
	asm volatile("%0 = %3\n"
		     "%1 = %2\n"
		     : "+r"(was) : "r"(s), "r"(taken), "i"(BP_PATCH_RESERVE_CODE) : "memory");
	return !was;
}

static __always_inline struct bp_scratch *scratch_at(__u32 key)
{
	return bpf_map_lookup_elem(&bp_scratches, &key);
}

/* The first element of the CPU is taken: a program runs in the midst of another one. */
static __attribute__((noinline)) struct bp_scratch *scratch_next(__u64 nr)
{
#pragma unroll
	for (int i = 1; i < BP_SCRATCH_LEVELS; i++) {
		struct bp_scratch *s = scratch_at(nr * BP_SCRATCH_LEVELS + i);

		if (s && scratch_take(s))
			return s;
	}
	return (void *)0;
}

/* An element of CPU @nr, which is now this program's; NULL: all are taken. */
static __always_inline struct bp_scratch *scratch_claim(__u64 nr)
{
	struct bp_scratch *s = scratch_at(nr * BP_SCRATCH_LEVELS);

	if (s && scratch_take(s))
		return s;
	return scratch_next(nr);
}

static __always_inline void scratch_release(struct bp_scratch *s)
{
	WRITE_SHARED(s->taken, 0);
}

static __always_inline struct bp_rec *scratch_record(struct bp_scratch *s)
{
	return (void *)(s + 1);
}

/*
 * Somebody wants the record after all: copies its @size bytes into the ring of this CPU, with a new time stamp. The reader relies on this: it
 * is read after the record was reserved. False: there is no room.
 */
static __attribute__((noinline)) int scratch_promote(const struct bp_rec *rec, struct bp_ring *ring, __u64 size)
{
	struct bp_rec *to;
	__u64 at;

	if (size > PATCH(BP_PATCH_SCRATCH))		/* never: this is for the verifier */
		return false;
	if (PATCH(BP_PATCH_OVERWRITES))
		at = reserve_over(ring, size);
	else
		at = reserve_again(ring, size, READ_SHARED(ring->reserved));
	if (at == RING_FULL)
		return false;
	to = record_at(ring, at);
	bpf_probe_read_kernel(to, size, rec);
	to->ts = bpf_ktime_get_ns();
	ring_commit(ring, to, at, PATCH64(BP_PATCH_SECRET) ^ at ^ size << BP_SEAL_SHIFT, size);
	return true;
}

#endif
