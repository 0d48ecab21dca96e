/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktracepoints.h - the tracepoints of the kernel and its modules, with the arguments that they pass on.
 *
 * A tracepoint NAME has a function __traceiter_NAME, which calls what is registered, and from 6.5 on an empty function
 * __probestub_NAME (6.12, include/linux/tracepoint.h). They tell which tracepoints there are. BPF can be attached to those that
 * have a typedef btf_trace_NAME (include/trace/bpf_probe.h).
 */
#ifndef KERNEL_EVENTS_KTRACEPOINTS_H
#define KERNEL_EVENTS_KTRACEPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kernel/btf/kbtf.h"

struct ksyms;
struct ktracepoints;

struct ktracepoint_param {
	const char *name;	/* "": not known (5.10: those of 28 tracepoints, of power and clocks for example) */
	struct kbtf_id id;	/* as declared, with typedefs and qualifiers */
	struct kbtf_type type;	/* without them */
};

struct ktracepoint {
	const char *name;
	const char *module;	/* NULL: the kernel's own */
	/*
	 * The function on which ftrace's own t events are, and whose address they print: __probestub_NAME, before 6.5
	 * __traceiter_NAME. (ftrace prints the address that it hooks; with IBT, that is 4 bytes behind the function's.)
	 */
	const char *symbol;
	uint64_t addr;		/* of that function; 0: hidden */
	/*
	 * BPF_RAW_TRACEPOINT_OPEN knows it, by its name: a program of type raw_tp gets the arguments as 64-bit numbers. False:
	 * the kernel has no code for that (5.10: 11 tracepoints of the scheduler, 7.2: sched_set_state_tp).
	 */
	bool takes_bpf;
	/*
	 * The typedef btf_trace_NAME. Its number is the attach_btf_id of a program of type tp_btf, in the BTF of the kernel, or of
	 * @module: then kbtf_object_id() tells which object that is. Number 0: there is none.
	 */
	struct kbtf_id typedef_id;
	bool has_types;		/* the members below are known: BTF describes the tracepoint */
	unsigned nr_params;	/* without the first one, which is void *__data */
	const struct ktracepoint_param *params;
};

/* Reads nothing yet. Both must live as long as the result; either may be NULL. ktracepoints_close() frees. */
struct ktracepoints *ktracepoints_new(const struct ksyms *ks, struct kbtf *btf);
void ktracepoints_close(struct ktracepoints *t);	/* NULL is fine */

/* Announces that tracepoint @name will be asked for. This saves passes over BTF if called before the first question to @btf. */
void ktracepoint_expect(struct kbtf *btf, const char *name);

/*
 * Finds tracepoint @name of @module ("vmlinux": the kernel). With @module NULL, searches the kernel first, then all modules, as
 * ftrace does. 0; -ENOENT: there is none; -EOPNOTSUPP: there are no symbols. Names and params live in @arena, types as long as
 * BTF (kbtf_forget()).
 */
int ktracepoint_find(struct ktracepoints *t, struct arena *arena, const char *name, const char *module, struct ktracepoint *ret);

/* The parameter called @name; NULL: there is none. */
const struct ktracepoint_param *ktracepoint_param(const struct ktracepoint *tp, const char *name);

/*
 * Calls @take with each tracepoint, the kernel's first; @module is NULL for those. The names live until @take returns. It stops
 * when @take returns false. 0, or -EOPNOTSUPP as above.
 */
int ktracepoints_each(struct ktracepoints *t, bool (*take)(void *ctx, const char *name, const char *module), void *ctx);

/* Up to @max names of tracepoints that are similar to @name, in @arena, best first. Returns how many were found. */
unsigned ktracepoints_similar(struct ktracepoints *t, struct arena *arena, const char *name, const char **ret, unsigned max);

#endif
