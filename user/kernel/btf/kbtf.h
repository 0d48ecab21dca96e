/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kbtf.h - what the BTF of the kernel and its modules tells about functions and types.
 *
 * Files are read only when a question needs them: parsing BTF costs more than everything else that a definition without
 * BTF names needs.
 */
#ifndef KERNEL_BTF_KBTF_H
#define KERNEL_BTF_KBTF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct call_type;
struct kbtf;
struct btf;
struct btf_raw;

/* A type: its number in the BTF of the kernel or of a module. Valid as long as the kbtf. */
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
	uint32_t size;		/* bytes; 0 if it has no size */
	bool is_signed;		/* INT, ENUM */
	bool is_char;		/* INT of one byte, not a bool */
	struct kbtf_id self;
	struct kbtf_id target;	/* PTR: the type it points to; ARRAY: the type of its elements */
	uint32_t nr_elements;	/* ARRAY */
};

struct kbtf_func {
	struct kbtf_id self;
	struct kbtf_id proto;
	struct kbtf_id ret;
	unsigned nr_params;		/* without the "..." of a variadic function */
	bool is_variadic;
};

struct kbtf_member {
	struct kbtf_id type;
	uint32_t bit_off;	/* from the start of the structure that was searched */
	uint32_t bit_size;	/* 0: not a bit-field */
};

/* @dir NULL: /sys/kernel/btf. Never fails: the first question that needs a file reads it. */
struct kbtf *kbtf_open(const char *dir);
void kbtf_close(struct kbtf *kb);	/* NULL is fine */

/* Announces that the kernel's function @name will be asked for. This saves time if called before the first question. */
void kbtf_expect(struct kbtf *kb, const char *name);

/*
 * Frees all that was read. Every struct kbtf_id that was returned becomes invalid. The next question reads the files
 * again.
 */
void kbtf_forget(struct kbtf *kb);

/* The kernel's own types; NULL: there is no BTF. */
struct btf_raw *kbtf_raw(struct kbtf *kb);

/*
 * The number of the running kernel's BTF object whose types @btf has: bpf_btf_get_fd_by_id() gives the attach_btf_obj_fd for a
 * module's types. 0: not known (5.10 has no such objects; CAP_SYS_ADMIN is needed). Asks the kernel for all objects.
 */
uint32_t kbtf_object_id(struct kbtf *kb, const struct btf_raw *btf);

/* libbpf's reader of the file that contains @btf's types; NULL: it cannot be read. The caller frees neither. */
const struct btf *kbtf_libbpf(struct kbtf *kb, const struct btf_raw *btf);

/*
 * Finds function @name of @module ("vmlinux": the kernel). With @module NULL, searches the kernel first, then all
 * modules. 0; -ENOENT: no function has this name; -EOPNOTSUPP: there is no BTF.
 */
int kbtf_find_func(struct kbtf *kb, const char *name, const char *module, struct kbtf_func *ret);

/*
 * Finds the kernel's functions of many names at once. @ret has room for @nr functions; self.id is 0 where there is none. 0, or
 * -EOPNOTSUPP: there is no BTF.
 */
int kbtf_find_funcs(struct kbtf *kb, const char *const *names, unsigned nr, struct kbtf_func *ret);

/* Parameter @i (from 0): its name ("" if it has none) and type. */
const char *kbtf_param(const struct kbtf_func *func, unsigned i, struct kbtf_id *ret_type);

void kbtf_describe(struct kbtf_id id, struct kbtf_type *ret);

/* kbtf_call.c: what the calling convention asks about a type (arch/call.h). */
void kbtf_call_type(struct kbtf_id id, struct call_type *ret);

/*
 * Finds the kernel's structure @name. 0, -ENOENT or -EOPNOTSUPP as above.
 */
int kbtf_find_struct(struct kbtf *kb, const char *name, struct kbtf_id *ret);

