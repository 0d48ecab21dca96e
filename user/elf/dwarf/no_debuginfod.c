// SPDX-License-Identifier: GPL-2.0-only
/*
 * no_debuginfod.c - libdwfl without its client of debuginfod.
 *
 * libdwfl looks for a library at run time (dlopen(3)), which a static program cannot have. bprobe never lets it look for files.
 * Since these functions are here, the linker takes none of libdw.a's own (elfutils 0.188, libdwfl/debuginfod-client.c).
 */
#include <elfutils/libdwfl.h>
#include <stddef.h>

int __libdwfl_debuginfod_find_executable(Dwfl *dwfl, const unsigned char *build_id, size_t len);
int __libdwfl_debuginfod_find_debuginfo(Dwfl *dwfl, const unsigned char *build_id, size_t len);
void __libdwfl_debuginfod_end(void *client);

int __libdwfl_debuginfod_find_executable(Dwfl *dwfl, const unsigned char *build_id, size_t len)
{
	(void)dwfl, (void)build_id, (void)len;
	return -1;
}

int __libdwfl_debuginfod_find_debuginfo(Dwfl *dwfl, const unsigned char *build_id, size_t len)
{
	(void)dwfl, (void)build_id, (void)len;
	return -1;
}

void __libdwfl_debuginfod_end(void *client)
{
	(void)client;
}
