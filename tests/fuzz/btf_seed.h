/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_seed.h - small BTF files for tests, made by libbpf, in a directory such as --btf names.
 */
#ifndef BTF_SEED_H
#define BTF_SEED_H

#include <bpf/btf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct btf_dir {
	char path[64];
	int fd;				/* its vmlinux */
};

static int btf_dir_make(struct btf_dir *d)
{
	char name[96];

	snprintf(d->path, sizeof(d->path), "%s/btf.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(d->path))
		return -1;
	snprintf(name, sizeof(name), "%s/vmlinux", d->path);
	d->fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return d->fd < 0 ? -1 : 0;
}

static void btf_dir_write(struct btf_dir *d, const void *data, size_t len)
{
	if (ftruncate(d->fd, 0) || pwrite(d->fd, data, len, 0) != (ssize_t)len)
		abort();
}

static void btf_dir_remove(struct btf_dir *d)
{
	char name[96];

	snprintf(name, sizeof(name), "%s/vmlinux", d->path);
	unlink(name);
	rmdir(d->path);
	close(d->fd);
}

/* At least one type of each kind, and the types that are searched by name. */
static struct btf *btf_seed(void)
{
	struct btf *b = btf__new_empty();
	int number = btf__add_int(b, "int", 4, BTF_INT_SIGNED), text = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	int name = btf__add_ptr(b, btf__add_const(b, text)), inner, outer, proto;

	inner = btf__add_union(b, NULL, 8);
	btf__add_field(b, "low", number, 0, 0);
	btf__add_field(b, "bits", number, 0, 3);
	outer = btf__add_struct(b, "task_struct", 32);
	btf__add_field(b, "pid", number, 0, 0);
	btf__add_field(b, NULL, inner, 64, 0);
	btf__add_field(b, "comm", btf__add_array(b, number, text, 16), 128, 0);
	outer = btf__add_typedef(b, "task_t", btf__add_volatile(b, outer));
	btf__add_enum(b, "state", 4);
	btf__add_enum_value(b, "STATE_ON", 1);
	btf__add_fwd(b, "file", BTF_FWD_STRUCT);
	btf__add_float(b, "double", 8);
	btf__add_var(b, "__preempt_count", BTF_VAR_GLOBAL_ALLOCATED, number);
	btf__add_datasec(b, ".data..percpu", 4);
	btf__add_datasec_var_info(b, btf__type_cnt(b) - 2, 0, 4);
	proto = btf__add_func_proto(b, number);
	btf__add_func_param(b, "task", btf__add_ptr(b, outer));
	proto = btf__add_func_proto(b, number);
	btf__add_func_param(b, "task", btf__add_restrict(b, proto + 1));
	btf__add_func_param(b, "name", name);
	btf__add_func(b, "vfs_read", BTF_FUNC_GLOBAL, proto);
	btf__add_typedef(b, "btf_trace_task", btf__add_ptr(b, proto));
	return b;
}

#endif
