// SPDX-License-Identifier: GPL-2.0-only
/*
 * imgrefs.c - words in the data sections of a vmlinux that are addresses of functions
 *
 *	imgrefs VMLINUX < ADDRESSES		(16 hexadecimal digits a line)
 *
 * prints "ADDRESS PLACE SECTION KIND MISALIGNMENT" for each; KIND is abs64, abs32 or
 * prel32 (the word's own place plus the word). All places are tried, aligned or not.
 *
 * Half of the second opinion on user/kernel/xref/xref.c (the other is never.sh, for
 * text), so it is as simple as can be and shares nothing with it.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t *targets;
static size_t target_count;

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void read_targets(void)
{
	char line[64];
	size_t room = 0;

	while (fgets(line, sizeof(line), stdin)) {
		if (target_count == room) {
			room = room ? room * 2 : 1024;
			targets = realloc(targets, room * sizeof(*targets));
			if (!targets)
				abort();
		}
		targets[target_count++] = strtoull(line, NULL, 16);
	}
	qsort(targets, target_count, sizeof(*targets), compare);
}

static void look(uint64_t value, uint64_t place, const char *section, const char *kind, unsigned off)
{
	if (value < targets[0] || value > targets[target_count - 1])
		return;
	if (bsearch(&value, targets, target_count, sizeof(*targets), compare))
		printf("%016lx %016lx %s %s %u\n", value, place, section, kind, off);
}

static void scan(const unsigned char *bytes, size_t size, uint64_t addr, const char *name)
{
	for (size_t i = 0; i + 4 <= size; i++) {
		uint64_t place = addr + i, word;
		int32_t half;

		memcpy(&half, bytes + i, 4);
		look((uint64_t)(int64_t)half, place, name, "abs32", place % 4);
		look(place + (uint64_t)(int64_t)half, place, name, "prel32", place % 4);
		if (i + 8 > size)
			continue;
		memcpy(&word, bytes + i, 8);
		look(word, place, name, "abs64", place % 8);
	}
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	const unsigned char *file;
	const Elf64_Shdr *sh;
	const char *names;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		fputs("usage: imgrefs VMLINUX < ADDRESSES\n", stderr);
		return 64;
	}
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED || memcmp(file, ELFMAG, SELFMAG))
		return 1;
	read_targets();
	if (!target_count)
		return 1;
	sh = (const Elf64_Shdr *)(file + ((const Elf64_Ehdr *)file)->e_shoff);
	names = (const char *)file + sh[((const Elf64_Ehdr *)file)->e_shstrndx].sh_offset;
	for (unsigned i = 1; i < ((const Elf64_Ehdr *)file)->e_shnum; i++) {
		uint64_t flags = sh[i].sh_flags;

		/* 7.x has an executable .data. */
		if (sh[i].sh_type == SHT_NOBITS || !(flags & SHF_ALLOC) ||
		    (flags & (SHF_EXECINSTR | SHF_WRITE)) == SHF_EXECINSTR)
			continue;
		scan(file + sh[i].sh_offset, sh[i].sh_size, sh[i].sh_addr, names + sh[i].sh_name);
	}
	return 0;
}
