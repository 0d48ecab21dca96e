// SPDX-License-Identifier: GPL-2.0-only
/*
 * slim.c - takes out of a BPF object what bprobe has no use for, when bprobe is built
 *
 *   slim OBJECT
 *
 * The object is in bprobe, and libbpf reads all of it at each start.
 *
 * - The table of source lines in .BTF.ext, half a megabyte. The kernel shows them in the verifier's log and in dumps. bprobe loads copies of its
 *   models without them (keep_model(), user/run/engine.c), but libbpf would sort and keep them. The few programs that libbpf itself loads have no
 *   lines in the verifier's log either, then. No option of clang leaves them out. struct btf_ext_header and what is behind it are in Linux 6.12,
 *   Documentation/bpf/btf.rst.
 * - clang's labels in the symbol table, 7,600 of 7,700 symbols. libbpf looks through all symbols for each of its questions. llvm-objcopy could
 *   take them out, but nothing else here needs it, and GNU's objcopy does not know BPF.
 *
 * The texts of both stay: the labels' names in .strtab, and the source in .BTF.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BTF_MAGIC = 0xeb9f };

struct btf_ext_header {
	uint16_t magic, version_and_flags;
	uint32_t hdr_len, func_info_off, func_info_len, line_info_off, line_info_len, core_relo_off, core_relo_len;
};

/* The lines are between the functions and CO-RE's relocations, which move to their place. */
static const char *take_out_lines(Elf_Data *data)
{
	struct btf_ext_header h;
	uint8_t *info, *all = data ? data->d_buf : NULL;

	if (!all || data->d_size < sizeof(h))
		return "its .BTF.ext is too short";
	memcpy(&h, all, sizeof(h));
	if (h.magic != BTF_MAGIC || h.version_and_flags != 1 || h.hdr_len < sizeof(h))
		return "its .BTF.ext has an unknown form";
	if (h.line_info_off != h.func_info_off + h.func_info_len || h.core_relo_off != h.line_info_off + h.line_info_len ||
	    data->d_size != (size_t)h.hdr_len + h.core_relo_off + h.core_relo_len)
		return "its .BTF.ext has an unknown order";
	info = all + h.hdr_len;
	memmove(info + h.line_info_off, info + h.core_relo_off, h.core_relo_len);
	data->d_size -= h.line_info_len;
	h.core_relo_off = h.line_info_off;
	h.line_info_len = 0;
	memcpy(all, &h, sizeof(h));
	elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
	return NULL;
}

struct symbols {
	uint32_t *numbers;		/* of each symbol: first, is it used by a relocation? Then its new number */
	size_t nr;
};

typedef const char *step(Elf_Scn *section, Elf_Data *data, struct symbols *symbols);

/* Does @each for the data of each section of this type, until one says what is wrong. */
static const char *sections(Elf *elf, uint32_t type, step *each, struct symbols *symbols)
{
	const char *wrong = NULL;

	for (Elf_Scn *s = NULL; !wrong && (s = elf_nextscn(elf, s));) {
		GElf_Shdr head;
		Elf_Data *data;

		if (!gelf_getshdr(s, &head))
			return elf_errmsg(-1);
		if (head.sh_type != type)
			continue;
		data = elf_getdata(s, NULL);
		wrong = data ? each(s, data, symbols) : elf_errmsg(-1);
	}
	return wrong;
}

static const char *count(Elf_Scn *section, Elf_Data *data, struct symbols *symbols)
{
	(void)section;
	if (symbols->numbers)
		return "it has two tables of symbols";
	symbols->nr = data->d_size / sizeof(Elf64_Sym);
	symbols->numbers = calloc(symbols->nr, sizeof(*symbols->numbers));
	return symbols->numbers ? NULL : "out of memory";
}

static const char *refuse(Elf_Scn *section, Elf_Data *data, struct symbols *symbols)
{
	(void)section, (void)data, (void)symbols;
	return "it has relocations with addends (SHT_RELA), which clang does not make for BPF";
}

static const char *mark_used(Elf_Scn *section, Elf_Data *data, struct symbols *symbols)
{
	GElf_Rel rel;

	(void)section;
	for (int i = 0; gelf_getrel(data, i, &rel); i++) {
		if (GELF_R_SYM(rel.r_info) >= symbols->nr)
			return "a relocation names a symbol that it has not";
		symbols->numbers[GELF_R_SYM(rel.r_info)] = true;
	}
	return NULL;
}

static const char *renumber(Elf_Scn *section, Elf_Data *data, struct symbols *symbols)
{
	GElf_Rel rel;

	(void)section;
	for (int i = 0; gelf_getrel(data, i, &rel); i++) {
		rel.r_info = GELF_R_INFO((uint64_t)symbols->numbers[GELF_R_SYM(rel.r_info)], GELF_R_TYPE(rel.r_info));
		if (!gelf_update_rel(data, i, &rel))
			return elf_errmsg(-1);
	}
	return NULL;
}

/* A label is a local symbol without a type. One that a relocation uses stays. */
static const char *take_out_labels(Elf_Scn *section, Elf_Data *data, struct symbols *symbols)
{
	uint32_t kept = 0, locals = 0;
	GElf_Shdr head;
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		bool local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;

		if (i && local && GELF_ST_TYPE(sym.st_info) == STT_NOTYPE && !symbols->numbers[i])
			continue;
		if (!gelf_update_sym(data, (int)kept, &sym))
			return elf_errmsg(-1);
		symbols->numbers[i] = kept++;
		locals += local;
	}
	data->d_size = kept * sizeof(Elf64_Sym);
	if (!gelf_getshdr(section, &head))
		return elf_errmsg(-1);
	head.sh_info = locals;
	return gelf_update_shdr(section, &head) ? NULL : elf_errmsg(-1);
}

static const char *find_lines(Elf *elf, size_t names)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		GElf_Shdr head;
		const char *name = gelf_getshdr(s, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;

		if (name && !strcmp(name, ".BTF.ext"))
			return take_out_lines(elf_getdata(s, NULL));
	}
	return "it has no .BTF.ext";
}

static const char *change(Elf *elf)
{
	struct symbols symbols = { 0 };
	const char *wrong;
	size_t names;

	if (!elf || gelf_getclass(elf) != ELFCLASS64 || elf_getshdrstrndx(elf, &names))
		return "it is no ELF file of 64 bits";
	wrong = find_lines(elf, names);
	if (!wrong)
		wrong = sections(elf, SHT_SYMTAB, count, &symbols);
	if (!wrong && !symbols.nr)
		wrong = "it has no symbols";
	if (!wrong)
		wrong = sections(elf, SHT_RELA, refuse, &symbols);
	if (!wrong)
		wrong = sections(elf, SHT_REL, mark_used, &symbols);
	if (!wrong)
		wrong = sections(elf, SHT_SYMTAB, take_out_labels, &symbols);
	if (!wrong)
		wrong = sections(elf, SHT_REL, renumber, &symbols);
	if (!wrong && elf_update(elf, ELF_C_WRITE) < 0)
		wrong = elf_errmsg(-1);
	free(symbols.numbers);
	return wrong;
}

int main(int argc, char **argv)
{
	const char *wrong;
	Elf *elf;
	int fd;

	if (argc != 2) {
		fputs("usage: slim OBJECT\n", stderr);
		return 64;
	}
	fd = open(argv[1], O_RDWR);
	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_RDWR, NULL) : NULL;
	wrong = fd < 0 ? "it cannot be opened" : change(elf);
	if (wrong)
		fprintf(stderr, "slim: %s: %s\n", argv[1], wrong);
	elf_end(elf);
	return wrong != NULL;
}
