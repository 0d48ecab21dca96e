// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_symtab.c - the symbol of an address, compared with libdwfl's, for this program's code.
 *
 * libdwfl knows data, too: an address in the data of a function's section is left out.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "elf/dwarf/lines.h"
#include "tap.h"

#ifdef HAVE_LIBDW
#include "elf/dwarf/lines_priv.h"

extern const char __ehdr_start[], _start[];	/* the linker's */

static bool same(struct debug *d, Dwarf_Addr addr)
{
	GElf_Off off = 0;
	GElf_Sym sym;
	const char *theirs = dwfl_module_addrinfo(d->module, addr + d->bias, &off, &sym, NULL, NULL, NULL), *ours;
	uint64_t our_off;

	ours = debug_symbol_at(d, addr, &our_off);
	if (theirs && GELF_ST_TYPE(sym.st_info) == STT_OBJECT)
		return true;
	if (!ours || !theirs)
		return !ours == !theirs;
	return !strncmp(ours, theirs, strlen(ours)) && our_off == off;
}

/* Of the segment with code, what is behind the sections that the linker puts before .text: it has padding between them. */
static void test_code(struct debug *d, const struct elf_file *file, Dwarf_Addr start)
{
	unsigned nr, nr_bad = 0, nr_all = 0;
	const struct elf_segment *segments = elf_file_segments(file, &nr);

	for (unsigned i = 0; i < nr; i++) {
		if (start < segments[i].addr || start - segments[i].addr >= segments[i].size)
			continue;
		/* Each byte of the first functions, and some bytes of all. */
		for (uint64_t at = start; at < segments[i].addr + segments[i].size; at += at < start + 65536 ? 1 : 97, nr_all++)
			nr_bad += !same(d, at);
	}
	CHECK(nr_all > 10000 && !nr_bad, "the symbols of %u addresses: %u are other ones", nr_all, nr_bad);
}
#endif

int main(void)
{
#ifdef HAVE_LIBDW
	const struct lines_query q = { .function = "main" };
	struct arena arena = { 0 };
	struct elf_file *file;
	struct diag diag = { 0 };
	struct debug d;
	int fd = open("/proc/self/exe", O_RDONLY);
	Dwarf_Addr here, start;
	uint64_t addr;

	CHECK(!elf_file_open(fd, &file) && !debug_open(&d, &arena, fd, "test", &q, 1, &diag), "this program");
	/* Where it is linked, wherever it was loaded. */
	here = (uintptr_t)main - (uintptr_t)__ehdr_start + elf_file_segments(file, &(unsigned){ 0 })->addr;
	start = here - (uintptr_t)main + (uintptr_t)_start;
	test_code(&d, file, start);
	CHECK(debug_starts_symbol(&d, here) && !debug_starts_symbol(&d, here + 1), "a symbol starts at main");
	CHECK(debug_has_symbol(&d, "main", here) && !debug_has_symbol(&d, "mai", here) && !debug_has_symbol(&d, "main", here + 1),
	      "... and it is called so");
	/* After some searches the file has an index of the names. */
	for (unsigned i = 0; i < 8; i++) {
		bool several, found = elf_file_symbol(file, "main", &addr, &several) && addr == here && !several;

		CHECK(found && !elf_file_symbol(file, "no_such_function", &addr, &several), "search %u for the address of a name", i);
	}
	CHECK(debug_knows_symbol(&d, "main") && !debug_knows_symbol(&d, "no_such_function"), "a symbol anywhere");
	debug_close(&d);
	elf_file_close(file);
	arena_fini(&arena);
#else
	TAP_SKIP("without libdw");
#endif
	return tap_done();
}
