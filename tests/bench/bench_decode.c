// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_decode.c - decodes instructions one after the other, and counts them.
 *
 *	bench_decode FILE OFFSET SIZE [TIMES]
 *
 * A run of int3 at the end is left out: .text can be padded with megabytes of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "arch/insn.h"
#include "base/cleanup.h"
#include "base/macros.h"

static const uint8_t *map(const char *path, size_t offset, size_t size)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && offset + size <= (size_t)st.st_size)
		bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (bytes == MAP_FAILED) {
		fprintf(stderr, "bench_decode: cannot map %zu bytes of %s: %s\n", size, path,
			strerror(errno));
		exit(1);
	}
	return bytes + offset;
}

int main(int argc, char **argv)
{
	size_t offset = argc > 3 ? strtoul(argv[2], NULL, 0) : 0;
	size_t size = argc > 3 ? strtoul(argv[3], NULL, 0) : 0, nr = 0, none = 0;
	const uint8_t *bytes = map(argc > 3 ? argv[1] : "/dev/null", offset, size);
	unsigned long times = argc > 4 ? strtoul(argv[4], NULL, 0) : 1;
	struct insn insn;

	while (size && bytes[size - 1] == 0xcc)
		size--;
	while (times--)
		for (const uint8_t *at = bytes, *end = bytes + size; at < end; nr++) {
			int len = insn_decode(at, end - at, &insn);

			none += len <= 0;
			at += len <= 0 ? 1 : len;
		}
	printf("%zu decoded, %zu of them no instruction\n", nr, none);
	return 0;
}
