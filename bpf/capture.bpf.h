/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.bpf.h - handles one hit: reserve, stamp, fetch, submit, count.
 */
#ifndef CAPTURE_BPF_H
#define CAPTURE_BPF_H

/*
 * Placeholders for the definition's own code. A program is never loaded in this form:
 * user space copies it, and replaces the marker by the generated body, and the function
 * by the long body (user/gen/emit.c). That code depends on the registers used here.
 */
#define FETCH_SHORT(ctx, rec, saved) ({					\
	register void *ctx_ asm("r6") = (ctx);				\
	register struct bp_rec *rec_ asm("r7") = (rec);			\
	register void *saved_ asm("r8");				\
	register __u64 fetched_ asm("r9");				\
	if (__builtin_constant_p(saved))	/* NULL */		\
		asm volatile("%0 = %4"					\
			     : "=r"(fetched_), "=r"(saved_)		\
			     : "r"(ctx_), "r"(rec_), "i"(BP_PATCH_FETCH)	\
			     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");	\
	else								\
		asm volatile("%0 = %4"					\
			     : "=r"(fetched_), "=r"(saved_)		\
			     : "r"(ctx_), "r"(rec_), "i"(BP_PATCH_FETCH), "1"(saved)	\
			     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");	\
	fetched_;							\
})

/*
 * Stands for the code of user/gen/count_code.c, as above. Not 0: the hit needs no record, because it was counted, or something is switched
 * off.
 */
#define COUNT_HIT(ctx, saved) ({					\
	register void *ctx_ asm("r6") = (ctx);				\
	register void *saved_ asm("r8") = (saved);			\
	register __u64 counted_ asm("r9");				\
	asm volatile("%0 = %3"						\
		     : "=r"(counted_)					\
		     : "r"(ctx_), "r"(saved_), "i"(BP_PATCH_COUNT)	\
		     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");	\
	counted_;							\
})

static __attribute__((noinline)) int fetch_long(void *ctx, struct bp_rec *rec, struct bp_saved *saved)
{
	register __u64 fetched asm("r0");

	asm volatile("%0 = %4" : "=r"(fetched) : "r"(ctx), "r"(rec), "r"(saved), "i"(BP_PATCH_FETCH_LONG) : "memory");
	return fetched;
}

/* Stands for code, too: it reads from user memory what the definition fetches, so that the memory is there. The result means nothing. */
static __attribute__((noinline)) int fault_in(void *ctx)
{
	register __u64 nothing asm("r0");

	asm volatile("%0 = %2" : "=r"(nothing) : "r"(ctx), "i"(BP_PATCH_FAULT_IN) : "memory");
	return nothing;
}

/*
 * The hook that runs a program determines where the facts of a hit are. Each program names its facts by a constant of these parts. So
 * a new hook whose facts are where another's are needs nothing here.
 */
enum hook {
	/* Where the address is. p: the probe's; r: the function's. Like enum backend_place of user/plan/backend.h. */
	ADDR_KNOWN,			/* BP_PATCH_FUNC: it runs for one function */
	ADDR_KPROBE_IP,			/* a few bytes before the program counter: kprobe_place() */
	ADDR_FTRACE_IP,			/* ... where ftrace's call returns to: multi_place() */
	ADDR_FUNC_IP,
	ADDR_COOKIE,			/* the cookie is what is to be printed: user/attach/fmulti.c */
	ADDR_IP,
	ADDR_UTASK,			/* or, with BP_PATCH_FUNC_IP, as for ADDR_FUNC_IP */
	ADDR_PART = 7,

	/* Where the caller is. None of these: it is no return. */
	CALLER_SAVED = 1 << 3,		/* at ip, or saved at the entry */
	CALLER_MULTI = 2 << 3,
	CALLER_IP = 3 << 3,
	CALLER_BEHIND_FRAME = 4 << 3,	/* behind the context of one function: BP_PATCH_FRAME */
	CALLER_BEHIND_SLOT = 5 << 3,	/* ... of any function */
	CALLER_PART = 7 << 3,

	FLAGS_SHOWN = 1 << 6,		/* the context has the flags register */
	FLAGS_SOMETIMES = 1 << 7,	/* ... with BP_PATCH_FLAGS */
	MAY_WAIT = 1 << 8,		/* with BP_PATCH_FAULTS_IN, the program waits for memory */
	MAY_NEST = 1 << 9,		/* with BP_PATCH_NESTS, it may run while it is running on the same CPU already */
	NOT_SELF = 1 << 10,		/* the caller knows that bprobe itself does not hit */

	HOOK_KPROBE = ADDR_KPROBE_IP | FLAGS_SHOWN,
	HOOK_KRETPROBE = ADDR_KNOWN | CALLER_SAVED | FLAGS_SHOWN,
	HOOK_MULTI = ADDR_FTRACE_IP | FLAGS_SOMETIMES,
	HOOK_MULTI_RETURN = ADDR_FUNC_IP | CALLER_MULTI | FLAGS_SOMETIMES,
	HOOK_UPROBE = ADDR_IP | FLAGS_SHOWN | MAY_WAIT | MAY_NEST,
	HOOK_UPROBE_RETURN = ADDR_UTASK | CALLER_IP | FLAGS_SHOWN | MAY_WAIT | MAY_NEST,
	HOOK_FENTRY = ADDR_KNOWN,
	HOOK_FEXIT = ADDR_KNOWN | CALLER_BEHIND_FRAME,
	HOOK_FENTRY_MULTI = ADDR_COOKIE,
	HOOK_FEXIT_MULTI = ADDR_FUNC_IP | CALLER_BEHIND_SLOT,
	HOOK_TRACEPOINT = ADDR_KNOWN | MAY_NEST,
	HOOK_EVENT = ADDR_KNOWN,
};

static __always_inline __u64 hit_addr(void *ctx, enum hook hook)
{
	const struct pt_regs *regs = ctx;

	switch (hook & ADDR_PART) {
	case ADDR_KPROBE_IP:
		return kprobe_place(regs);
	case ADDR_FTRACE_IP:
		return multi_place(regs);
	case ADDR_IP:
		return regs_ip(regs);
	case ADDR_UTASK:
		if (!PATCH(BP_PATCH_FUNC_IP))
			return uprobe_place();
		return bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_func_ip) ? bpf_get_func_ip(ctx) : 0;
	case ADDR_COOKIE:
		if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_attach_cookie))
			return 0;
		return bpf_get_attach_cookie(ctx);
	case ADDR_FUNC_IP:
		if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_func_ip))
			return 0;	/* such old kernels have no kprobe.multi */
		return bpf_get_func_ip(ctx);
	default:
		return PATCH64(BP_PATCH_FUNC);
	}
}

