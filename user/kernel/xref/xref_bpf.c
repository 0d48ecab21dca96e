// SPDX-License-Identifier: GPL-2.0-only
/*
 * xref_bpf.c - where the machine code of BPF programs is.
 *
 * A tracer's program has the address of the function that it traces as a constant. So an address in a program is no reference, but a branch
 * is: programs call functions of the kernel. Programs share pages with each other only, and a page may still have a program that has ended
 * (7.3 does not erase it). So the same rule holds for the whole page.
 */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/macros.h"
#include "kernel/xref/xref_priv.h"

#define PAGE	((uint64_t)4096)

/* Appends the pages of one program's functions. Without permission to see addresses, the kernel says 0 for them (6.12, kernel/bpf/syscall.c). */
static void add_program(int fd, struct buf *out)
{
	struct arena arena = { 0 };
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info), nr;
	uint64_t *start;
	uint32_t *size;

	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !info.nr_jited_ksyms || info.nr_jited_ksyms != info.nr_jited_func_lens)
		return;
	nr = info.nr_jited_ksyms;
	start = arena_array(&arena, uint64_t, nr);
	size = arena_array(&arena, uint32_t, nr);
	info = (struct bpf_prog_info){
		.nr_jited_ksyms = nr, .jited_ksyms = (uint64_t)(uintptr_t)start,
		.nr_jited_func_lens = nr, .jited_func_lens = (uint64_t)(uintptr_t)size,
	};
	len = sizeof(info);
	if (!bpf_obj_get_info_by_fd(fd, &info, &len)) {
		for (uint32_t i = 0; i < nr; i++) {
			struct xref_range range = { start[i] - start[i] % PAGE, ROUND_UP(start[i] + size[i], PAGE) };

			if (range.start)
				buf_add(out, &range, sizeof(range));
		}
	}
	arena_fini(&arena);
}

static int by_start(const void *a, const void *b)
{
	const struct xref_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void xref_bpf_programs(struct buf *out)
{
	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);) {
		auto_fd fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0)
			add_program(fd, out);
	}
	if (out->len)
		qsort(out->data, out->len / sizeof(struct xref_range), sizeof(struct xref_range), by_start);
}
