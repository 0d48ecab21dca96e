// SPDX-License-Identifier: GPL-2.0-only
/*
 * place_id.c - a number for each place that is not in the kernel's code.
 */
#include "plan/place_id.h"

#include <inttypes.h>

/* FNV-1a, 64 bits. */
#define FNV_START	0xcbf29ce484222325ull
#define FNV_PRIME	0x100000001b3ull

/* The kernel's addresses have the highest bit. */
#define KERNEL_BIT	(1ull << 63)

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * FNV_PRIME;
	return hash;
}

/* With the NUL, so that no two pairs of texts are the same bytes. */
static uint64_t add_text(uint64_t hash, const char *text)
{
	return text ? add_bytes(hash, text, strlen(text) + 1) : add_bytes(hash, "", 1);
}

uint64_t place_id(const struct layout *l)
{
	uint64_t id;

	if (l->is_synthetic || l->site == SITE_KERNEL)
		return 0;
	id = add_text(add_text(FNV_START, l->site_name), l->func);
	id = add_bytes(id, &l->site_off, sizeof(l->site_off)) & ~KERNEL_BIT;
	return id ? id : 1;
}

void place_id_print(const struct layout *l, bool with_offset, struct buf *out)
{
	if (l->site == SITE_EVENT) {
		buf_adds(out, l->site_name);
	} else if (!l->func) {
		buf_addf(out, "%s:0x%" PRIx64, l->site_name, l->site_off);
	} else {
		buf_adds(out, l->func);
		if (with_offset && !l->is_return)
			buf_addf(out, "+0x%" PRIx64, l->site_off);
	}
}
