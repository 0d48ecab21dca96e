// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem_bpf.c - reads the kernel's memory with BPF.
 *
 * Each run of bpf/ktext.bpf.c copies one piece into a map that is mapped into this process, so a piece costs one system
 * call. A copy that meets an unmapped page fails as a whole. It reads no byte outside of the requested range, so no
 * second check is needed after a failure.
 */
#include "kernel/mem/kmem_bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/mman.h>

#include "base/macros.h"
#include "ktext.skel.h"

struct kmem_bpf {
	struct ktext_bpf *skel;
	void *window;			/* the map's only value; MAP_FAILED before it is mapped */
	size_t size;
};

/* Copies one piece, not larger than the window. 0 or -errno, from the system call or the program. */
static int copy(const struct kmem_bpf *kb, uint64_t addr, uint64_t len)
{
	uint64_t request[] = { addr, len };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = request, .ctx_size_in = sizeof(request));

	if (bpf_prog_test_run_opts(bpf_program__fd(kb->skel->progs.ktext_copy), &opts))
		return -errno;
	return (int)opts.retval;
}

static int load(struct kmem_bpf *kb)
{
	struct bpf_map *map;
	int err;

	kb->skel = ktext_bpf__open();
	if (!kb->skel)
		return -errno;
	err = ktext_bpf__load(kb->skel);
	if (err)
		return err;
	map = kb->skel->maps.ktext_window;
	kb->size = bpf_map__value_size(map);
	kb->window = mmap(NULL, kb->size, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (kb->window == MAP_FAILED)
		return -errno;
	/*
	 * A kernel that cannot run the program must report it here. So must a kernel that notices its lockdown only now
	 * (5.10's first releases). This copies no bytes from address 0, so -ERANGE is the expected result.
	 */
	err = copy(kb, 0, 0);
	return err == -ERANGE || err == -EFAULT ? 0 : err;
}

int kmem_bpf_open(struct kmem_bpf **ret, struct diag *diag)
{
	struct kmem_bpf *kb = calloc(1, sizeof(*kb));
	int err;

	if (!kb)
		return diag_set(diag, -ENOMEM, "out of memory");
	kb->window = MAP_FAILED;
	err = load(kb);
	if (err) {
		kmem_bpf_close(kb);
		if (err == -EACCES)
			err = -EPERM;
		return diag_set(diag, err, "BPF cannot read the kernel's memory: %s", strerror(-err));
	}
	*ret = kb;
	return 0;
}

void kmem_bpf_close(struct kmem_bpf *kb)
{
	if (!kb)
		return;
	if (kb->window != MAP_FAILED)
		munmap(kb->window, kb->size);
	ktext_bpf__destroy(kb->skel);
	free(kb);
}

int kmem_bpf_read(struct kmem_bpf *kb, uint64_t addr, void *to, size_t len)
{
	char *at = to;

	while (len) {
		size_t piece = MIN(len, kb->size);
		int err = copy(kb, addr, piece);

		/* -ERANGE: the address is not the kernel's (6.12, mm/maccess.c) */
		if (err)
			return err == -EPERM ? -EPERM : -EFAULT;
		memcpy(at, kb->window, piece);
		addr += piece;
		at += piece;
		len -= piece;
	}
	return 0;
}