/* @scratch: see slot_behind() */
static __always_inline __u64 hit_caller(void *ctx, enum hook hook, __u64 addr, const struct bp_saved *saved, __u64 *scratch)
{
	const struct pt_regs *regs = ctx;

	switch (hook & CALLER_PART) {
	case CALLER_IP:
		return regs_ip(regs);
	case CALLER_BEHIND_FRAME:
		return caller_behind(ctx + PATCH(BP_PATCH_FRAME) + TRAMPOLINE_FRAME, addr);
	case CALLER_BEHIND_SLOT:
		return caller_behind(slot_behind(ctx, scratch), addr);
	case CALLER_MULTI:
		return caller_of_multi(regs);
	default:
		return caller_read(regs_ip(regs), saved);
	}
}

static __always_inline __u64 hit_eflags(void *ctx, enum hook hook)
{
	const struct pt_regs *regs = ctx;

	if (!(hook & (FLAGS_SHOWN | FLAGS_SOMETIMES)))
		return BP_EFLAGS_UNKNOWN;
	if (hook & FLAGS_SOMETIMES && !PATCH(BP_PATCH_FLAGS))
		return BP_EFLAGS_UNKNOWN;
	return regs_flags(regs);
}

/* @all: for a record in the ring; else what nobody reads is left out: BP_PATCH_HEAD_*. */
static __always_inline void record_fill(void *ctx, struct bp_rec *rec, enum hook hook, __u32 seq,
					__u64 nr, const struct task_struct *task, const struct bp_saved *saved, bool all)
{
	__u64 *location = (__u64 *)(rec + 1);

	/* First what needs no call: so its values need not be kept during the calls. */
	rec->cpu = nr;
	if (all || PATCH(BP_PATCH_HEAD_LINE)) {
		rec->seq = seq;
		rec->probe = PATCH(BP_PATCH_PROBE);
	}
	if (all || PATCH(BP_PATCH_HEAD_TIME))
		rec->ts = bpf_ktime_get_ns();	/* after the record was reserved: user/run/ring.c depends on this order */
	if (all || PATCH(BP_PATCH_HEAD_LINE)) {
		rec->preempt = preempt_read(nr);
		rec->eflags = hit_eflags(ctx, hook);
	}
	*(__u32 *)&rec->common_type = 0;	/* also clears common_flags and common_preempt_count */
	task_read(rec, task, all);
	if (!all && !PATCH(BP_PATCH_HEAD_PLACE))
		return;
	location[0] = hit_addr(ctx, hook);
	if (hook & CALLER_PART)
		location[1] = hit_caller(ctx, hook, location[0], saved, &location[1]);
}

