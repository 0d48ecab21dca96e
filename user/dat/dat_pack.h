/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_pack.h - the ways in which a trace.dat of version 7 is compressed.
 */
#ifndef DAT_DAT_PACK_H
#define DAT_DAT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dat_packing {
	const char *name;		/* as the file says it */
	const char *(*version)(void);
	size_t (*bound)(size_t len);	/* bytes that @len bytes have at most */
	/* *@to_len is the room there, and becomes what was used. False: it could not be done. */
	bool (*pack)(void *to, size_t *to_len, const void *from, size_t len);
	bool (*unpack)(void *to, size_t *to_len, const void *from, size_t len);
};

/* NULL: bprobe, or this build of it, does not know it. */
const struct dat_packing *dat_packing_find(const char *name);

#endif
