/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kbtf.h - what the kernel's BTF tells of functions and types.
 *
 * Read when first asked, and only then: parsing it costs more than everything
 * else that a definition without BTF names needs. The one place that uses
 * libbpf's BTF reader.
 */
#ifndef KERNEL_KBTF_H
#define KERNEL_KBTF_H

#include <stdbool.h>
#include <stdint.h>

struct kbtf;

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
	uint32_t id;
	enum kbtf_kind kind;
	uint32_t size;		/* bytes; 0 where it has none */
	bool is_signed;		/* INT */
	uint32_t target;	/* PTR: what it points to; ARRAY: its elements; a type id */
	uint32_t count;		/* ARRAY */
};

struct kbtf_func {
	uint32_t proto;		/* type id of its prototype */
	unsigned nr_params;
	uint32_t ret;		/* type id of what it returns; 0: void */
};

/*
 * @path NULL: /sys/kernel/btf/vmlinux. Never fails but for memory (NULL): the file
 * is read by the first question.
 */
struct kbtf *kbtf_open(const char *path);
void kbtf_close(struct kbtf *kb);	/* NULL is fine */

/* 0; -ENOENT: no function of this name; -EOPNOTSUPP: there is no BTF to ask. */
int kbtf_find_func(struct kbtf *kb, const char *name, struct kbtf_func *ret);

/* @id must come from this kbtf. */
void kbtf_describe(const struct kbtf *kb, uint32_t id, struct kbtf_type *ret);

#endif
