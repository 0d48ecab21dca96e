// SPDX-License-Identifier: GPL-2.0-only
/*
 * kbtf_subset.c - the part of the kernel's types that a compiled BPF object names.
 */
#include "kernel/btf/kbtf_subset.h"

#include <bpf/btf.h>
#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/write_all.h"
#include "kernel/btf/btf_raw.h"

/* bprobe's programs name structures with some thousand members in all. */
enum { MAX_DEPTH = 32, MAX_TYPES = 1 << 18, KIND_ENUM64 = 19, NAME_SIZE = 64 };

struct subset {
	struct btf_raw *from;
	const struct btf *names;
	struct btf *to;
	unsigned nr_types;		/* types copied so far, including those that are parts of others */
	struct buf named;		/* pairs of uint32_t: a type's number in from, and in to */
};

static int copy_type(struct subset *s, uint32_t id, unsigned depth);
static int copy_whole(struct subset *s, uint32_t id, const struct btf_type *t, unsigned depth);

static int copy_int(struct subset *s, const struct btf_type *t)
{
	return btf__add_int(s->to, btf_raw_string(s->from, t->name_off), t->size, btf_int_encoding(t));
}

static int copy_array(struct subset *s, const struct btf_type *t, unsigned depth)
{
	const struct btf_array *a = btf_array(t);
	int index = copy_type(s, a->index_type, depth + 1), element = copy_type(s, a->type, depth + 1);

	return index < 0 || element < 0 ? -EINVAL : btf__add_array(s->to, index, element, a->nelems);
}

/* The number in the new file of type @id, if it is one that was asked for. */
static uint32_t named(const struct subset *s, uint32_t id)
{
	const uint32_t *pair = (const uint32_t *)(const void *)s->named.data;

	for (size_t i = 0; i < s->named.len / sizeof(*pair); i += 2) {
		if (pair[i] == id)
			return pair[i + 1];
	}
	return 0;
}

static int add_composite(struct subset *s, const struct btf_type *t)
{
	const char *name = btf_raw_string(s->from, t->name_off);

	return btf_is_struct(t) ? btf__add_struct(s->to, name, t->size) : btf__add_union(s->to, name, t->size);
}

/* Types must be written one after the other, each as a whole. So the types of all members are written first. */
static int copy_members(struct subset *s, const struct btf_type *t, unsigned depth)
{
	unsigned nr = btf_vlen(t);
	struct buf types = { 0 };
	int id = 0;

	for (unsigned i = 0; i < nr && id >= 0; i++) {
		id = copy_type(s, btf_members(t)[i].type, depth + 1);
		buf_add(&types, &id, sizeof(id));
	}
	if (id >= 0)
		id = add_composite(s, t);
	for (unsigned i = 0; i < nr && id >= 0; i++) {
		const struct btf_member *m = btf_members(t) + i;
		int type, err;

		memcpy(&type, types.data + i * sizeof(type), sizeof(type));
		err = btf__add_field(s->to, btf_raw_string(s->from, m->name_off), type, btf_member_bit_offset(t, i),
				     btf_member_bitfield_size(t, i));
		id = err ? err : id;
	}
	buf_fini(&types);
	return id;
}

static int copy_enum(struct subset *s, const struct btf_type *t)
{
	int id = btf__add_enum(s->to, btf_raw_string(s->from, t->name_off), t->size);

	for (unsigned i = 0; i < btf_vlen(t) && id >= 0; i++) {
		const struct btf_enum *e = btf_enum(t) + i;
		int err = btf__add_enum_value(s->to, btf_raw_string(s->from, e->name_off), e->val);

		id = err ? err : id;
	}
	return id;
}

/* The name that @t, one of s->names, asks for; false: none. Names that begin with bp_ are bprobe's own. */
static bool asked_name(const struct subset *s, const struct btf_type *t, char name[NAME_SIZE])
{
	const char *whole = btf__name_by_offset(s->names, t->name_off), *end = strstr(whole, "___");
	size_t len = end ? (size_t)(end - whole) : strlen(whole);

	if (!len || len >= NAME_SIZE || !strncmp(whole, "bp_", 3) || (!btf_is_composite(t) && !btf_is_enum(t)))
		return false;
	memcpy(name, whole, len);
	name[len] = '\0';
	return true;
}

static bool is_asked(const struct subset *s, const struct btf_type *t)
{
	const char *wanted = btf_raw_string(s->from, t->name_off);
	char name[NAME_SIZE];

	for (uint32_t id = 1; id < btf__type_cnt(s->names); id++) {
		const struct btf_type *of = btf__type_by_id(s->names, id);

		if (btf_kind(of) == btf_kind(t) && asked_name(s, of, name) && !strcmp(name, wanted))
			return true;
	}
	return false;
}

/* Copies a structure inside another one. The members of an anonymous one belong to the outer one. */
static int copy_composite(struct subset *s, uint32_t id, const struct btf_type *t, unsigned depth)
{
	if (!t->name_off)
		return copy_members(s, t, depth);
	return is_asked(s, t) ? copy_whole(s, id, t, depth) : add_composite(s, t);
}

/* Copies a type that is a part of another one. Number 0 is void. */
static int copy_type(struct subset *s, uint32_t id, unsigned depth)
{
	const struct btf_type *t = btf_raw_bare(s->from, &id);

	if (!t || depth > MAX_DEPTH || ++s->nr_types > MAX_TYPES)
		return -EINVAL;
	switch (btf_kind(t)) {
	case BTF_KIND_UNKN:
		return 0;
	case BTF_KIND_INT:
		return copy_int(s, t);
	case BTF_KIND_PTR:
		return btf__add_ptr(s->to, 0);
	case BTF_KIND_ARRAY:
		return copy_array(s, t, depth);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_composite(s, id, t, depth);
	case BTF_KIND_FLOAT:
		return btf__add_float(s->to, btf_raw_string(s->from, t->name_off), t->size);
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		return btf__add_enum(s->to, NULL, t->size);
	default:
		return 0;
	}
}

/* Copies type @id as a whole, only once. */
static int copy_whole(struct subset *s, uint32_t id, const struct btf_type *t, unsigned depth)
{
	uint32_t pair[2] = { id, named(s, id) };
	int new;

	if (pair[1])
		return (int)pair[1];
	new = btf_is_enum(t) ? copy_enum(s, t) : copy_members(s, t, depth);
	if (new >= 0) {
		pair[1] = (uint32_t)new;
		buf_add(&s->named, pair, sizeof(pair));
	}
	return new;
}

static int copy_all(struct subset *s)
{
	int err = 0;

	for (uint32_t id = 1; id < btf__type_cnt(s->names) && err >= 0; id++) {
		const struct btf_type *t = btf__type_by_id(s->names, id);
		char name[NAME_SIZE];
		uint32_t from;

		if (!asked_name(s, t, name))
			continue;
		from = btf_raw_find(s->from, name, btf_kind(t), NULL);
		if (from)
			err = copy_whole(s, from, btf_raw_type(s->from, from), 0);
	}
	return MIN(err, 0);
}

int kbtf_write_subset(struct kbtf *kb, const struct btf *names, int fd)
{
	struct btf_raw *from = kbtf_raw(kb);
	struct subset s = { .from = from, .names = names, .to = from ? btf__new_empty() : NULL };
	int err = s.to ? copy_all(&s) : -ENOENT;
	const void *data = NULL;
	uint32_t len;

	if (!err)
		data = btf__raw_data(s.to, &len);
	if (!err)
		err = data ? write_all(fd, data, len) : -ENOMEM;
	btf__free(s.to);
	buf_fini(&s.named);
	return err;
}
