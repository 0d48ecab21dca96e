// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_elf.c - any bytes as a program whose functions are asked for (--user-stack). See damage.h: the original is the kernel's vDSO, which is a
 * small ELF file.
 */
#include <elf.h>
#include <sys/auxv.h>

static const char fuzz_name[] = "fuzz_elf";

#include "damage.h"

#include "elf/file.h"
#include "elf/symbols.h"

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

int main(int argc, char **argv)
{
	const Elf64_Ehdr *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct original o = { 0 };

	if (!vdso) {
		printf("fuzz_elf: this kernel has no vDSO\n");
		return 0;
	}
	o.from = vdso->e_shoff;		/* the headers of sections are at the end */
	o.to = vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize;
	buf_add(&o.bytes, vdso, o.to);
	return damage(argc, argv, &o, 1);
}

#endif
