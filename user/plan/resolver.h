/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resolver.h - what the files of plan/ that resolve a definition share.
 */
#ifndef PLAN_RESOLVER_H
#define PLAN_RESOLVER_H

#include "kernel/kbtf.h"
#include "plan/plan.h"

struct resolver {
	struct arena *arena;
	const struct probe_def *def;
	const struct ksyms *ks;
	struct kbtf *btf;
	struct diag *diag;
	bool has_func;			/* BTF knows the probed function */
	struct kbtf_func func;
};

/* An expression resolved: how it is fetched, and what BTF says that it is. */
struct value {
	struct fetch fetch;
	bool is_memory;			/* its last step reads memory */
	bool has_btf;
	struct kbtf_type btf;
	uint8_t bit_off, bit_width;	/* a bit-field of a structure; width 0: none */
};

/* place.c: where the probe goes. */
int resolve_target(const struct resolver *r, struct target *ret);
int resolve_unknown_symbol(const struct resolver *r, const char *name, struct span at);

/* value.c: what an argument fetches. */
/* Adds a read: what @v has so far is an address, and what lies at @off from it is wanted. */
void value_follow(const struct resolver *r, struct value *v, int64_t off, bool user);
int resolve_value(const struct resolver *r, const struct arg *arg, struct value *ret);

/* type.c: how it is stored and printed; may add the step that a string needs. */
int resolve_type(const struct resolver *r, const struct arg *arg, struct value *value,
		 struct layout_field *ret);

#endif
