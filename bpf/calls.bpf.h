/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls.bpf.h - the times of the entries of active calls, in a table: struct bp_calls.
 *
 * A hash map of the kernel's would take three calls: one at the entry, and two at the return. They cost 1010 instructions more
 * (6.12). tests/model/calls.pml is the protocol.
 */
#ifndef CALLS_BPF_H
#define CALLS_BPF_H

struct places {
	__u64 *sp;			/* BP_CALLS_NEAR of each */
	struct bp_call *call;
};

/* Where a call with stack pointer @sp can be. */
static __always_inline struct places places_of(__u64 sp)
{
	__u64 sum = PATCH_OP(sp, "+", BP_PATCH_PROBE), nr = BP_CALLS_HASH(sum);

	return (struct places){
		.sp = (void *)PATCH64(BP_PATCH_CALLS) + nr * sizeof(__u64),
		.call = (void *)PATCH64(BP_PATCH_CALLS) + __builtin_offsetof(struct bp_calls, call) + nr * sizeof(struct bp_call),
	};
}

/* Claims the place for this program, if it still has the value @was. */
static __always_inline bool place_claim(__u64 *sp, __u64 was)
{
	return __sync_val_compare_and_swap(sp, was, BP_CALLS_BUSY) == was;
}

/* The time is read last, so that what this program does is no part of the call's duration. */
static __always_inline void place_fill(__u64 *at, struct bp_call *call, __u64 sp)
{
	call->probe = PATCH(BP_PATCH_PROBE);
	call->pid = bpf_get_current_pid_tgid();
	call->time = bpf_ktime_get_ns();
	barrier();
	WRITE_SHARED(*at, sp);
}

/* The place whose call began first. If other programs change the places meanwhile, it may be any of them. */
static __always_inline __u64 place_oldest(const struct places *p)
{
	__u64 oldest = ~0ull, at = 0;

#pragma unroll
	for (int i = 0; i < BP_CALLS_NEAR; i++) {
		__u64 time = READ_SHARED(p->call[i].time);

		if (time < oldest) {
			oldest = time;
			at = i;
		}
	}
	return at & (BP_CALLS_NEAR - 1);
}

/*
 * At the entry of the call that will return with stack pointer @sp. An earlier call with this stack pointer is over: if it has left
 * its place, because its return was missed or its task died, this call takes it. So there is never more than one.
 */
static __always_inline void call_begin(__u64 sp)
{
	struct places p = places_of(sp);
	__u64 at, was;

#pragma unroll
	for (int i = 0; i < BP_CALLS_NEAR; i++) {
		if (READ_SHARED(p.sp[i]) == sp && READ_SHARED(p.call[i].probe) == PATCH(BP_PATCH_PROBE) &&
		    place_claim(&p.sp[i], sp)) {
			place_fill(&p.sp[i], &p.call[i], sp);
			return;
		}
	}
#pragma unroll
	for (int i = 0; i < BP_CALLS_NEAR; i++) {
		if (!READ_SHARED(p.sp[i]) && place_claim(&p.sp[i], 0)) {
			place_fill(&p.sp[i], &p.call[i], sp);
			return;
		}
	}
	/* Another call loses its place: an active one, or one that is over and has left its place. */
	at = place_oldest(&p);
	was = READ_SHARED(p.sp[at]);
	if (was != BP_CALLS_BUSY && place_claim(&p.sp[at], was))
		place_fill(&p.sp[at], &p.call[at], sp);
}

/*
 * At the return: the time of the entry of this call; 0: it is not known. If the return of an earlier call was missed, and then this call's
 * entry, it is the time of the earlier one: checked_time() finds these, as with a map. A place that a task with another number has left
 * stays, and the next entry takes it.
 */
static __always_inline __u64 call_end(__u64 sp, __u32 pid)
{
	struct places p = places_of(sp);
	__u64 time;

#pragma unroll
	for (int i = 0; i < BP_CALLS_NEAR; i++) {
		if (READ_SHARED(p.sp[i]) == sp && READ_SHARED(p.call[i].probe) == PATCH(BP_PATCH_PROBE)) {
			if (READ_SHARED(p.call[i].pid) != pid)
				return 0;
			/* If the place was lost meanwhile, the exchange fails. */
			time = READ_SHARED(p.call[i].time);
			return __sync_val_compare_and_swap(&p.sp[i], sp, 0) == sp ? time : 0;
		}
	}
	return 0;
}

/* The word that stands for a call by task @pid in a program, with stack pointer @sp. Two calls may have the same word: user_call_end(). */
static __always_inline __u64 user_call(__u64 sp, __u32 pid)
{
	return (sp ^ (__u64)pid << 42) | BP_CALLS_BUSY << 1;	/* never 0 and never BP_CALLS_BUSY: sp is a multiple of 8 */
}

/*
 * The same at the return of a program's function. A call of another task may stand for the same @call, and may take the place between
 * any two of these reads. So the place is claimed first: then nobody changes it.
 */
static __always_inline __u64 user_call_end(__u64 call, __u32 pid)
{
	struct places p = places_of(call);
	__u64 time;

#pragma unroll
	for (int i = 0; i < BP_CALLS_NEAR; i++) {
		if (READ_SHARED(p.sp[i]) == call && READ_SHARED(p.call[i].probe) == PATCH(BP_PATCH_PROBE) &&
		    place_claim(&p.sp[i], call)) {
			bool own = READ_SHARED(p.call[i].pid) == pid && READ_SHARED(p.call[i].probe) == PATCH(BP_PATCH_PROBE);

			time = READ_SHARED(p.call[i].time);
			barrier();
			WRITE_SHARED(p.sp[i], own ? 0 : call);
			return own ? time : 0;
		}
	}
	return 0;
}

#endif