static __always_inline bool task_traced(void)
{
	__u8 *mark;

	if (PATCH(BP_PATCH_ALL_TASKS))
		return true;
	mark = task_mark(bpf_get_current_pid_tgid());
	return mark && *mark;
}

/*
 * Does the current task belong to the process that made @entry? A later process can have the same number.
 *
 * Where it can, words_load() calls nothing that could be probed itself: a pattern of all functions is hit often while it is
 * attached, by bprobe itself. A plain load of the leader's address would call nothing either. But for that the verifier looks
 * through all of the kernel's types three times (6.12: 10 million instructions for each program).
 */
static __attribute__((noinline)) int self_is_this(const struct bp_self *entry)
{
	void *task = (void *)bpf_get_current_task();
	__u64 word[2] = { 0, 0 };

	words_load(task + bpf_core_field_offset(struct task_struct, group_leader), word);
	words_load((void *)word[0] + bpf_core_field_offset(struct task_struct, start_time), word);
	return word[0] && word[0] < entry->since;	/* 0: it could not be read */
}

/* Is @task a task of the tracer? Each hit that the tracer prints could cause a new hit by the tracer itself, without end. */
static __always_inline bool is_self(const struct task_struct *task)
{
	__u32 tgid = task_tgid(task);
	__u64 row = tgid & (BP_SELF_ROWS - 1);
	const struct bp_self *entries = (void *)PATCH64(BP_PATCH_SELVES) + row * sizeof(struct bp_self[2]);

	return (entries[0].tgid == tgid && self_is_this(&entries[0])) ||
	       (entries[1].tgid == tgid && self_is_this(&entries[1]));
}

/* The counters of this definition on CPU @nr. */
static __always_inline struct bp_stat *stat_of(__u64 nr)
{
	return (void *)PATCH64(BP_PATCH_STATS) + PATCH_OP(nr, "<<", BP_PATCH_STATS_SHIFT);
}

/* Adds to a counter of a bp_stat. A program that may run while it is running on this CPU already needs one instruction for it. */
#define STAT_ADD(counter, n) do {					\
	if (PATCH(BP_PATCH_NESTS))					\
		__sync_fetch_and_add(&(counter), n);			\
	else								\
		(counter) += (n);					\
} while (0)

/*
 * Counts what the fetch code found: values that could not be read, or a filter that rejects the hit. The next hit gets the number of a
 * rejected one. True: the hit is rejected. This is called rarely, so it looks up the counters again.
 */
static __attribute__((noinline)) int count_fetched(__u64 fetched)
{
	__u64 nr = bpf_get_smp_processor_id();		/* the same CPU as before: programs do not migrate */
	struct bp_stat *stat;

	if (nr >= PATCH(BP_PATCH_CPUS))
		return 0;
	stat = stat_of(nr);
	if (!(fetched & (BP_FETCH_FILTERED | BP_FETCH_LIMITED | BP_FETCH_COUNTED))) {
		if (fetched & BP_FETCH_FAULT)
			STAT_ADD(stat->faults, 1);
		return 0;
	}
	if (!PATCH(BP_PATCH_ONLY_COUNTS))
		STAT_ADD(stat->hits, -1);
	if (fetched & BP_FETCH_FILTERED)
		STAT_ADD(stat->filtered, 1);
	if (fetched & BP_FETCH_UNDECIDED)
		STAT_ADD(stat->undecided, 1);
	if (fetched & BP_FETCH_LIMITED && !(fetched & BP_FETCH_FILTERED))
		STAT_ADD(stat->limited, 1);
	return 1;
}

/*
 * Takes a hit back that is in bp_stat.hits. It finds the counters again: a pointer that is kept for it costs all other hits a word of the
 * stack.
 */
