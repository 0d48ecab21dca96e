/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_place.h - how to write one of several functions that share a name.
 */
#ifndef PLAN_OWN_PLACE_H
#define PLAN_OWN_PLACE_H

#include <stdbool.h>

#include "base/arena.h"
#include "kernel/features.h"
#include "kernel/syms/ksyms.h"
#include "lang/ast.h"

/* Does @place of the kernel say which of several functions it means? kprobe_events does not know this: there it is an address. */
static inline bool place_is_own(const struct place *place)
{
	return place->symbol && !place->path && (place->addr || place->is_vmlinux);
}

/* The module of @sym, as ksyms_find() and kbtf_find_func() take it: "vmlinux" for the kernel itself. */
static inline const char *own_place_module(const struct ksym *sym)
{
	return sym->module ? sym->module : "vmlinux";
}

/* How many functions called @name @module has ("vmlinux": the kernel itself; NULL: both). */
size_t own_place_count(const struct ksyms *ks, const char *name, const char *module);

/*
 * May BTF have the prototype of another function in place of @sym's? It may if several functions of its module have its name, and the
 * kernel was not built to leave such functions out (FEATURE_BTF_CONSISTENT). @features may be NULL.
 */
bool own_place_is_mixed_up(const struct ksyms *ks, struct features *features, const struct ksym *sym);

/*
 * The place that means the function @sym and no other, in @arena: NAME, MODULE:NAME, vmlinux:NAME, or NAME@ADDRESS. NULL: nothing does,
 * because several functions have its name and the kernel hides their addresses.
 */
const char *own_place(struct arena *arena, const struct ksyms *ks, const struct ksym *sym);

#endif
