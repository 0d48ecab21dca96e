/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms_packed_priv.h - the tables behind ksyms_packed.h, for its own files only.
 */
#ifndef KERNEL_SYMS_KSYMS_PACKED_PRIV_H
#define KERNEL_SYMS_KSYMS_PACKED_PRIV_H

#include "kernel/mem/kview.h"
#include "kernel/syms/ksyms_packed.h"

enum {
	KPACKED_TOKENS = 256,
	KPACKED_STRIDE = 8,		/* of so many symbols one has its place in places */
};

/* The meaning of a number n in offsets. */
enum encoding {
	ENCODING_PERCPU,	/* n >= 0: address of a per-CPU variable; else base - 1 - n (until 6.14) */
	ENCODING_BASE,		/* base + n, n unsigned (6.15 on) */
	ENCODING_PLACE,		/* n is the distance from its own place (7.x) */
};

struct kpacked_index;

struct kpacked {
	struct kmem *mem;
	struct kview names, offsets, seqs;
	size_t nr;
	uint32_t *markers;
	char *text;			/* of all tokens, each ends with a NUL */
	uint16_t token[KPACKED_TOKENS];		/* where each token begins in text */
	bool sorted;			/* seqs were found */
	enum encoding encoding;
	uint64_t base;
	size_t at, at_off;		/* symbol @at begins at @at_off in names: the last walk ended there */
	size_t near;			/* the last answer of kpacked_up_to() */
	unsigned walks;
	struct kpacked_index *index;	/* of all names, if there are no seqs; NULL: not made yet */
	uint32_t *places;		/* where symbols 0, KPACKED_STRIDE, ... begin in names, plus 1; 0: not known yet. NULL: few walks */
};

/* Decodes @off, which is offset @i, into an address. */
static inline uint64_t kpacked_decode(const struct kpacked *kp, size_t i, int32_t off)
{
	switch (kp->encoding) {
	case ENCODING_PERCPU:
		return off >= 0 ? (uint64_t)off : kp->base - 1 - (uint64_t)(int64_t)off;
	case ENCODING_BASE:
		return kp->base + (uint32_t)off;
	case ENCODING_PLACE:
		break;
	}
	return kp->offsets.addr + i * sizeof(off) + (uint64_t)(int64_t)off;
}

/*
 * ksyms_packed_index.c: finds a name without seqs, as kpacked_find() does. False: the names cannot be read, or there is no memory. The index is freed with
 * kpacked_index_free(), which takes NULL.
 */
bool kpacked_find_unsorted(struct kpacked *kp, const char *name, void (*found)(void *ctx, size_t i), void *ctx);
void kpacked_index_free(struct kpacked_index *x);

/* Makes room for places. False: out of memory. */
bool kpacked_make_places(struct kpacked *kp);

/* The text that the @len tokens at @p stand for; its first letter is the type. Returns its length; 0: it is too long. */
size_t kpacked_expand(const struct kpacked *kp, const uint8_t *p, size_t len, char to[KPACKED_NAME_MAX + 1]);

/* Do the @len tokens at @p stand for a marker: see ksym_is_marker()? */
bool kpacked_is_marker(const struct kpacked *kp, const uint8_t *p, size_t len);

#endif