static __always_inline void count_back(void)
{
	__u64 nr = bpf_get_smp_processor_id();
	struct bp_stat *stat;

	if (PATCH(BP_PATCH_ONLY_COUNTS) || nr >= PATCH(BP_PATCH_CPUS))
		return;
	stat = stat_of(nr);
	STAT_ADD(stat->hits, -1);
}

/* A hit is not counted, because it comes again. */
static __attribute__((noinline)) int uncount_hit(void)
{
	count_back();
	return 0;
}

/* There was no room in the ring. This too is called rarely. */
static __attribute__((noinline)) int count_lost(void)
{
	__u64 nr = bpf_get_smp_processor_id();
	struct bp_stat *stat;

	if (nr >= PATCH(BP_PATCH_CPUS))
		return 0;
	stat = stat_of(nr);
	if (PATCH(BP_PATCH_ONLY_COUNTS))
		STAT_ADD(stat->hits, 1);
	STAT_ADD(stat->lost, 1);
	return 0;
}

#define CAPTURE_LOST 1

/* Has a trigger switched off all events, or this one? Only what is to be tested before the record: BP_PATCH_SWITCHED. */
static __always_inline bool is_off(void)
{
	const struct bp_switch *at;

	if (PATCH(BP_PATCH_SWITCHED) == BP_SWITCHED_NEITHER)
		return false;
	at = (void *)PATCH64(BP_PATCH_TRACING);
	if (READ_SHARED(at->off))
		return true;
	if (PATCH(BP_PATCH_SWITCHED) != BP_SWITCHED_BOTH)
		return false;
	at = (void *)PATCH64(BP_PATCH_EVENT);
	return READ_SHARED(at->off);
}

/*
 * Nobody needs this record. True: the ring has got the @size bytes back. So the rings of a kept event without a reader have more room for
 * records that are needed.
 */
static __always_inline bool give_back(struct bp_ring *ring, __u64 at, __u64 size)
{
	return !PATCH(BP_PATCH_OVERWRITES) && ring_retract(ring, at, size);
}

/* A record that is being made. */
struct making {
	bool in_ring;			/* a constant; false: it is in memory of its own (BP_PATCH_SCRATCH) */
	struct bp_ring *ring;
	struct bp_scratch *scratch;
	struct bp_rec *rec;
	__u64 at;			/* in the ring */
};

/* The record of @size bytes is finished, and is in scratch memory: copies it if it is wanted. */
static __always_inline void scratch_end(const struct making *m, __u64 size, bool dropped)
{
	if (!PATCH(BP_PATCH_ONLY_COUNTS) && !dropped && !scratch_promote(m->rec, m->ring, size))
		count_lost();
	scratch_release(m->scratch);
}

/* Nobody needs the record of @size bytes. @seal: the one that it would have. */
static __always_inline void drop_record(const struct making *m, __u64 size, __u64 seal)
{
	if (!m->in_ring) {
		scratch_release(m->scratch);
		return;
	}
	if (!give_back(m->ring, m->at, size))
		ring_commit(m->ring, m->rec, m->at, seal ^ BP_SEAL_DROPPED << BP_SEAL_SHIFT, size);
}

/* The record was reserved with @size bytes and needs fewer. */
static __always_inline void end_shrunk(const struct making *m, __u64 size, __u64 needed, __u64 dropped)
{
	if (!m->in_ring) {
		scratch_end(m, needed, dropped);
		return;
	}
	if (dropped && give_back(m->ring, m->at, size))
		return;
	size = ring_shrink(m->ring, m->at, size, needed);
	ring_commit(m->ring, m->rec, m->at, PATCH64(BP_PATCH_SECRET) ^ m->at ^ (size | dropped) << BP_SEAL_SHIFT, size);
}

/* May the program wait for values that could not be read? Not again: then they are in no memory. */
static __always_inline bool may_wait(enum hook hook, __u64 fetched, __u64 tries)
{
	/* What the filter has rejected without such a value is not waited for. */
	return hook & MAY_WAIT && PATCH(BP_PATCH_FAULTS_IN) && (fetched & BP_FETCH_FAULT) && !tries &&
	       (fetched & (BP_FETCH_FILTERED | BP_FETCH_UNDECIDED)) != BP_FETCH_FILTERED;
}

