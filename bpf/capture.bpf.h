/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.bpf.h - one hit: reserve, stamp, fetch, submit, count.
 */
#ifndef CAPTURE_BPF_H
#define CAPTURE_BPF_H

/*
 * Stand-ins for the definition's own code: user space cuts them off a copy of
 * the program and puts the generated body in their place (user/plan/emit.c). The
 * assembly keeps the calls and their arguments alive.
 */
static __attribute__((noinline)) int fetch_short(struct pt_regs *ctx, struct bp_rec *rec,
						 struct bp_saved *saved)
{
	int ret = 0;

	asm volatile("" : "+r"(ret) : "r"(ctx), "r"(rec), "r"(saved) : "memory");
	return ret;
}

static __attribute__((noinline)) int fetch_long(struct pt_regs *ctx, struct bp_rec *rec,
						struct bp_saved *saved)
{
	int ret = 1;

	asm volatile("" : "+r"(ret) : "r"(ctx), "r"(rec), "r"(saved) : "memory");
	return ret;
}

struct hit {
	__u64 addr;		/* p: the probe's address; r: the function's */
	__u64 caller;		/* r: where it returns to */
	__u32 eflags;
	bool is_return;
	struct bp_saved *saved;	/* r: parameters kept from the entry, or NULL */
};

static __always_inline void record_fill(struct bp_rec *rec, const struct hit *hit,
					const struct bp_stat *stat, __u32 nr)
{
	__u64 *location = (__u64 *)(rec + 1);

	rec->ts = bpf_ktime_get_ns();	/* after the reservation: user/run/ring.c depends on it */
	rec->probe = PATCH(BP_PATCH_PROBE);
	rec->lost = stat->lost;
	rec->cpu = nr;
	rec->preempt = preempt_read(nr);
	rec->eflags = hit->eflags;
	rec->reserved = 0;
	rec->common_type = 0;
	rec->common_flags = 0;
	rec->common_preempt_count = 0;
	task_read(rec);
	location[0] = hit->addr;
	if (hit->is_return)
		location[1] = hit->caller;
}

static __always_inline bool task_traced(void)
{
	__u8 *mark;

	if (PATCH(BP_PATCH_ALL_TASKS))
		return true;
	mark = task_mark(bpf_get_current_pid_tgid());
	return mark && *mark;
}

static __always_inline int capture(struct pt_regs *ctx, const struct hit *hit)
{
	__u32 nr = bpf_get_smp_processor_id(), at;
	struct bp_stat *stat;
	struct bp_rec *rec;
	void *ring;
	int fetched;

	if (!task_traced())
		return 0;
	at = nr * PATCH(BP_PATCH_STRIDE) + PATCH(BP_PATCH_PROBE);
	stat = bpf_map_lookup_elem(&bp_stats, &at);
	ring = bpf_map_lookup_elem(&bp_rings, &nr);
	if (!stat || !ring)	/* never: sized and filled for all possible CPUs */
		return 0;
	/* One program does not nest on a CPU, and has this entry for itself: no atomics. */
	stat->hits++;
	rec = bpf_ringbuf_reserve(ring, PATCH(BP_PATCH_SHORT), 0);
	if (!rec) {
		stat->lost++;
		return 0;
	}
	record_fill(rec, hit, stat, nr);
	fetched = fetch_short(ctx, rec, hit->saved);
	if (PATCH(BP_PATCH_LONG) && (fetched & BP_FETCH_FILLED)) {
		bpf_ringbuf_discard(rec, 0);
		rec = bpf_ringbuf_reserve(ring, PATCH(BP_PATCH_LONG), 0);
		if (!rec) {
			stat->lost++;
			return 0;
		}
		record_fill(rec, hit, stat, nr);
		fetched = fetch_long(ctx, rec, hit->saved);
	}
	if (fetched & BP_FETCH_FAULT)
		stat->faults++;
	bpf_ringbuf_submit(rec, 0);
	return 0;
}

#endif