/*
 * The structure or union @name, or the one that the typedef @name stands for. It is searched in @module (NULL: none), then in the
 * kernel, then in all modules. 0, -ENOENT or -EOPNOTSUPP (no BTF).
 */
int kbtf_find_composite(struct kbtf *kb, const char *name, const char *module, struct kbtf_id *ret);

/* The name of a structure or union that is most similar to @name, in the kernel or in a module whose BTF was read; NULL: none. */
const char *kbtf_similar_composite(struct kbtf *kb, const char *name);

/* The kernel's type called @name, of any kind. 0, -ENOENT or -EOPNOTSUPP. */
int kbtf_find_type(struct kbtf *kb, const char *name, struct kbtf_id *ret);

/*
 * Finds the type number of the kernel's per-CPU variable @name, and its size in bytes (@ret_size may be NULL). 0, -ENOENT or
 * -EOPNOTSUPP. (pahole lists per-CPU variables. Since 6.13 it lists others too; their section tells them apart.)
 */
int kbtf_find_percpu(struct kbtf *kb, const char *name, struct kbtf_id *ret, uint32_t *ret_size);

/* The type of the kernel's per-CPU variable @name. 0, -ENOENT or -EOPNOTSUPP. */
int kbtf_percpu_type(struct kbtf *kb, const char *name, struct kbtf_id *ret);

/* The type "pointer to @to", if the same BTF has one: a search through all of it. 0 or -ENOENT. */
int kbtf_find_pointer(struct kbtf_id to, struct kbtf_id *ret);

/* Finds @name in a structure or union, also in anonymous ones inside it. 0 or -ENOENT. */
int kbtf_find_member(struct kbtf_id structure, const char *name, struct kbtf_member *ret);

/*
 * Do the structures that are members of @structure have exactly one field called @name? Appends the path to it,
 * "__sk_common.skc_daddr".
 */
bool kbtf_find_inside(struct kbtf_id structure, const char *name, struct buf *path);

/* The member that C would find and whose name is most similar to @name; NULL: none is similar. */
const char *kbtf_similar_member(struct kbtf_id structure, const char *name);

/*
 * Does the verifier let a program load a traced function's parameter (or return value) of this type as a number or an
 * address? Not if it points to a pointer, a function, an array, a typedef of a number, or a structure that BTF does not
 * describe (6.12, kernel/bpf/btf.c, btf_ctx_access(); later kernels accept more).
 */
bool kbtf_is_loadable(struct kbtf_id type);

/*
 * The enumeration @name, or the one that the typedef @name stands for. It is searched in @module (NULL: none), then in the kernel,
 * then in all modules. 0, -ENOENT or -EOPNOTSUPP (no BTF).
 */
int kbtf_find_enum(struct kbtf *kb, const char *name, const char *module, struct kbtf_id *ret);

/*
 * The typedef @name, in @module only ("vmlinux": the kernel). With @module NULL, searches the kernel first, then all modules. 0,
 * -ENOENT, or -EOPNOTSUPP (no BTF).
 */
int kbtf_find_typedef(struct kbtf *kb, const char *name, const char *module, struct kbtf_id *ret);

/* The function that @type is, or points to: its parameters may have no names. @ret->self is @type. 0, or -ENOENT: it is none. */
int kbtf_find_proto(struct kbtf_id type, struct kbtf_func *ret);

/*
 * The name of constant @i (from 0) of an enumeration, and its value, extended to 64 bits as the enumeration's sign says. NULL
 * behind the last one, and for what is no enumeration.
 */
const char *kbtf_enumerator(struct kbtf_id type, unsigned i, uint64_t *ret);

/* Is @name a constant of the kernel's enumeration @type? */
bool kbtf_has_enumerator(struct kbtf *kb, const char *type, const char *name);

/* The name of a structure, union or enumeration, without its typedefs and qualifiers; "": it has none. */
const char *kbtf_name(struct kbtf_id id);

/* The name of member @i of a structure, for suggestions; NULL after the last member. */
const char *kbtf_member_name(struct kbtf_id structure, unsigned i);

#endif
