/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kbtf.h - what the BTF of the kernel and its modules tells of functions and types.
 *
 * Read when first asked, and only then: parsing it costs more than everything
 * else that a definition without BTF names needs.
 */
#ifndef KERNEL_BTF_KBTF_H
#define KERNEL_BTF_KBTF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct kbtf;
struct btf;
struct btf_raw;

/* A type: its number in the kernel's BTF or in a module's. Valid as long as the kbtf. */
struct kbtf_id {
	const struct btf_raw *btf;
	uint32_t id;
};

enum kbtf_kind {
	KBTF_VOID,
	KBTF_INT,
	KBTF_ENUM,
	KBTF_PTR,
	KBTF_STRUCT,		/* or union */
	KBTF_ARRAY,
	KBTF_OTHER,
};

/* A type without its typedefs and qualifiers. */
struct kbtf_type {
	enum kbtf_kind kind;
	uint32_t size;		/* bytes; 0 where it has none */
	bool is_signed;		/* INT */
	bool is_char;		/* INT of one byte, not a bool */
	struct kbtf_id self;
	struct kbtf_id target;	/* PTR: what it points to; ARRAY: its elements */
};

struct kbtf_func {
	struct kbtf_id self;
	struct kbtf_id proto;
	struct kbtf_id ret;
	unsigned nr_params;
};

struct kbtf_member {
	struct kbtf_id type;
	uint32_t bit_off;	/* from the start of the structure that was asked */
	uint32_t bit_size;	/* 0: not a bit-field */
};

/*
 * @dir NULL: /sys/kernel/btf. Never fails but for memory (NULL): files are read by
 * the first question that needs them.
 */
struct kbtf *kbtf_open(const char *dir);
void kbtf_close(struct kbtf *kb);	/* NULL is fine */

/* Will a function of the kernel's called @name be asked for? Told before the first question it saves time. */
void kbtf_expect(struct kbtf *kb, const char *name);

/*
 * Frees what was read. Whatever a question has told (struct kbtf_id) is not valid any more; the next
 * question reads again.
 */
void kbtf_forget(struct kbtf *kb);

/* The kernel's own types; NULL: there is no BTF to ask. */
struct btf_raw *kbtf_raw(struct kbtf *kb);

/* The file that the types numbered as @btf does come from, by libbpf; NULL: it cannot be read. The caller frees neither. */
const struct btf *kbtf_libbpf(struct kbtf *kb, const struct btf_raw *btf);

/*
 * Finds function @name of @module ("vmlinux": of the kernel), or with NULL of the kernel,
 * then of any module.
 * 0; -ENOENT: no function of this name; -EOPNOTSUPP: there is no BTF to ask.
 */
int kbtf_find_func(struct kbtf *kb, const char *name, const char *module, struct kbtf_func *ret);

/* Parameter @i (from 0): its name ("" if it has none) and type. */
const char *kbtf_param(const struct kbtf_func *func, unsigned i, struct kbtf_id *ret_type);

void kbtf_describe(struct kbtf_id id, struct kbtf_type *ret);

/*
 * Finds the kernel's structure @name. 0, -ENOENT or -EOPNOTSUPP as above.
 */
int kbtf_find_struct(struct kbtf *kb, const char *name, struct kbtf_id *ret);

/* The kernel's type of this name, whatever its kind. 0, -ENOENT or -EOPNOTSUPP. */
int kbtf_find_type(struct kbtf *kb, const char *name, struct kbtf_id *ret);

/*
 * The number of the kernel's per-CPU variable @name: 0, -ENOENT or -EOPNOTSUPP.
 * (pahole lists per-CPU variables, and since 6.13 others, which are told apart by their section.)
 */
int kbtf_find_percpu(struct kbtf *kb, const char *name, struct kbtf_id *ret);

/* Finds @name in a structure or union, anonymous ones inside it included. 0 or -ENOENT. */
int kbtf_find_member(struct kbtf_id structure, const char *name, struct kbtf_member *ret);

/*
 * Is there one field @name, and no other, in the structures that are members of @structure? Appends what leads to it,
 * "__sk_common.skc_daddr".
 */
bool kbtf_find_inside(struct kbtf_id structure, const char *name, struct buf *path);

/* The member whose name looks most like @name, as C would find it; NULL: none does. */
const char *kbtf_similar_member(struct kbtf_id structure, const char *name);

/*
 * Does the verifier let a traced function's parameter (or return value) of this type be loaded as a number or an
 * address? Not where it points to a pointer, a function, an array, a number by another name, or a structure that
 * BTF does not describe (6.12, kernel/bpf/btf.c, btf_ctx_access(); later kernels take more).
 */
bool kbtf_is_loadable(struct kbtf_id type);

/* Is @name one of the kernel's enumeration @type? */
bool kbtf_has_enumerator(struct kbtf *kb, const char *type, const char *name);

/* Name of member @i of a structure, for suggestions; NULL behind the last. */
const char *kbtf_member_name(struct kbtf_id structure, unsigned i);

#endif
