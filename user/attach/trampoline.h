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

/* A context_word() for trampolines: the index of a parameter; the return value is behind the @plan->nr_params parameters. */
unsigned trampoline_word(const struct plan *plan, const struct fetch *f);

/* What a program in a trampoline must print as the address of its hits: where a probe at the entry of the function at @addr is. */
uint64_t trampoline_seen(const struct facts *facts, uint64_t addr, bool is_return);

#endif
