// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_pack.c - the compression methods for a trace.dat of version 7.
 *
 * trace-cmd has the methods that it was built with: Debian's (3.1.6) only zstd, others zlib or both.
 */
#include "dat/dat_pack.h"

#include <string.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/macros.h"

static size_t zlib_bound(size_t len)
{
	return compressBound(len);
}

static bool zlib_pack(void *to, size_t *to_len, const void *from, size_t len)
{
	return compress(to, to_len, from, len) == Z_OK;
}

static bool zlib_unpack(void *to, size_t *to_len, const void *from, size_t len)
{
	return uncompress(to, to_len, from, len) == Z_OK;
}

#ifdef HAVE_ZSTD
static size_t zstd_bound(size_t len)
{
	return ZSTD_compressBound(len);
}

static bool zstd_done(size_t n, size_t *to_len)
{
	if (ZSTD_isError(n))
		return false;
	*to_len = n;
	return true;
}

static bool zstd_pack(void *to, size_t *to_len, const void *from, size_t len)
{
	return zstd_done(ZSTD_compress(to, *to_len, from, len, 3), to_len);	/* zstd's own default */
}

static bool zstd_unpack(void *to, size_t *to_len, const void *from, size_t len)
{
	return zstd_done(ZSTD_decompress(to, *to_len, from, len), to_len);
}
#endif

static const struct dat_packing packings[] = {
	{ "zlib", zlibVersion, zlib_bound, zlib_pack, zlib_unpack },
#ifdef HAVE_ZSTD
	{ "zstd", ZSTD_versionString, zstd_bound, zstd_pack, zstd_unpack },
#endif
};

const struct dat_packing *dat_packing_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++) {
		if (!strcmp(packings[i].name, name))
			return &packings[i];
	}
	return NULL;
}
