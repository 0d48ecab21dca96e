/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pair.bpf.h - --pair A:B: the hits of A begin pairs, those of B end them, and have the time from the one to the other.
 *
 * A map has, for each task or value of a field, the time of the last hit of A. A hit of B takes it out before its record is made: so each
 * hit of B ends the pair, even if the hit's record is lost or B's filter rejects it. If the time is not certain, B has no record.
 */
#ifndef PAIR_BPF_H
#define PAIR_BPF_H

/* The key of this hit. False: the field could not be read. @saved: what an entry probe has saved, if one has. */
static __always_inline bool pair_key(void *ctx, struct bp_saved *saved, __u64 *ret)
{
	register void *ctx_ asm("r6") = ctx;
	register __u64 value_ asm("r8") = (__u64)saved;
	register __u64 known_ asm("r9");

	if (!PATCH(BP_PATCH_PAIR_FIELD)) {
		*ret = bpf_get_current_task();
		return true;
	}
	asm volatile("%0 = %3"
		     : "=r"(known_), "+r"(value_)
		     : "r"(ctx_), "i"(BP_PATCH_PAIR_KEY)
		     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");
	*ret = value_;
	return known_;
}

/* The word of bp_skips; ~0, a time that never comes, if there is no such word. */
static __always_inline __u64 skips_word(__u32 slot)
{
	const volatile __u64 *word = bpf_map_lookup_elem(&bp_skips, &slot);

	return word ? *word : ~0ull;
}

/*
 * Has every hit of A since @time been seen? Only then the time is that of the last one. A task's hits are missed on a CPU whose
 * bpf_prog_active is set: see checked_time(). Any task may hit A with the same value of a field, so no CPU may be in that state.
 */
static __always_inline bool pair_is_sure(const struct task_struct *task, __u64 time)
{
	if (!PATCH(BP_PATCH_PAIR_FIELD) && time < task_started(task))
		return false;		/* of an earlier task, whose task_struct was at the same address */
	if (PATCH(BP_PATCH_WATCHES) != 1)
		return true;
	if (!PATCH(BP_PATCH_PAIR_FIELD))
		return skips_word(task_number(task) & (BP_SKIPS - 1)) < time;
	return !skips_word(BP_SKIPS_UNSURE) && skips_word(BP_SKIPS_SURE) < time;
}

/*
 * An entry stays with its task, which takes it with it (bp_pair_free): to find it is cheaper than to make and to remove it. A field may have
 * any number of values, so these entries go. Before 5.12 the removal decides who takes the time.
 */
static __always_inline bool entries_stay(void)
{
	return PATCH(BP_PATCH_ATOMICS) && !PATCH(BP_PATCH_PAIR_FIELD);
}

/* Does the current task, @key, need no entry? *ret: its place. */
static __always_inline bool has_place(__u64 key, struct bp_pair_place **ret)
{
	if (!entries_stay())
		return false;
	*ret = place_of(key);
	return place_is_of(*ret, key);
}

/* Takes the time of A's last hit; 0: there was none, or it is not certain. */
static __always_inline __u64 pair_take(const struct task_struct *task, __u64 key)
{
	struct bp_pair_place *place;
	struct bp_pair *pair;
	__u64 time, seal;

	if (has_place(key, &place)) {
		time = word_take(&place->time);
		return time && pair_is_sure(task, time) ? time : 0;
	}
	pair = bpf_map_lookup_elem(&bp_pairs, &key);
	if (!pair)
		return 0;
	time = word_take(&pair->time);
	seal = READ_SHARED(pair->seal);
	/* Two hits of B on two CPUs may have found it. Before 5.12 this decides which of them takes it. */
	if (!entries_stay() && bpf_map_delete_elem(&bp_pairs, &key))
		return 0;
	if (!time || seal != BP_PAIR_SEAL(time, key))
		return 0;
	return pair_is_sure(task, time) ? time : 0;
}

/* Forgets A's hits. If the removal fails, the time becomes 0. */
static __always_inline void pair_forget(__u64 key)
{
	struct bp_pair_place *place;
	struct bp_pair *pair;

	if (has_place(key, &place)) {
		WRITE_SHARED(place->time, 0);
		return;
	}
	if (!entries_stay() && !bpf_map_delete_elem(&bp_pairs, &key))
		return;
	pair = bpf_map_lookup_elem(&bp_pairs, &key);
	if (pair)
		*(volatile __u64 *)&pair->time = 0;
}

/* False: there was no room for it. Then an earlier hit is forgotten. */
static __always_inline bool pair_store(__u64 key, __u64 time)
{
	struct bp_pair pair = { .time = time, .seal = BP_PAIR_SEAL(time, key) };
	struct bp_pair *old = (void *)0;

	if (entries_stay()) {
		struct bp_pair_place *place = place_of(key);

		if (place_get(place, key)) {
			WRITE_SHARED(place->time, time);
			return true;
		}
		old = bpf_map_lookup_elem(&bp_pairs, &key);
	}
	/* What hits in between, in an interrupt, finds a time and a seal that do not fit. */
	if (old) {
		WRITE_SHARED(old->seal, pair.seal);
		WRITE_SHARED(old->time, time);
		return true;
	}
	if (!bpf_map_update_elem(&bp_pairs, &key, &pair, BPF_ANY))
		return true;
	pair_forget(key);
	return false;
}

/* Called rarely, so it finds the counters again. */
static __attribute__((noinline)) int count_unpaired(void)
{
	__u64 nr = bpf_get_smp_processor_id();
	struct bp_stat *stat;

	if (nr >= PATCH(BP_PATCH_CPUS))
		return 0;
	stat = stat_of(nr);
	STAT_ADD(stat->unpaired, 1);
	return 0;
}

/* A hit of B. */
static __always_inline int pair_end(void *ctx, enum hook hook, const struct task_struct *task, struct bp_saved *saved)
{
	__u64 key;

	saved->time = pair_key(ctx, saved, &key) ? pair_take(task, key) : 0;
	if (saved->time)
		return capture(ctx, hook | NOT_SELF, saved);
	return count_unpaired();
}

/*
 * A hit of A. If the record was lost, only a filter that needs no record can still decide. With any other filter, nothing is known of the
 * pair.
 */
static __always_inline int pair_begin(void *ctx, enum hook hook, struct bp_saved *saved, struct bp_stat *stat)
{
	__u64 key, time = 0;
	bool known;

	if (PATCH(BP_PATCH_SILENT)) {
		if (is_off())
			return 0;
		count_hit(stat, hook);
		if (pair_key(ctx, saved, &key) && !pair_store(key, bpf_ktime_get_ns()))
			count_unpaired();
		return 0;
	}
	known = pair_key(ctx, saved, &key);
	capture_timed(ctx, hook | NOT_SELF, saved, &time);
	if (!known || !time)
		return 0;
	if (time == CAPTURE_LOST) {
		if (PATCH(BP_PATCH_PAIR_SIEVE)) {
			pair_forget(key);
			return 0;
		}
		time = bpf_ktime_get_ns();
	}
	if (!pair_store(key, time))
		count_unpaired();
	return 0;
}

/* @saved: the program's own, which the record's code may use. */
static __always_inline int pair_hit(void *ctx, enum hook hook, struct bp_saved *saved)
{
	__u64 nr = bpf_get_smp_processor_id();
	const struct task_struct *task;
	struct bp_stat *stat;

	if (PATCH(BP_PATCH_PROBE) == BP_PATCH_PROBE || nr >= PATCH(BP_PATCH_CPUS) || !task_traced())
		return 0;	/* the first is true only in the model, the second never */
	task = task_current();
	if (PATCH(BP_PATCH_SELF) && is_self(task))
		return 0;
	stat = stat_of(nr);
	if (READ_SHARED(stat->ring) == BP_RING_NONE)
		return 0;
	if (!PATCH(BP_PATCH_PAIR_ENDS))
		return pair_begin(ctx, hook, saved, stat);
	/*
	 * Both begin with the same test of a constant. The compiler must not move it in front of the test above: user/gen/fold.c looks for
	 * a test behind its constant.
	 */
	asm volatile("" : : "i"(BP_PATCH_PAIR_ENDS));
	return pair_end(ctx, hook, task, saved);
}

#endif