/* Tells the fetch code whether it is the last try, if it must know. */
static __always_inline void set_tries(enum hook hook, struct bp_rec *rec, __u64 tries)
{
	if (hook & MAY_WAIT && PATCH(BP_PATCH_FAULTS_IN) == BP_FAULTS_IN_ONCE)
		*(__u32 *)&rec->common_type = tries;
}

/*
 * A string did not fit: makes the record again, with room for the longest strings. True: the task must wait for its memory, and then
 * all is to be done again; there is no record.
 */
static __always_inline bool capture_long(void *ctx, enum hook hook, struct making *m, struct bp_saved *saved, __u64 *time, __u64 tries)
{
	__u64 nr = bpf_get_smp_processor_id(), dropped, fetched;
	__u32 seq = m->rec->seq;
	bool waits;

	if (m->in_ring) {
		drop_record(m, PATCH(BP_PATCH_SHORT), PATCH64(BP_PATCH_SHORT_SEAL) ^ m->at);
		RING_RESERVE(m->ring, m->at, BP_PATCH_LONG, full);
		m->rec = record_at(m->ring, m->at);
	}
	record_fill(ctx, m->rec, hook, seq, nr, task_current(), saved, m->in_ring);
	set_tries(hook, m->rec, tries);
	fetched = (__u32)fetch_long(ctx, m->rec, saved);
	if (time)
		*time = fetched & BP_FETCH_FILTERED ? 0 : m->rec->ts;
	waits = may_wait(hook, fetched, tries);
	if (waits)
		uncount_hit();
	dropped = waits || count_fetched(fetched) ? BP_SEAL_DROPPED : 0;
	end_shrunk(m, PATCH(BP_PATCH_LONG), PATCH(BP_PATCH_STRINGS) + (fetched >> BP_FETCH_USED_SHIFT), dropped);
	return waits;
full:
	if (time)
		*time = CAPTURE_LOST;
	count_lost();
	return false;
}

/*
 * The record has stacks: it was reserved for the longest ones, and keeps what they need. In the bits that @fetched has below its sizes is
 * what count_fetched() counts.
 */
static __always_inline void commit_shrunk(const struct making *m, __u64 fetched)
{
	__u64 flags = fetched & ((1 << BP_FETCH_USED_SHIFT) - 1), dropped = 0;

	if (flags && count_fetched(flags))
		dropped = BP_SEAL_DROPPED;
	end_shrunk(m, PATCH(BP_PATCH_SHORT), PATCH(BP_PATCH_STRINGS) + (fetched >> BP_FETCH_USED_SHIFT), dropped);
}

/* The number of this hit. If the program does not nest on a CPU, no other program uses this entry, so no atomics are needed. */
static __always_inline __u64 count_hit(struct bp_stat *stat, enum hook hook)
{
	__u64 seq;

	if (hook & MAY_NEST && PATCH(BP_PATCH_NESTS)) {
		__sync_fetch_and_add(&stat->hits, 1);
		return READ_SHARED(stat->hits);
	}
	seq = stat->hits + 1;
	stat->hits = seq;
	return seq;
}

/*
 * Makes the record of a hit. @time: NULL, or becomes the record's time stamp; CAPTURE_LOST: there was no room for the record; 0: it is no
 * hit, or the filter rejects it. @tries: 0, or BP_FETCH_AGAIN: the task has waited for its memory. True: it must wait; there is no record,
 * and the hit is not counted. @in_ring: see struct making.
 */
