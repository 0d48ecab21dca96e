// SPDX-License-Identifier: GPL-2.0-only
/*
 * object_types.c - the kernel's types that a compiled BPF object names, as a file.
 */
#include "run/object_types.h"

#include <bpf/btf.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "elf/file.h"
#include "kernel/btf/kbtf_subset.h"

static struct btf *own_types(const void *object, size_t len)
{
	struct btf *own = NULL;
	struct elf_file *f;
	const void *data;
	uint64_t addr;
	size_t size;

	if (elf_file_image(object, len, &f))
		return NULL;
	data = elf_file_section(f, ".BTF", &size, &addr);
	if (data)
		own = btf__new(data, (uint32_t)size);
	elf_file_close(f);
	return own;
}

int object_types(struct kbtf *btf, const void *object, size_t len)
{
	auto_fd fd = memfd_create("types", MFD_CLOEXEC);
	struct btf *own = fd >= 0 ? own_types(object, len) : NULL;
	int err = own ? kbtf_write_subset(btf, own, fd) : -1;

	btf__free(own);
	return err ? -1 : take_fd(fd);
}
