/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trampoline.h - what a BPF trampoline cannot do, for the backends that attach by trampolines.
 */
#ifndef ATTACH_TRAMPOLINE_H
#define ATTACH_TRAMPOLINE_H

#include <stdbool.h>
#include <stdint.h>

struct facts;
struct features;
struct fetch;
struct kbtf_func;
struct plan;

/* Why this kernel has no trampolines; NULL: it has. */
const char *trampoline_missing(struct features *features);

/*
 * Why the kernel's function @name at @addr can have no trampoline at its entry or return, before its type is known; NULL: it can.
 * @facts->text must be there.
 */
const char *trampoline_place_trouble(const struct facts *facts, const char *name, uint64_t addr, bool is_return);

/* The same by its type: each parameter must come in one register, and BTF must describe this very function. */
const char *trampoline_type_trouble(const struct facts *facts, uint64_t addr, const struct kbtf_func *func, bool is_return);

/* The private part of a plan with a trampoline (plan.own). */
struct trampoline {
	uint32_t btf_id;		/* of the function; 0: there are many */
	unsigned nr_params;		/* of the function */
	unsigned by_helper;		/* bit n: parameter n (nr_params: the return value) cannot be loaded: it needs a helper */
	unsigned cast_func, cast_struct;	/* ... or for a parameter this cast (struct feature_ids); 0: the helper */
};

/* A context_word() for trampolines: the index of a parameter; the return value is behind the parameters. */
struct context_word trampoline_word(const struct plan *plan, const struct fetch *f);

/* What a program in a trampoline must print as the address of its hits: where a probe at the entry of the function at @addr is. */
uint64_t trampoline_seen(const struct facts *facts, uint64_t addr, bool is_return);

#endif