static __always_inline bool capture_in(bool in_ring, void *ctx, enum hook hook, const struct task_struct *task, struct bp_saved *saved,
				       __u64 *time, __u64 tries)
{
	__u64 nr = bpf_get_smp_processor_id(), seq, fetched;
	struct making m = { .in_ring = in_ring };
	struct bp_stat *stat;
	__u32 key;

	if (nr >= PATCH(BP_PATCH_CPUS))			/* never */
		return false;
	stat = stat_of(nr);
	key = READ_SHARED(stat->ring);
	if (!in_ring && PATCH(BP_PATCH_ONLY_COUNTS)) {	/* such hits are counted elsewhere: only those that get lost are in bp_stat.hits */
		if (key == BP_RING_NONE)
			return false;
		seq = 0;
		goto fill;
	}
	m.ring = bpf_map_lookup_elem(&bp_rings, &key);
	if (!m.ring)		/* nothing is to be recorded any more */
		return false;
	seq = count_hit(stat, hook);
fill:
	if (in_ring) {
		RING_RESERVE(m.ring, m.at, BP_PATCH_SHORT, full);
		m.rec = record_at(m.ring, m.at);
	} else {
		m.scratch = scratch_claim(nr);
		if (!m.scratch)
			goto full;
		m.rec = scratch_record(m.scratch);
	}
	record_fill(ctx, m.rec, hook, seq, nr, task, saved, in_ring);
	set_tries(hook, m.rec, tries);
	fetched = FETCH_SHORT(ctx, m.rec, saved);
	if (time)
		*time = m.rec->ts;
	if (!in_ring && fetched == BP_FETCH_COUNTED) {	/* what count_fetched() would do, without a call */
		count_back();
		scratch_release(m.scratch);
		return false;
	}
	if (fetched) {
		/* While the task waits for its memory, nobody may wait for its record. */
		if (may_wait(hook, fetched, tries)) {
			uncount_hit();
			drop_record(&m, PATCH(BP_PATCH_SHORT), PATCH64(BP_PATCH_SHORT_SEAL) ^ m.at);
			return true;
		}
		if (PATCH(BP_PATCH_LONG) && (fetched & BP_FETCH_FILLED))
			return capture_long(ctx, hook, &m, saved, time, tries);
		if (time && (fetched & BP_FETCH_FILTERED))
			*time = 0;
		if (PATCH(BP_PATCH_SHRINKS)) {
			commit_shrunk(&m, fetched);
			return false;
		}
		if (count_fetched(fetched)) {
			drop_record(&m, PATCH(BP_PATCH_SHORT), PATCH64(BP_PATCH_SHORT_SEAL) ^ m.at);
			return false;
		}
	}
	if (in_ring)
		ring_commit(m.ring, m.rec, m.at, PATCH64(BP_PATCH_SHORT_SEAL) ^ m.at, PATCH(BP_PATCH_SHORT));
	else
		scratch_end(&m, PATCH(BP_PATCH_SHORT), false);
	return false;
full:
	if (time)
		*time = CAPTURE_LOST;
	count_lost();
	return false;
}

/*
 * Two copies of the code, of which a program has one. With branches instead, the compiler would keep values of every record on the stack
 * that only records in scratch memory need.
 */
static __always_inline bool capture_try(void *ctx, enum hook hook, const struct task_struct *task, struct bp_saved *saved, __u64 *time,
					__u64 tries)
{
	if (PATCH(BP_PATCH_SCRATCH))
		return capture_in(false, ctx, hook, task, saved, time, tries);
	/* Both begin alike. The compiler must not move that in front of the test: user/gen/fold.c looks for a test behind its constant. */
	asm volatile("" : : "i"(BP_PATCH_SCRATCH));
	return capture_in(true, ctx, hook, task, saved, time, tries);
}

/* @time: as above. */
static __always_inline int capture_timed(void *ctx, enum hook hook, struct bp_saved *saved, __u64 *time)
{
	const struct task_struct *task;
	__u64 tries = 0;

	if (PATCH(BP_PATCH_PROBE) == BP_PATCH_PROBE)	/* only in the model */
		return 0;
	if (!(hook & NOT_SELF)) {
		task = task_current();
		if (PATCH(BP_PATCH_SELF) && is_self(task))
			return 0;
	}
	if (PATCH(BP_PATCH_COUNTS) && COUNT_HIT(ctx, saved))
		return 0;
	if (is_off())
		return 0;
	if (hook & NOT_SELF)		/* not before: what is counted does not need it */
		task = task_current();
	if (!(hook & MAY_WAIT)) {
		capture_try(ctx, hook, task, saved, time, 0);
		return 0;
	}
	asm volatile("" : "+r"(tries));			/* the compiler must not copy the code for the second try */
again:
	if (capture_try(ctx, hook, task, saved, time, tries) && PATCH(BP_PATCH_FAULTS_IN)) {
		fault_in(ctx);
		tries = BP_FETCH_AGAIN;
		/* clang may put this block in front of the loop; and old verifiers let only a jump go back (6.1: push_insn(), kernel/bpf/verifier.c) */
		asm volatile("if %0 < 1 goto +0" : "+r"(tries));	/* not ==, which user/gen/fold.c would fold away */
		goto again;
	}
	return 0;
}

static __always_inline int capture(void *ctx, enum hook hook, struct bp_saved *saved)
{
	return capture_timed(ctx, hook, saved, (void *)0);
}

#endif
