// SPDX-License-Identifier: GPL-2.0-only
/*
 * kbtf.c - what the BTF of the kernel and its modules tells about functions and types.
 */
#include "kernel/btf/kbtf.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <dirent.h>
#include <errno.h>

#include "arch/kernel.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/edits.h"
#include "base/macros.h"
#include "base/memory.h"
#include "kernel/btf/btf_check.h"
#include "kernel/btf/btf_raw.h"

/* One file of /sys/kernel/btf. */
struct unit {
	struct unit *next;
	char *name;
	struct btf_raw *btf;
	struct btf *libbpf;		/* the same file, read again by libbpf for kbtf_print.c */
};

/*
 * Names that are needed on nearly every kernel: by features.c, ktask.c, ktext_lists.c, and by the programs in bpf/.
 * They are listed here so that one pass over the types finds all of them: each further pass costs a tenth of a start.
 */
static const char *const likely[] = {
	"bpf_prog", KERNEL_BTF_NAMES ".data..percpu", "bpf_rdonly_cast", "bpf_attach_type", "bpf_attr", "bpf_session_is_return",
	"bpf_session_cookie",
	"kprobe", "kprobe_blacklist_entry", "ftrace_page", "dyn_ftrace", "jump_entry", "static_call_site", "bug_entry",
	"task_struct", "thread_info", "hlist_node", "hlist_head", "kretprobe_instance", "llist_node", "llist_head",
	"rethook_node", "pt_regs", "bpf_func_id", "raw_args", "cred", "nsproxy", "mnt_namespace", "pid",
	"pid_namespace", "module", "mod_kallsyms", "ftrace_ops", "bpf_ksym", "kprobe_insn_cache", "kprobe_insn_page",
	"uprobe_task", "uprobe_dispatch_data", "bpf_htab", SYSCALL_WRAPPER "close", "trace_call_bpf_faultable",
	"bpf_iter_task_vma_new", "bpf_iter_task_vma_next", "bpf_iter_task_vma_destroy", "vm_area_struct",
	"dentry", "qstr", "hlist_bl_node", "dentry_operations", "super_block", "inode", "vfsmount", "mount", "path", "fs_struct", "proc_ns_operations",
	"ns_common", "dma_buf",
	NULL
};

struct kbtf {
	char *dir;
	bool tried, tried_modules;
	struct unit *vmlinux, *modules;
};

struct kbtf *kbtf_open(const char *dir)
{
	struct kbtf *kb = must(calloc(1, sizeof(*kb)));

	kb->dir = must(strdup(dir ? dir : "/sys/kernel/btf"));
	return kb;
}

static void unit_close(struct unit *u)
{
	while (u) {
		struct unit *next = u->next;

		btf__free(u->libbpf);
		btf_raw_close(u->btf);
		free(u->name);
		free(u);
		u = next;
	}
}

void kbtf_forget(struct kbtf *kb)
{
	unit_close(kb->modules);	/* they refer to the kernel's */
	unit_close(kb->vmlinux);
	kb->modules = NULL;
	kb->vmlinux = NULL;
	kb->tried = false;
	kb->tried_modules = false;
}

void kbtf_close(struct kbtf *kb)
{
	if (!kb)
		return;
	kbtf_forget(kb);
	free(kb->dir);
	free(kb);
}

/* ---- files ---- */

static struct unit *unit_open(const struct kbtf *kb, const char *name, const struct btf_raw *base)
{
	struct unit *u = must(calloc(1, sizeof(*u)));
	struct buf path = { 0 };

	buf_addf(&path, "%s/%s", kb->dir, name);
	*u = (struct unit){ .name = must(strdup(name)), .btf = btf_raw_open(buf_str(&path), base) };
	buf_fini(&path);
	if (u->btf)
		return u;
	unit_close(u);
	return NULL;
}

static bool load(struct kbtf *kb)
{
	if (!kb->tried)
		kb->vmlinux = unit_open(kb, "vmlinux", NULL);
	kb->tried = true;
	return kb->vmlinux;
}

/* 5.10 has no BTF of modules: its directory contains only vmlinux. */
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

void kbtf_expect(struct kbtf *kb, const char *name)
{
	if (load(kb))
		btf_raw_expect(kb->vmlinux->btf, name);
}

struct btf_raw *kbtf_raw(struct kbtf *kb)
{
	return load(kb) ? kb->vmlinux->btf : NULL;
}

