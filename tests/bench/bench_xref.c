// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_xref.c - scans a kernel's image for references, for callgrind to count.
 *
 *	bench_xref VMLINUX text|data|none TARGETS
 *
 * Targets are functions that are called, spread evenly over those that there are. Prints
 * how many bytes were scanned and what was found.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/number.h"
#include "kernel/xref/xref.h"

static const uint8_t *file;
static const Elf64_Shdr *sections;
static unsigned section_count;
static const char *names;

static bool open_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	const Elf64_Ehdr *eh;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return false;
	eh = (const Elf64_Ehdr *)(const void *)file;
	sections = (const Elf64_Shdr *)(const void *)(file + eh->e_shoff);
	section_count = eh->e_shnum;
	names = (const char *)file + sections[eh->e_shstrndx].sh_offset;
	return true;
}

static const Elf64_Shdr *section(const char *name)
{
	for (unsigned i = 1; i < section_count; i++) {
		if (!strcmp(names + sections[i].sh_name, name))
			return &sections[i];
	}
	fprintf(stderr, "bench_xref: there is no %s\n", name);
	exit(1);
}

/* Every aligned place that some e8 leads to, one of @nr parts. */
static struct xref *choose(size_t nr)
{
	const Elf64_Shdr *text = section(".text");
	const uint8_t *bytes = file + text->sh_offset;
	uint8_t *called = calloc(text->sh_size / 16 + 1, 1);
	struct xref *refs = calloc(nr + 1, sizeof(*refs));
	size_t all = 0, seen = 0, chosen = 0;

	for (size_t i = 0; i + 5 <= text->sh_size; i++) {
		uint64_t to;
		int32_t rel;

		memcpy(&rel, bytes + i + 1, sizeof(rel));
		to = i + 5 + (uint64_t)(int64_t)rel;
		if (bytes[i] == 0xe8 && to < text->sh_size && !(to % 16) && !called[to / 16]) {
			called[to / 16] = 1;
			all++;
		}
	}
	for (size_t at = 0; at < text->sh_size / 16 && chosen < nr; at++) {
		if (called[at] && seen++ * nr / all >= chosen) {
			refs[chosen].addr = text->sh_addr + at * 16;
			refs[chosen].end = refs[chosen].addr + 16;
			chosen++;
		}
	}
	free(called);
	return refs;
}

int main(int argc, char **argv)
{
	uint64_t nr = 0, found = 0, scanned = 0;
	struct xref_set *set;
	struct xref *refs;

	if (argc != 4 || !open_file(argv[1]) || number_u64(argv[3], strlen(argv[3]), 10, &nr))
		return 64;
	refs = choose((size_t)nr);
	set = xref_set_new(refs, (size_t)nr);
	for (unsigned i = 0; i < 2; i++) {
		const Elf64_Shdr *sh = section(i ? ".data" : strcmp(argv[2], "text") ? ".rodata" : ".text");

		if (!strcmp(argv[2], "none") || (i && strcmp(argv[2], "data")))
			break;
		if (!strcmp(argv[2], "text"))
			xref_scan_text(set, file + sh->sh_offset, sh->sh_size, sh->sh_addr);
		else
			xref_scan_data(set, file + sh->sh_offset, sh->sh_size, sh->sh_addr);
		scanned += sh->sh_size;
	}
	for (uint64_t i = 0; i < nr; i++)
		found += refs[i].branches + refs[i].pointers;
	printf("%lu bytes, %lu references\n", scanned, found);
	xref_set_free(set);
	free(refs);
	return 0;
}
