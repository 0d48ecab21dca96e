// SPDX-License-Identifier: GPL-2.0-only
/*
 * failing.c - memory that is refused once: a library to be loaded before the C library (memory.py)
 *
 * $FAILING: the number of the allocation of each process that fails; the first is 1. Only those of the program itself count: what a library makes of
 * a failure is its own matter. $FAILED: a file that is there if one has failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C library's own. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t each);
void *__libc_realloc(void *old, size_t size);

static long left = -1;
static struct { ElfW(Addr) from, to; } program;

/* The first one is the program. */
static int take_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X) {
			program.from = info->dlpi_addr + ph->p_vaddr;
			program.to = program.from + ph->p_memsz;
		}
	}
	return 1;
}

static bool fails(const void *caller)
{
	if (left < 0) {
		left = getenv("FAILING") ? atol(getenv("FAILING")) : 0;
		dl_iterate_phdr(take_program, NULL);
	}
	if (!left || (ElfW(Addr))caller < program.from || (ElfW(Addr))caller >= program.to || --left)
		return false;
	close(open(getenv("FAILED"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t each)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(nr, each);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

/* The C library's own calls its own malloc(). */
char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}