static const struct btf *parse_by_libbpf(struct kbtf *kb, struct unit *u)
{
	const struct btf *base = u == kb->vmlinux ? NULL : parse_by_libbpf(kb, kb->vmlinux);
	struct buf path = { 0 };

	/* libbpf trusts the file, so check it first. */
	if (!u->libbpf && (base || u == kb->vmlinux) && btf_check_file(u->btf)) {
		buf_addf(&path, "%s/%s", kb->dir, u->name);
		u->libbpf = base ? btf__parse_split(buf_str(&path), (struct btf *)base) : btf__parse(buf_str(&path), NULL);
		buf_fini(&path);
	}
	return u->libbpf;
}

static bool is_object(uint32_t id, const char *name)
{
	char own[64] = "";		/* MODULE_NAME_LEN */
	struct bpf_btf_info info = { .name = (uint64_t)(uintptr_t)own, .name_len = sizeof(own) };
	uint32_t len = sizeof(info);
	auto_fd fd = bpf_btf_get_fd_by_id(id);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf && !strcmp(own, name);
}

uint32_t kbtf_object_id(struct kbtf *kb, const struct btf_raw *btf)
{
	const struct unit *u = kb->vmlinux && kb->vmlinux->btf == btf ? kb->vmlinux : kb->modules;
	uint32_t id = 0;

	while (u && u->btf != btf)
		u = u->next;
	while (u && !bpf_btf_get_next_id(id, &id)) {
		if (is_object(id, u->name))
			return id;
	}
	return 0;
}

const struct btf *kbtf_libbpf(struct kbtf *kb, const struct btf_raw *btf)
{
	struct unit *u = kb->modules;

	if (kb->vmlinux && kb->vmlinux->btf == btf)
		return parse_by_libbpf(kb, kb->vmlinux);
	while (u && u->btf != btf)
		u = u->next;
	return u ? parse_by_libbpf(kb, u) : NULL;
}

/* ---- questions ---- */

/* BTF has the "..." of a variadic function as a last parameter without name and type (Documentation/bpf/btf.rst, 2.2.13). */
static bool is_variadic(const struct btf_type *proto)
{
	unsigned nr = btf_vlen(proto);

	return nr && !btf_params(proto)[nr - 1].type && !btf_params(proto)[nr - 1].name_off;
}

static int describe_func(const struct unit *u, uint32_t id, struct kbtf_func *ret)
{
	uint32_t proto = btf_raw_type(u->btf, id)->type;
	const struct btf_type *t = btf_raw_type(u->btf, proto);

	if (!t || !btf_is_func_proto(t))
		return -ENOENT;
	*ret = (struct kbtf_func){
		.self = { u->btf, id },
		.proto = { u->btf, proto },
		.ret = { u->btf, t->type },
		.nr_params = btf_vlen(t) - is_variadic(t),
		.is_variadic = is_variadic(t),
	};
	return 0;
}

int kbtf_find_func(struct kbtf *kb, const char *name, const char *module, struct kbtf_func *ret)
{
	bool kernel = module && !strcmp(module, "vmlinux");
	uint32_t id;

	if (!load(kb))
		return -EOPNOTSUPP;
	id = !module || kernel ? btf_raw_find(kb->vmlinux->btf, name, BTF_KIND_FUNC, likely) : 0;
	if (id)
		return describe_func(kb->vmlinux, id, ret);
	if (kernel)
		return -ENOENT;
	load_modules(kb);
	for (const struct unit *u = kb->modules; u; u = u->next) {
		id = !module || !strcmp(u->name, module) ? btf_raw_find(u->btf, name, BTF_KIND_FUNC, NULL) : 0;
		if (id)
			return describe_func(u, id, ret);
	}
	return -ENOENT;
}

int kbtf_find_funcs(struct kbtf *kb, const char *const *names, unsigned nr, struct kbtf_func *ret)
{
	struct arena arena = { 0 };
	uint32_t *ids;

	if (!load(kb))
		return -EOPNOTSUPP;
	ids = arena_array(&arena, uint32_t, nr);
	btf_raw_find_functions(kb->vmlinux->btf, names, nr, ids);
	for (unsigned i = 0; i < nr; i++) {
		if (!ids[i] || describe_func(kb->vmlinux, ids[i], &ret[i]))
			ret[i] = (struct kbtf_func){ 0 };
	}
	arena_fini(&arena);
	return 0;
}

const char *kbtf_param(const struct kbtf_func *func, unsigned i, struct kbtf_id *ret_type)
{
	const struct btf_raw *btf = func->proto.btf;
	const struct btf_param *p = btf_params(btf_raw_type(btf, func->proto.id)) + i;

	*ret_type = (struct kbtf_id){ btf, p->type };
	return btf_raw_string(btf, p->name_off);
}

