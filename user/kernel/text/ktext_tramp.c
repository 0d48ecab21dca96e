// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktext_tramp.c - functions that a BPF trampoline calls by itself.
 *
 * A trampoline calls __bpf_prog_enter*() before the program and __bpf_prog_exit*() after it. The guard against
 * recursion (struct bpf_prog, active) holds only between the two. What they call before the guard is set and
 * after it is released is called without it: with a trampoline on such a function each call makes the next one,
 * until the stack is full. (6.12, kernel/bpf/trampoline.c, __bpf_prog_enter_recur(), __bpf_prog_exit_recur(),
 * __bpf_tramp_enter(), __bpf_tramp_exit().)
 *
 * The kernel's own list of such functions (btf_id_deny, kernel/bpf/verifier.c) differs from version to version
 * and is not complete, so the calls are read in the running kernel's code, LEVELS deep: __bpf_prog_exit_recur()
 * calls __rcu_read_unlock(), that calls rcu_read_unlock_special(), and what this one calls is called with the same
 * state, too. Where the recursion is known to end the walk stops: those are in the table below, each with its
 * reason and tried in a guest (tests/guest/hooks.sh). A function that is not in the table gets a kprobe, which
 * works everywhere and only costs more.
 *
 * What a program's helpers call is another matter: there the guard holds. But each program has a guard of its own
 * only, and some of these functions run while a lock is held that every program takes: the lock of the ring. A second
 * program there waits for its own CPU for ever.
 */
#include <string.h>

#include "base/macros.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext_priv.h"

enum { LEVELS = 3, LOCKER_LEVELS = 2, MAX_CALLEES = 64 };

/* Called before the guard is set or after it is released, by the programs that bprobe attaches. */
static const char *const roots[] = {
	"__bpf_prog_enter", "__bpf_prog_exit",			/* until 5.19 */
	"__bpf_prog_enter_recur", "__bpf_prog_exit_recur",	/* from 6.0 on */
	"__bpf_tramp_enter", "__bpf_tramp_exit",		/* at returns, from 5.13 on */
};

/*
 * What they call may run under a lock that programs share: the ring's (6.12, kernel/bpf/ringbuf.c,
 * __bpf_ringbuf_reserve()), and that of a hash map which forgets (kernel/bpf/bpf_lru_list.c).
 */
static const char *const lockers[] = {
	"bpf_ringbuf_reserve", "__bpf_ringbuf_reserve", "prealloc_lru_pop", "bpf_lru_pop_free", "bpf_lru_push_free",
};

/* Begins with these: the recursion ends there, and so does all behind it. */
static const struct {
	const char *prefix;
	const char *why;
} ends[] = {
	{ "__set_cpus_allowed_ptr", "the task still counts as migration_disabled, so a nested migrate_enable() only counts" },
	{ "task_rq_lock", "as above: 6.1's migrate_enable() has it inline" },
	{ "_task_rq_lock", "as above" },
	{ "preempt_schedule", "preemption is off in what it calls, so a nested preempt_enable() does not schedule" },
	{ "__SCT__preempt_schedule", "a static call to that" },
	{ "update_prog_stats", "it is called with the guard set" },
	{ "sched_clock", "it is called with the guard set" },
	{ "__warn_printk", "a warning is printed once" },
	{ "__stack_chk_fail", "the kernel panics" },
	{ "__x86_", "a thunk: an indirect call or a return" },
	{ "__pi___x86_", "a thunk" },
};

static bool recursion_ends(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (!strncmp(name, ends[i].prefix, strlen(ends[i].prefix)))
			return true;
	}
	return false;
}

static bool is_listed(const struct ktext_list *list, uint64_t addr)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->addr[i] == addr)
			return true;
	}
	return false;
}

/* Adds what the function at @func calls. False: another probe hides some of its code, or it cannot be read. */
static bool add_callees(struct ktext *kt, struct ktext_list *list, uint64_t func, size_t *size)
{
	uint64_t callees[MAX_CALLEES], len;
	size_t nr;

	if (!ksyms_lookup(kt->ks, func, &len) || ktext_boundary(kt, func, func + len, NULL) != KTEXT_BOUNDARY)
		return false;
	nr = ktext_callees(kt, func, func + len, callees, MAX_CALLEES);
	for (size_t i = 0; i < nr; i++) {
		const struct ksym *sym = ksyms_lookup(kt->ks, callees[i], NULL);

		/*
		 * A direct call may skip an ENDBR. Without a symbol it is a tracer's trampoline in place of the
		 * nop at the entry; further inside it is a cold part.
		 */
		if (!sym || sym->module || callees[i] - sym->addr > 4 || recursion_ends(sym->name) ||
		    is_listed(list, sym->addr))
			continue;
		ktext_list_add(kt, list, size, sym->addr);
	}
	return nr < MAX_CALLEES;
}

/* Makes @list of what the @nr functions called @names call, @levels deep. Those that the kernel has not are left out. */
static void read_calls(struct ktext *kt, struct ktext_list *list, const char *const *names, size_t nr, unsigned levels)
{
	size_t size = 0, level = 0;
	bool whole = true;

	list->asked = true;
	for (size_t i = 0; i < nr; i++) {
		uint64_t func = ktext_symbol(kt, names[i]);

		whole &= !func || add_callees(kt, list, func, &size);
	}
	/* Each level is what the one before it added. */
	while (--levels) {
		for (size_t end = list->nr; level < end; level++)
			whole &= add_callees(kt, list, list->addr[level], &size);
	}
	list->known = whole && list->nr;
}

bool ktext_trampoline_calls(struct ktext *kt, uint64_t func, bool *ret_known)
{
	if (!kt->tramp.asked)
		read_calls(kt, &kt->tramp, roots, ARRAY_SIZE(roots), LEVELS);
	*ret_known = kt->tramp.known;
	return is_listed(&kt->tramp, func);
}

bool ktext_under_lock(struct ktext *kt, uint64_t func, bool *ret_known)
{
	if (!kt->locked.asked)
		read_calls(kt, &kt->locked, lockers, ARRAY_SIZE(lockers), LOCKER_LEVELS);
	*ret_known = kt->locked.known;
	return is_listed(&kt->locked, func);
}
