// SPDX-License-Identifier: GPL-2.0-only
/*
 * versions.c - the versions that the libraries say themselves, in a program that is linked as bprobe is (build.sh).
 *
 * libbpf says two numbers of three, and libiberty none. What bprobe is built with is in the flags: -DHAVE_LIBDW and so on.
 */
#include <bpf/libbpf.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <zlib.h>
#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
const char *BZ2_bzlibVersion(void);
const char *lzma_version_string(void);
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_PROTOBUF
#include <protobuf-c/protobuf-c.h>
#endif
int main(void)
{
	printf("libbpf %s\nglibc %s\nzlib %s\n", libbpf_version_string() + 1, gnu_get_libc_version(), zlibVersion());
	printf("gcc %d.%d.%d\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#ifdef HAVE_LIBDW
	printf("elfutils %s\nbzip2 %s\nxz %s\n", dwfl_version(NULL), BZ2_bzlibVersion(), lzma_version_string());
#endif
#ifdef HAVE_ZSTD
	printf("zstd %s\n", ZSTD_versionString());
#endif
#ifdef HAVE_PROTOBUF
	printf("protobuf-c %s\n", protobuf_c_version());
#endif
	return 0;
}