static const struct btf_type *bare(struct kbtf_id *id)
{
	return id->btf ? btf_raw_bare(id->btf, &id->id) : NULL;
}

/* Compilers make no other sizes. */
static bool is_register_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

void kbtf_describe(struct kbtf_id id, struct kbtf_type *ret)
{
	const struct btf_type *t = bare(&id);

	*ret = (struct kbtf_type){ .self = id, .kind = KBTF_OTHER };
	if (!id.btf || (t && btf_is_void(t))) {
		ret->kind = KBTF_VOID;
	} else if (!t) {
		return;
	} else if (btf_is_int(t) && (is_register_size(t->size) || t->size == 16)) {
		ret->kind = KBTF_INT;
		ret->size = t->size;
		ret->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		ret->is_char = t->size == 1 && !(btf_int_encoding(t) & BTF_INT_BOOL);
	} else if (btf_is_any_enum(t) && is_register_size(t->size)) {
		ret->kind = KBTF_ENUM;
		ret->size = t->size;
		ret->is_signed = btf_kflag(t);
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
		ret->nr_elements = btf_array(t)->nelems;
	}
}

int kbtf_find_struct(struct kbtf *kb, const char *name, struct kbtf_id *ret)
{
	uint32_t id;

	if (!load(kb))
		return -EOPNOTSUPP;
	id = btf_raw_find(kb->vmlinux->btf, name, BTF_KIND_STRUCT, likely);
	if (!id)
		return -ENOENT;
	*ret = (struct kbtf_id){ kb->vmlinux->btf, id };
	return 0;
}

int kbtf_find_type(struct kbtf *kb, const char *name, struct kbtf_id *ret)
{
	static const uint32_t kinds[] = { BTF_KIND_TYPEDEF, BTF_KIND_INT, BTF_KIND_STRUCT, BTF_KIND_UNION,
					  BTF_KIND_ENUM };
	uint32_t id = 0;

	if (!load(kb))
		return -EOPNOTSUPP;
	for (size_t i = 0; !id && i < ARRAY_SIZE(kinds); i++)
		id = btf_raw_find(kb->vmlinux->btf, name, kinds[i], likely);
	if (!id)
		return -ENOENT;
	*ret = (struct kbtf_id){ kb->vmlinux->btf, id };
	return 0;
}

/* The variable's bytes; 0: it is in another section. */
static uint32_t size_in_percpu_section(struct btf_raw *btf, uint32_t var)
{
	uint32_t id = btf_raw_find(btf, ".data..percpu", BTF_KIND_DATASEC, likely);
	const struct btf_type *t = id ? btf_raw_type(btf, id) : NULL;

	for (unsigned i = 0; t && i < btf_vlen(t); i++) {
		if (btf_var_secinfos(t)[i].type == var)
			return btf_var_secinfos(t)[i].size;
	}
	return 0;
}

int kbtf_find_percpu(struct kbtf *kb, const char *name, struct kbtf_id *ret, uint32_t *ret_size)
{
	uint32_t id, size;

	if (!load(kb))
		return -EOPNOTSUPP;
	id = btf_raw_find(kb->vmlinux->btf, name, BTF_KIND_VAR, likely);
	size = id ? size_in_percpu_section(kb->vmlinux->btf, id) : 0;
	if (!size)
		return -ENOENT;
	if (ret_size)
		*ret_size = size;
	*ret = (struct kbtf_id){ kb->vmlinux->btf, id };
	return 0;
}

int kbtf_percpu_type(struct kbtf *kb, const char *name, struct kbtf_id *ret)
{
	int err = kbtf_find_percpu(kb, name, ret, NULL);

	if (!err)
		ret->id = btf_raw_type(ret->btf, ret->id)->type;
	return err;
}

int kbtf_find_pointer(struct kbtf_id to, struct kbtf_id *ret)
{
	if (!to.btf)
		return -ENOENT;
	for (uint32_t id = btf_raw_first(to.btf); id < btf_raw_count(to.btf); id++) {
		const struct btf_type *t = btf_raw_type(to.btf, id);

		if (t && btf_is_ptr(t) && t->type == to.id) {
			*ret = (struct kbtf_id){ to.btf, id };
			return 0;
		}
	}
	return -ENOENT;
}

/*
 * C requires at least this depth of nested structures (C11, 5.2.4.1: 63). No kernel's structure has nearly
 * MEMBERS_MAX members.
 */
