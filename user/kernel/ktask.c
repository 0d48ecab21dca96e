// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktask.c - where the kernel stores the data that identify a task.
 */
#include "kernel/ktask.h"

#include <bpf/btf.h>
#include <string.h>

#include "base/macros.h"
#include "kernel/btf/btf_raw.h"
#include "kernel/btf/kbtf.h"

/* The offset of member @name in @structure, in bytes; *ret_type is the member's type. */
static int member(struct kbtf_id structure, const char *name, struct kbtf_id *ret_type)
{
	struct kbtf_member m;

	if (kbtf_find_member(structure, name, &m) || m.bit_size || m.bit_off % 8)
		return -1;
	*ret_type = m.type;
	return (int)(m.bit_off / 8);
}

/*
 * The offset of member @inner in the structure that is member @outer of the kernel's structure @name. With @inner NULL,
 * the offset of @outer itself.
 */
static int find(struct kbtf *kb, const char *name, const char *outer, const char *inner)
{
	struct kbtf_id structure, type;
	struct kbtf_type t;
	int off, more;

	if (kbtf_find_struct(kb, name, &structure))
		return -1;
	off = member(structure, outer, &type);
	if (off < 0 || !inner)
		return off;
	kbtf_describe(type, &t);
	more = t.kind == KBTF_STRUCT ? member(t.self, inner, &type) : -1;
	return more < 0 ? -1 : off + more;
}

/* The kernel has a helper if its enum of all helpers contains it. */
static bool has_task_btf(struct kbtf *kb)
{
	struct btf_raw *raw = kbtf_raw(kb);
	uint32_t id = raw ? btf_raw_find(raw, "bpf_func_id", BTF_KIND_ENUM, NULL) : 0;
	const struct btf_type *t = id ? btf_raw_type(raw, id) : NULL;

	for (unsigned i = 0; t && i < btf_vlen(t); i++) {
		if (!strcmp(btf_raw_string(raw, btf_enum(t)[i].name_off), "BPF_FUNC_get_current_task_btf"))
			return true;
	}
	return false;
}

void ktask_find(struct kbtf *kb, struct ktask *ret)
{
	const struct { int *to; const char *name, *outer, *inner; } members[] = {
		{ &ret->pid, "task_struct", "pid", NULL },
		{ &ret->tgid, "task_struct", "tgid", NULL },
		{ &ret->comm, "task_struct", "comm", NULL },
		{ &ret->start_time, "task_struct", "start_time", NULL },
		{ &ret->cred, "task_struct", "cred", NULL },
		{ &ret->nsproxy, "task_struct", "nsproxy", NULL },
		{ &ret->thread_pid, "task_struct", "thread_pid", NULL },
		{ &ret->group_leader, "task_struct", "group_leader", NULL },
		{ &ret->children, "task_struct", "children", NULL },
		{ &ret->sibling, "task_struct", "sibling", NULL },
		{ &ret->utask, "task_struct", "utask", NULL },
		{ &ret->cred_uid, "cred", "uid", NULL },
		{ &ret->nsproxy_mnt, "nsproxy", "mnt_ns", NULL },
		{ &ret->mnt_inum, "mnt_namespace", "ns", "inum" },
		{ &ret->pid_level, "pid", "level", NULL },
		{ &ret->pid_numbers, "pid", "numbers", NULL },
		{ &ret->pidns_inum, "pid_namespace", "ns", "inum" },
		{ &ret->utask_depth, "uprobe_task", "depth", NULL },
	};

	*ret = (struct ktask){ 0 };
	if (kb)
		ret->plain = has_task_btf(kb);
	for (unsigned i = 0; i < ARRAY_SIZE(members); i++)
		*members[i].to = kb ? find(kb, members[i].name, members[i].outer, members[i].inner) : -1;
}
