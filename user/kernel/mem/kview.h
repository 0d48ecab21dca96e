/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kview.h - a range of the kernel's memory that does not change. Each page is read when it is first used.
 */
#ifndef KERNEL_MEM_KVIEW_H
#define KERNEL_MEM_KVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kmem;

enum { KVIEW_PAGE = 4096 };

struct kview {
	struct kmem *mem;
	uint64_t addr;
	size_t len;
	uint8_t *pages;		/* room for all pages; only pages that were read take memory */
	uint8_t *have;		/* one byte for each page: it was read */
};

/* Reads nothing yet. False: out of memory. @mem must live as long as @v. kview_close() frees. */
bool kview_open(struct kview *v, struct kmem *mem, uint64_t addr, size_t len);
void kview_close(struct kview *v);	/* one of all zeroes is fine */

/* Returns the @len bytes from @off on, valid until kview_close(). NULL: outside of the range, or cannot be read. */
const uint8_t *kview_at(struct kview *v, size_t off, size_t len);

/* One byte, without a call if its page was read. A walk over symbols asks for the length of each name. */
static inline const uint8_t *kview_byte(struct kview *v, size_t off)
{
	size_t at = v->addr % KVIEW_PAGE + off;

	return off < v->len && v->have[at / KVIEW_PAGE] ? v->pages + at : kview_at(v, off, 1);
}

#endif
