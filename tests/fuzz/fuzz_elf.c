// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_elf.c - any bytes as a program whose functions are asked for (--user-stack).
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; fuzz_elf - N [SEED]
 *
 * The second changes numbers of the kernel's vDSO, which is a small ELF file, N times with a fixed seed of chance.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "elf/file.h"
#include "elf/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool next_choice(void *ctx, uint64_t slot, bool sure)
{
	(void)ctx;
	(void)slot;
	(void)sure;
	return true;
}

/* The tables of relocations, whatever they say. */
static void read_relocations(const uint8_t *data, size_t size)
{
	struct elf_file *f = NULL;

	if (elf_file_image(data, size, &f))
		return;
	elf_file_choices(f, 0, NULL, next_choice, NULL);
	elf_file_choices(f, 0, "clock_gettime", next_choice, NULL);
	elf_file_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_symbols *s = NULL;
	uint64_t addr;
	size_t len;

	read_relocations(data, size);
	if (elf_symbols_image(data, size, &s))
		return 0;
	for (uint64_t off = 0; off < 2 * size; off += 64) {
		const struct elf_symbol *sym = elf_symbols_addr(s, off, &addr) ? elf_symbols_find(s, addr) : NULL;

		if (sym && (addr < sym->addr || !strlen(sym->name)))
			abort();
	}
	elf_symbols_find(s, UINT64_MAX);
	elf_symbols_build_id(s, &len);
	if (len > ELF_BUILD_ID)
		abort();
	elf_symbols_free(s);
	return 0;
}

#ifdef STANDALONE

#include "../roll.h"
#include "seeds.h"

/* Mostly numbers of the headers: the sections' are at the end. */
static void mutate(uint8_t *data, size_t len, size_t sections)
{
	size_t from = roll(2) ? sections : 0, at = from + roll((uint32_t)(len - from));

	switch (roll(4)) {
	case 0:
		data[at] = (uint8_t)roll(256);
		break;
	case 1:
		data[at] ^= (uint8_t)(1u << roll(8));
		break;
	case 2:
		memset(data + at, 0xff, len - at < 8 ? len - at : 8);
		break;
	default:
		memmove(data + at, data + roll((uint32_t)len - 8), len - at < 8 ? len - at : 8);
	}
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 100000;
	const Elf64_Ehdr *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t len = vdso ? vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize : 0;

	if (seeds_asked(argc, argv)) {
		seed_write(argv[2], vdso, len);
		return 0;
	}
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0) | 1;
	for (unsigned long i = 0; len && i < n; i++) {
		size_t size = roll(50) ? len : roll((uint32_t)len) + 1;
		uint8_t *data = malloc(size);		/* of this size, so that a read behind it shows */

		memcpy(data, vdso, size);
		for (unsigned m = roll(8); size == len && m; m--)
			mutate(data, size, vdso->e_shoff);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	printf("fuzz_elf: %lu files from one of %zu bytes\n", n, len);
	return 0;
}

#endif
