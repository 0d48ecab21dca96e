// SPDX-License-Identifier: GPL-2.0-only
/*
 * kbtf.c - what the BTF of the kernel and its modules tells of functions and types.
 */
#include "kernel/kbtf.h"

#include <bpf/btf.h>
#include <dirent.h>
#include <errno.h>

#include "base/macros.h"

/* One file of /sys/kernel/btf with its functions by name. */
struct unit {
	struct unit *next;
	char *name;
	struct btf *btf;
	uint32_t *slots;		/* open addressing; 0: free, else a type's number */
	uint32_t mask;
};

struct kbtf {
	char *dir;
	bool tried, tried_modules;
	struct unit *vmlinux, *modules;
};

struct kbtf *kbtf_open(const char *dir)
{
	struct kbtf *kb = calloc(1, sizeof(*kb));

	if (kb)
		kb->dir = strdup(dir ? dir : "/sys/kernel/btf");
	return kb;
}

static void unit_close(struct unit *u)
{
	while (u) {
		struct unit *next = u->next;

		btf__free(u->btf);
		free(u->slots);
		free(u->name);
		free(u);
		u = next;
	}
}

void kbtf_close(struct kbtf *kb)
{
	if (!kb)
		return;
	unit_close(kb->modules);	/* they lean on the kernel's */
	unit_close(kb->vmlinux);
	free(kb->dir);
	free(kb);
}

/* ---- functions by name ---- */

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;	/* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static const char *type_name(const struct btf *btf, uint32_t id)
{
	return btf__name_by_offset(btf, btf__type_by_id(btf, id)->name_off);
}

static bool index_functions(struct unit *u, uint32_t first)
{
	uint32_t nr = btf__type_cnt(u->btf), size = 64;

	while (size < 2 * (nr - first))
		size *= 2;
	u->slots = calloc(size, sizeof(*u->slots));
	u->mask = size - 1;
	for (uint32_t id = first; u->slots && id < nr; id++) {
		uint32_t at;

		if (!btf_is_func(btf__type_by_id(u->btf, id)))
			continue;
		for (at = hash(type_name(u->btf, id)); u->slots[at & u->mask]; at++)
			;
		u->slots[at & u->mask] = id;
	}
	return u->slots;
}

static uint32_t find_function(const struct unit *u, const char *name)
{
	for (uint32_t at = hash(name); u->slots[at & u->mask]; at++) {
		uint32_t id = u->slots[at & u->mask];

		if (!strcmp(type_name(u->btf, id), name))
			return id;
	}
	return 0;
}

/* ---- files ---- */

static struct unit *unit_open(const struct kbtf *kb, const char *name, struct btf *base)
{
	struct unit *u = calloc(1, sizeof(*u));
	char *path = NULL;

	if (u && asprintf(&path, "%s/%s", kb->dir, name) > 0) {
		u->name = strdup(name);
		u->btf = base ? btf__parse_split(path, base) : btf__parse(path, NULL);
	}
	free(path);
	if (u && u->name && u->btf && index_functions(u, base ? btf__type_cnt(base) : 1))
		return u;
	unit_close(u);
	return NULL;
}

static bool load(struct kbtf *kb)
{
	if (!kb->tried && kb->dir)
		kb->vmlinux = unit_open(kb, "vmlinux", NULL);
	kb->tried = true;
	return kb->vmlinux;
}

/* 5.10 has no BTF of modules: the directory holds vmlinux only. */
static void load_modules(struct kbtf *kb)
{
	struct dirent *entry;
	DIR *dir;

	if (kb->tried_modules || !load(kb))
		return;
	kb->tried_modules = true;
	dir = opendir(kb->dir);
	while (dir && (entry = readdir(dir))) {
		struct unit *u;

		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		u = unit_open(kb, entry->d_name, kb->vmlinux->btf);
		if (u) {
			u->next = kb->modules;
			kb->modules = u;
		}
	}
	if (dir)
		closedir(dir);
}

/* ---- questions ---- */

static int describe_func(const struct unit *u, uint32_t id, struct kbtf_func *ret)
{
	uint32_t proto = btf__type_by_id(u->btf, id)->type;
	const struct btf_type *t = btf__type_by_id(u->btf, proto);

	if (!t || !btf_is_func_proto(t))
		return -ENOENT;
	*ret = (struct kbtf_func){
		.self = { u->btf, id },
		.proto = { u->btf, proto },
		.ret = { u->btf, t->type },
		.nr_params = btf_vlen(t),
	};
	return 0;
}

int kbtf_find_func(struct kbtf *kb, const char *name, const char *module, struct kbtf_func *ret)
{
	bool kernel = module && !strcmp(module, "vmlinux");
	uint32_t id;

	if (!load(kb))
		return -EOPNOTSUPP;
	id = !module || kernel ? find_function(kb->vmlinux, name) : 0;
	if (id)
		return describe_func(kb->vmlinux, id, ret);
	if (kernel)
		return -ENOENT;
	load_modules(kb);
	for (const struct unit *u = kb->modules; u; u = u->next) {
		id = !module || !strcmp(u->name, module) ? find_function(u, name) : 0;
		if (id)
			return describe_func(u, id, ret);
	}
	return -ENOENT;
}

