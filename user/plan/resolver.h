/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resolver.h - what the files of plan/ that resolve a definition share.
 */
#ifndef PLAN_RESOLVER_H
#define PLAN_RESOLVER_H

#include "kernel/btf/kbtf.h"
#include "kernel/ksyscall.h"
#include "plan/plan.h"

/* What is known of the probed function's parameters and of what it returns. */
struct proto {
	bool known;			/* its parameters are */
	bool is_syscall;		/* they are in the struct pt_regs that the function gets */
	bool has_ret;
	unsigned nr_params;
	const char *const *names;	/* "" where one has none */
	const struct kbtf_type *types;
	struct kbtf_type ret;
};

struct resolver {
	struct arena *arena;
	const struct probe_def *def;
	const char *typed;		/* the function's name as it was typed; NULL: an address */
	const struct ksyms *ks;
	struct kbtf *btf;
	struct diag *diag;
	const struct facts *facts;
	struct ksyscall call;		/* .wrapper NULL: no system call was named */
	const struct rename *renamed;	/* the name that was typed is an old one; or NULL */
	struct proto proto;
	uint32_t expanded;		/* bytes that %pd and %pD so far stand for, in the kernel's own words */
};

/* An expression resolved: how it is fetched, and what BTF says that it is. */
struct value {
	struct fetch fetch;
	bool is_memory;			/* its last step reads memory */
	const char *no_trampoline;	/* --faithful: why the trampoline's address, which it is, is not known; or NULL */
	bool is_user;			/* what it points to is in user memory */
	bool has_btf;
	struct kbtf_type btf;
	uint8_t bit_off, bit_width;	/* a bit-field of a structure; width 0: none */
};

/* place.c: where the probe goes; may set r->call or r->renamed. */
int resolve_target(struct resolver *r, struct target *ret);
int resolve_unknown_symbol(const struct resolver *r, const char *name, struct span at);

/* resolve.c: as resolve_target(); r->def has the place then that this kernel has for the typed one. */
int resolve_place(struct resolver *r, struct target *ret);

/* check.c: whether the kernel will take it there. May set @t->doubt. */
int check_code(const struct resolver *r, struct target *t);

/* proto.c */
void proto_find(const struct resolver *r, struct proto *ret);

/* value.c: what an argument fetches. */
/* Adds what can be done where BTF does not tell the parameters. */
void resolve_note_registers(const struct resolver *r);

/* Adds a read: what @v has so far is an address, and what lies at @off from it is wanted. */
void value_follow(const struct resolver *r, struct value *v, int64_t off, bool user);
int resolve_value(const struct resolver *r, const struct arg *arg, struct value *ret);

/* type.c: how it is stored and printed; may add the step that a string needs. */
int resolve_type(struct resolver *r, const struct arg *arg, struct value *value,
		 struct layout_field *ret);

#endif
