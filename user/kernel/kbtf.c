// SPDX-License-Identifier: GPL-2.0-only
/*
 * kbtf.c - what the kernel's BTF tells of functions and types.
 */
#include "kernel/kbtf.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kbtf {
	const char *path;
	struct btf *btf;
	bool tried;
};

struct kbtf *kbtf_open(const char *path)
{
	struct kbtf *kb = calloc(1, sizeof(*kb));

	if (kb)
		kb->path = path ? path : "/sys/kernel/btf/vmlinux";
	return kb;
}

void kbtf_close(struct kbtf *kb)
{
	if (!kb)
		return;
	btf__free(kb->btf);
	free(kb);
}

static bool load(struct kbtf *kb)
{
	if (!kb->tried) {
		kb->tried = true;
		kb->btf = btf__parse(kb->path, NULL);
	}
	return kb->btf;
}

int kbtf_find_func(struct kbtf *kb, const char *name, struct kbtf_func *ret)
{
	const struct btf_type *t;
	int id;

	if (!load(kb))
		return -EOPNOTSUPP;
	id = btf__find_by_name_kind(kb->btf, name, BTF_KIND_FUNC);
	if (id < 0)
		return -ENOENT;
	t = btf__type_by_id(kb->btf, btf__type_by_id(kb->btf, (uint32_t)id)->type);
	if (!t || !btf_is_func_proto(t))
		return -ENOENT;
	*ret = (struct kbtf_func){
		.proto = btf__type_by_id(kb->btf, (uint32_t)id)->type,
		.nr_params = btf_vlen(t),
		.ret = t->type,
	};
	return 0;
}

static const struct btf_type *skip_qualifiers(const struct btf *btf, uint32_t *id)
{
	const struct btf_type *t = btf__type_by_id(btf, *id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t))) {
		*id = t->type;
		t = btf__type_by_id(btf, *id);
	}
	return t;
}

void kbtf_describe(const struct kbtf *kb, uint32_t id, struct kbtf_type *ret)
{
	const struct btf_type *t = skip_qualifiers(kb->btf, &id);

	*ret = (struct kbtf_type){ .id = id, .kind = KBTF_OTHER };
	if (!t || btf_is_void(t)) {
		ret->kind = KBTF_VOID;
	} else if (btf_is_int(t)) {
		ret->kind = KBTF_INT;
		ret->size = t->size;
		ret->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
	} else if (btf_is_any_enum(t)) {
		ret->kind = KBTF_ENUM;
		ret->size = t->size;
	} else if (btf_is_ptr(t)) {
		ret->kind = KBTF_PTR;
		ret->size = 8;
		ret->target = t->type;
	} else if (btf_is_composite(t)) {
		ret->kind = KBTF_STRUCT;
		ret->size = t->size;
	} else if (btf_is_array(t)) {
		ret->kind = KBTF_ARRAY;
		ret->target = btf_array(t)->type;
		ret->count = btf_array(t)->nelems;
	}
}
