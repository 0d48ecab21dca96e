// SPDX-License-Identifier: GPL-2.0-only
/*
 * kview.c - a range of the kernel's memory. Each page is read when it is first used.
 */
#include "kernel/mem/kview.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/macros.h"
#include "kernel/mem/kmem.h"

enum { PAGE = KVIEW_PAGE };

bool kview_open(struct kview *v, struct kmem *mem, uint64_t addr, size_t len)
{
	size_t size = len + PAGE - addr % PAGE;
	void *pages;

	*v = (struct kview){ 0 };
	if (addr % PAGE + len < len)
		return false;
	/* Not malloc(), because pages that are never used must not take memory. */
	pages = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return false;
	madvise(pages, size + PAGE, MADV_NOHUGEPAGE);
	*v = (struct kview){ .mem = mem, .addr = addr, .len = len, .pages = pages,
			     .have = calloc(size / PAGE + 2, 1) };
	if (v->have)
		return true;
	munmap(pages, size + PAGE);
	*v = (struct kview){ 0 };
	return false;
}

void kview_close(struct kview *v)
{
	if (v->pages)
		munmap(v->pages, v->len + PAGE - v->addr % PAGE + PAGE);
	free(v->have);
	*v = (struct kview){ 0 };
}

/* Reads only the part of the first and of the last page that belongs to the range. */
static bool read_page(struct kview *v, size_t page)
{
	size_t head = v->addr % PAGE, from = MAX(page * PAGE, head), to = MIN((page + 1) * PAGE, head + v->len);

	if (kmem_read(v->mem, v->addr - head + from, v->pages + from, to - from))
		return false;
	v->have[page] = 1;
	return true;
}

const uint8_t *kview_at(struct kview *v, size_t off, size_t len)
{
	size_t head = v->addr % PAGE;

	if (off > v->len || len > v->len - off)
		return NULL;
	for (size_t page = (head + off) / PAGE; len && page <= (head + off + len - 1) / PAGE; page++) {
		if (!v->have[page] && !read_page(v, page))
			return NULL;
	}
	return v->pages + head + off;
}
