/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_pack.h - the compression methods for a trace.dat of version 7.
 */
#ifndef DAT_DAT_PACK_H
#define DAT_DAT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dat_packing {
	const char *name;		/* as written in the file */
	const char *(*version)(void);
	size_t (*bound)(size_t len);	/* the largest possible size of @len compressed bytes */
	/* *@to_len is the size of @to, and becomes the number of bytes used. False: it failed. */
	bool (*pack)(void *to, size_t *to_len, const void *from, size_t len);
	bool (*unpack)(void *to, size_t *to_len, const void *from, size_t len);
};

/* NULL: bprobe, or this build of it, does not have this method. */
const struct dat_packing *dat_packing_find(const char *name);

#endif
