// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory.c - ends the process when there is no memory, and lets arrays grow.
 */
#include "base/memory.h"

#include <limits.h>

_Noreturn void out_of_memory(void)
{
	fputs("bprobe: out of memory\n", stderr);
	abort();
}

unsigned grown_size(size_t nr, unsigned size)
{
	enum { FIRST = 16 };

	size = size ? size : FIRST;
	while (size && size <= nr)
		size = size <= UINT_MAX / 2 ? 2 * size : 0;
	return size;
}

void *heap_grow_of(void *all, size_t nr, unsigned *size, size_t each)
{
	unsigned more_size;
	size_t bytes;
	void *more;

	if (nr < *size)
		return all;
	more_size = grown_size(nr, *size);
	bytes = memory_bytes(more_size, each);
	more = more_size && bytes <= PTRDIFF_MAX ? realloc(all, bytes) : NULL;
	if (more)
		*size = more_size;
	return more;
}
