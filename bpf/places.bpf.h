/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * places.bpf.h - the times of tasks whose pairs have begun, in a table: struct bp_pair_places.
 *
 * To find the entries of two hits in a hash map of the kernel's costs 233 instructions more (6.12). A task without a place uses the map.
 */
#ifndef PLACES_BPF_H
#define PLACES_BPF_H

static __always_inline struct bp_pair_place *place_of(__u64 task)
{
	__u64 nr = BP_PAIR_HASH(task);

	return (void *)PATCH64(BP_PATCH_PAIR_PLACES) + nr * sizeof(struct bp_pair_place);
}

/* Has the task the place? As long as the task runs, only its own programs give it one, and nobody takes it away. */
static __always_inline bool place_is_of(const struct bp_pair_place *place, __u64 task)
{
	return READ_SHARED(place->task) == task;
}

/* The same for the current task, which gets the place if nobody has it. An interrupt's program may have done it meanwhile. */
static __always_inline bool place_get(struct bp_pair_place *place, __u64 task)
{
	if (place_is_of(place, task))
		return true;
	if (READ_SHARED(place->task))
		return false;
	__sync_val_compare_and_swap(&place->task, 0, task);
	return place_is_of(place, task);
}

/* The task is gone, so nobody else uses its place. The exchange is a barrier: who gets the place next gets it without a time. */
static __always_inline void place_leave(__u64 task)
{
	struct bp_pair_place *place = place_of(task);

	if (!place_is_of(place, task))
		return;
	WRITE_SHARED(place->time, 0);
	word_take(&place->task);
}

#endif