enum { INSIDE_MAX = 63, MEMBERS_MAX = 1 << 20, BITS_MAX = 64 };

/* @members: how many more members may be looked at. */
static int find_member(struct kbtf_id structure, const char *name, unsigned depth, unsigned *members,
		       struct kbtf_member *ret)
{
	const struct btf_type *t = bare(&structure);
	const struct btf_raw *btf = structure.btf;

	if (!t || !btf_is_composite(t) || depth > INSIDE_MAX)
		return -ENOENT;
	for (unsigned i = 0; i < btf_vlen(t) && *members; i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *own = btf_raw_string(btf, m->name_off);
		struct kbtf_id type = { btf, m->type };
		struct kbtf_member inside;

		--*members;
		if (*own && !strcmp(own, name) && btf_member_bitfield_size(t, i) <= BITS_MAX) {
			*ret = (struct kbtf_member){ type, btf_member_bit_offset(t, i),
						     btf_member_bitfield_size(t, i) };
			return 0;
		}
		/* The members of an anonymous structure are named as if they were here. */
		if (!*own && !find_member(type, name, depth + 1, members, &inside)) {
			inside.bit_off += btf_member_bit_offset(t, i);
			*ret = inside;
			return 0;
		}
	}
	return -ENOENT;
}

int kbtf_find_member(struct kbtf_id structure, const char *name, struct kbtf_member *ret)
{
	unsigned members = MEMBERS_MAX;

	return find_member(structure, name, 0, &members, ret);
}

const char *kbtf_name(struct kbtf_id id)
{
	const struct btf_type *t = bare(&id);

	return t && (btf_is_composite(t) || btf_is_any_enum(t)) ? btf_raw_string(id.btf, t->name_off) : "";
}

const char *kbtf_member_name(struct kbtf_id structure, unsigned i)
{
	const struct btf_type *t = bare(&structure);

	if (!t || !btf_is_composite(t) || i >= btf_vlen(t))
		return NULL;
	return btf_raw_string(structure.btf, btf_members(t)[i].name_off);
}

bool kbtf_is_loadable(struct kbtf_id type)
{
	const struct btf_type *t = bare(&type);
	struct kbtf_id target;

	if (!t || !btf_is_ptr(t))
		return true;
	if (!t->type)
		return true;
	target = (struct kbtf_id){ type.btf, t->type };
	t = btf_raw_type(type.btf, t->type);
	if (t && btf_is_const(t))
		t = btf_raw_type(type.btf, t->type);
	if (t && btf_is_int(t))
		return true;
	t = bare(&target);
	return t && btf_is_composite(t);
}

/* What a search by name accepts: a type of one of @kinds (ends with 0) that is @bare without its typedefs. */
struct wanted {
	uint32_t kinds[4];
	enum kbtf_kind bare;
};

/* @expected: the names that are likely to be asked for, or NULL. */
static bool has_type(const struct unit *u, const char *name, const struct wanted *wanted, const char *const *expected,
		     struct kbtf_id *ret)
{
	for (const uint32_t *kind = wanted->kinds; *kind; kind++) {
		struct kbtf_id found = { u->btf, btf_raw_find(u->btf, name, *kind, expected) };
		struct kbtf_type type;

		if (!found.id)
			continue;
		kbtf_describe(found, &type);
		if (type.kind != wanted->bare)
			continue;
		*ret = found;
		return true;
	}
	return false;
}

/* @module: only there; NULL: in all modules. */
static bool has_in_modules(struct kbtf *kb, const char *name, const char *module, const struct wanted *wanted, struct kbtf_id *ret)
{
	load_modules(kb);
	for (const struct unit *u = kb->modules; u; u = u->next) {
		if ((!module || !strcmp(u->name, module)) && has_type(u, name, wanted, NULL, ret))
			return true;
	}
	return false;
}

static int find_wanted(struct kbtf *kb, const char *name, const char *module, const struct wanted *wanted, struct kbtf_id *ret)
{
	if (!load(kb))
		return -EOPNOTSUPP;
	if ((module && has_in_modules(kb, name, module, wanted, ret)) || has_type(kb->vmlinux, name, wanted, likely, ret) ||
	    has_in_modules(kb, name, NULL, wanted, ret))
		return 0;
	return -ENOENT;
}