const char *kbtf_param(const struct kbtf_func *func, unsigned i, struct kbtf_id *ret_type)
{
	const struct btf *btf = func->proto.btf;
	const struct btf_param *p = btf_params(btf__type_by_id(btf, func->proto.id)) + i;

	*ret_type = (struct kbtf_id){ btf, p->type };
	return btf__name_by_offset(btf, p->name_off);
}

static const struct btf_type *skip_qualifiers(struct kbtf_id *id)
{
	const struct btf_type *t = id->btf ? btf__type_by_id(id->btf, id->id) : NULL;

	while (t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t))) {
		id->id = t->type;
		t = btf__type_by_id(id->btf, id->id);
	}
	return t;
}

void kbtf_describe(struct kbtf_id id, struct kbtf_type *ret)
{
	const struct btf_type *t = skip_qualifiers(&id);

	*ret = (struct kbtf_type){ .self = id, .kind = KBTF_OTHER };
	if (!t || btf_is_void(t)) {
		ret->kind = KBTF_VOID;
	} else if (btf_is_int(t)) {
		ret->kind = KBTF_INT;
		ret->size = t->size;
		ret->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		ret->is_char = t->size == 1 && !(btf_int_encoding(t) & BTF_INT_BOOL);
	} else if (btf_is_any_enum(t)) {
		ret->kind = KBTF_ENUM;
		ret->size = t->size;
	} else if (btf_is_ptr(t)) {
		ret->kind = KBTF_PTR;
		ret->size = 8;
		ret->target = (struct kbtf_id){ id.btf, t->type };
	} else if (btf_is_composite(t)) {
		ret->kind = KBTF_STRUCT;
		ret->size = t->size;
	} else if (btf_is_array(t)) {
		ret->kind = KBTF_ARRAY;
		ret->target = (struct kbtf_id){ id.btf, btf_array(t)->type };
	}
}

int kbtf_find_struct(struct kbtf *kb, const char *name, struct kbtf_id *ret)
{
	int id;

	if (!load(kb))
		return -EOPNOTSUPP;
	id = btf__find_by_name_kind(kb->vmlinux->btf, name, BTF_KIND_STRUCT);
	if (id < 0)
		return -ENOENT;
	*ret = (struct kbtf_id){ kb->vmlinux->btf, (uint32_t)id };
	return 0;
}

int kbtf_find_type(struct kbtf *kb, const char *name, struct kbtf_id *ret)
{
	static const uint32_t kinds[] = { BTF_KIND_TYPEDEF, BTF_KIND_INT, BTF_KIND_STRUCT, BTF_KIND_UNION,
					  BTF_KIND_ENUM };
	int id = -1;

	if (!load(kb))
		return -EOPNOTSUPP;
	for (size_t i = 0; id < 0 && i < ARRAY_SIZE(kinds); i++)
		id = btf__find_by_name_kind(kb->vmlinux->btf, name, kinds[i]);
	if (id < 0)
		return -ENOENT;
	*ret = (struct kbtf_id){ kb->vmlinux->btf, (uint32_t)id };
	return 0;
}

static bool in_percpu_section(const struct btf *btf, uint32_t var)
{
	int id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (unsigned i = 0; t && i < btf_vlen(t); i++) {
		if (btf_var_secinfos(t)[i].type == var)
			return true;
	}
	return false;
}

int kbtf_find_percpu(struct kbtf *kb, const char *name, struct kbtf_id *ret)
{
	int id;

	if (!load(kb))
		return -EOPNOTSUPP;
	id = btf__find_by_name_kind(kb->vmlinux->btf, name, BTF_KIND_VAR);
	if (id < 0 || !in_percpu_section(kb->vmlinux->btf, (uint32_t)id))
		return -ENOENT;
	*ret = (struct kbtf_id){ kb->vmlinux->btf, (uint32_t)id };
	return 0;
}

int kbtf_find_member(struct kbtf_id structure, const char *name, struct kbtf_member *ret)
{
	const struct btf_type *t = skip_qualifiers(&structure);
	const struct btf *btf = structure.btf;

	if (!t || !btf_is_composite(t))
		return -ENOENT;
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *own = btf__name_by_offset(btf, m->name_off);
		struct kbtf_id type = { btf, m->type };
		struct kbtf_member inside;

		if (own && !strcmp(own, name)) {
			*ret = (struct kbtf_member){ type, btf_member_bit_offset(t, i),
						     btf_member_bitfield_size(t, i) };
			return 0;
		}
		/* Members of an anonymous one are named as if they stood here. */
		if ((!own || !*own) && !kbtf_find_member(type, name, &inside)) {
			inside.bit_off += btf_member_bit_offset(t, i);
			*ret = inside;
			return 0;
		}
	}
	return -ENOENT;
}

const char *kbtf_member_name(struct kbtf_id structure, unsigned i)
{
	const struct btf_type *t = skip_qualifiers(&structure);

	if (!t || !btf_is_composite(t) || i >= btf_vlen(t))
		return NULL;
	return btf__name_by_offset(structure.btf, btf_members(t)[i].name_off);
}
