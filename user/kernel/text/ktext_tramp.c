// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktext_tramp.c - functions that a BPF trampoline itself calls.
 *
 * A trampoline calls __bpf_prog_enter*() before the program and __bpf_prog_exit*() after it. The guard against
 * recursion (struct bpf_prog, active) holds only between the two. These functions call others before they set the guard
 * and after they release it. If such a function has a trampoline, each call causes the next one, until the stack is
 * full. (6.12, kernel/bpf/trampoline.c, __bpf_prog_enter_recur(), __bpf_prog_exit_recur(), __bpf_tramp_enter(),
 * __bpf_tramp_exit().)
 *
 * The kernel's own list of such functions (btf_id_deny, kernel/bpf/verifier.c) differs between versions and is not
 * complete. So this file finds the calls in the running kernel's code, LEVELS deep: __bpf_prog_exit_recur() calls
 * __rcu_read_unlock(), which calls rcu_read_unlock_special(), and this one calls others in the same state. The search
 * stops where the recursion is known to end. The table below lists these functions, each with its reason; each was
 * tried in a guest (tests/guest/suites/hooks.sh). A function that is not in the table gets a kprobe, which works everywhere
 * and only costs more.
 *
 * Functions that a program's helpers call are a different case: there the guard holds. But each program has only its
 * own guard, and some of these functions run while a lock is held that every program takes: the lock of the ring
 * buffer. A second program there waits forever for its own CPU.
 */
#include <string.h>

#include "arch/kernel.h"
#include "base/macros.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext_priv.h"

enum { LEVELS = 3, LOCKER_LEVELS = 2, MAX_CALLEES = 64, MAX_DENIED = 256 };

/* The programs that bprobe attaches call these before the guard is set or after it is released. */
static const char *const roots[] = {
	"__bpf_prog_enter", "__bpf_prog_exit",			/* until 5.19 */
	"__bpf_prog_enter_recur", "__bpf_prog_exit_recur",	/* from 6.0 on */
	"__bpf_tramp_enter", "__bpf_tramp_exit",		/* at returns, from 5.13 on */
};

/*
 * Functions called by these may run under a lock that programs share: the bell's, a BPF ring buffer (6.12,
 * kernel/bpf/ringbuf.c, __bpf_ringbuf_reserve()), or that of an LRU hash map (kernel/bpf/bpf_lru_list.c).
 */
static const char *const lockers[] = {
	"bpf_ringbuf_reserve", "__bpf_ringbuf_reserve", "prealloc_lru_pop", "bpf_lru_pop_free", "bpf_lru_push_free",
};

/* The recursion ends at functions whose names begin with these, and so do the calls that they make. */
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
	KERNEL_THUNKS
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

/*
 * Adds the functions that the function at @func calls. False: another probe hides some of its code, or the code cannot
 * be read.
 */
static bool add_callees(struct ktext *kt, struct ktext_list *list, uint64_t func, unsigned *size)
{
	uint64_t callees[MAX_CALLEES], len;
	size_t nr;

	if (!ksyms_lookup(kt->ks, func, &len) || ktext_boundary(kt, func, func + len, NULL) != KTEXT_BOUNDARY)
		return false;
	nr = ktext_callees(kt, func, func + len, callees, MAX_CALLEES);
	for (size_t i = 0; i < nr; i++) {
		const struct ksym *sym = ksyms_lookup(kt->ks, callees[i], NULL);

		/*
		 * A direct call may skip a landing pad. A target without a symbol is a tracer's trampoline, called in place
		 * of the nop at the entry. A target further inside a function is a cold part.
		 */
		if (!sym || sym->module || callees[i] - sym->addr > ENTRY_PAD_SIZE || recursion_ends(sym->name) ||
		    is_listed(list, sym->addr))
			continue;
		ktext_list_add(kt, list, size, sym->addr);
	}
	return nr < MAX_CALLEES;
}

/*
 * Fills @list with the functions that the @nr functions called @names call, @levels deep. Functions that the kernel
 * does not have are ignored.
 */
static void read_calls(struct ktext *kt, struct ktext_list *list, const char *const *names, size_t nr, unsigned levels)
{
	size_t level = 0;
	unsigned size = 0;
	bool whole = true;

	list->asked = true;
	for (size_t i = 0; i < nr; i++) {
		uint64_t func = ktext_symbol(kt, names[i]);

		whole &= !func || add_callees(kt, list, func, &size);
	}
	/* Each level handles the functions that the level before it added. */
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

/* Reads struct btf_id_set (include/linux/btf_ids.h): a count, and BTF ids of 32 bits. */
static void read_set(struct ktext *kt, const char *name, struct ktext_list *list)
{
	uint64_t at = ktext_symbol(kt, name);
	uint32_t ids[MAX_DENIED], nr;
	unsigned size = 0;

	list->asked = true;
	list->known = ktext_object(kt, at, &nr, sizeof(nr)) && nr <= MAX_DENIED &&
		      ktext_object(kt, at + sizeof(nr), ids, nr * sizeof(*ids));
	for (uint32_t i = 0; list->known && i < nr; i++)
		ktext_list_add(kt, list, &size, ids[i]);
}

bool ktext_trampoline_denied(struct ktext *kt, uint32_t btf_id, bool is_return)
{
	static const char *const sets[] = { "btf_id_deny", "noreturn_deny" };

	for (unsigned i = 0; i < (is_return ? 2 : 1); i++) {
		if (!kt->denied[i].asked)
			read_set(kt, sets[i], &kt->denied[i]);
		if (is_listed(&kt->denied[i], btf_id))
			return true;
	}
	return false;
}