int kbtf_find_enum(struct kbtf *kb, const char *name, const char *module, struct kbtf_id *ret)
{
	static const struct wanted wanted = { { BTF_KIND_ENUM, BTF_KIND_ENUM64, BTF_KIND_TYPEDEF }, KBTF_ENUM };

	return find_wanted(kb, name, module, &wanted, ret);
}

int kbtf_find_composite(struct kbtf *kb, const char *name, const char *module, struct kbtf_id *ret)
{
	static const struct wanted wanted = { { BTF_KIND_STRUCT, BTF_KIND_UNION, BTF_KIND_TYPEDEF }, KBTF_STRUCT };

	return find_wanted(kb, name, module, &wanted, ret);
}

static void find_similar(const struct btf_raw *btf, const char *name, unsigned *edits, const char **ret)
{
	for (uint32_t id = btf_raw_first(btf); id < btf_raw_count(btf); id++) {
		const struct btf_type *t = btf_raw_type(btf, id);
		const char *own = t && btf_is_composite(t) ? btf_raw_string(btf, t->name_off) : "";
		size_t len = strlen(own);
		unsigned far = len && len <= EDITS_LONGEST ? edits_between(name, strlen(name), own, len, *edits) : *edits;

		if (far < *edits && far < len) {
			*edits = far;
			*ret = own;
		}
	}
}

const char *kbtf_similar_composite(struct kbtf *kb, const char *name)
{
	unsigned edits = strlen(name) > 4 ? 3 : 2;	/* one more than is allowed */
	const char *similar = NULL;

	if (!load(kb) || strlen(name) > EDITS_LONGEST)
		return NULL;
	find_similar(kb->vmlinux->btf, name, &edits, &similar);
	for (const struct unit *u = kb->modules; u; u = u->next)
		find_similar(u->btf, name, &edits, &similar);
	return similar;
}

int kbtf_find_typedef(struct kbtf *kb, const char *name, const char *module, struct kbtf_id *ret)
{
	bool kernel = module && !strcmp(module, "vmlinux");
	uint32_t id;

	if (!load(kb))
		return -EOPNOTSUPP;
	id = !module || kernel ? btf_raw_find(kb->vmlinux->btf, name, BTF_KIND_TYPEDEF, likely) : 0;
	*ret = (struct kbtf_id){ kb->vmlinux->btf, id };
	if (id || kernel)
		return id ? 0 : -ENOENT;
	load_modules(kb);
	for (const struct unit *u = kb->modules; u; u = u->next) {
		id = !module || !strcmp(u->name, module) ? btf_raw_find(u->btf, name, BTF_KIND_TYPEDEF, NULL) : 0;
		*ret = (struct kbtf_id){ u->btf, id };
		if (id)
			return 0;
	}
	return -ENOENT;
}

int kbtf_find_proto(struct kbtf_id type, struct kbtf_func *ret)
{
	struct kbtf_id at = type;
	const struct btf_type *t = bare(&at);

	if (t && btf_is_ptr(t)) {
		at.id = t->type;
		t = bare(&at);
	}
	if (!t || !btf_is_func_proto(t))
		return -ENOENT;
	*ret = (struct kbtf_func){ .self = type, .proto = at, .ret = { at.btf, t->type }, .nr_params = btf_vlen(t) - is_variadic(t),
				   .is_variadic = is_variadic(t) };
	return 0;
}

const char *kbtf_enumerator(struct kbtf_id type, unsigned i, uint64_t *ret)
{
	const struct btf_type *t = bare(&type);

	if (!t || !btf_is_any_enum(t) || i >= btf_vlen(t))
		return NULL;
	if (btf_is_enum64(t)) {
		*ret = btf_enum64_value(&btf_enum64(t)[i]);
		return btf_raw_string(type.btf, btf_enum64(t)[i].name_off);
	}
	*ret = btf_kflag(t) ? (uint64_t)(int64_t)btf_enum(t)[i].val : (uint32_t)btf_enum(t)[i].val;
	return btf_raw_string(type.btf, btf_enum(t)[i].name_off);
}

bool kbtf_has_enumerator(struct kbtf *kb, const char *type, const char *name)
{
	uint32_t id = load(kb) ? btf_raw_find(kb->vmlinux->btf, type, BTF_KIND_ENUM, likely) : 0;
	const struct btf_type *t = id ? btf_raw_type(kb->vmlinux->btf, id) : NULL;

	for (unsigned i = 0; t && i < btf_vlen(t); i++) {
		const char *own = btf_raw_string(kb->vmlinux->btf, btf_enum(t)[i].name_off);

		if (own && !strcmp(own, name))
			return true;
	}
	return false;
}
