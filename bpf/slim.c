// SPDX-License-Identifier: GPL-2.0-only
/*
 * slim.c - takes out of a BPF object what bprobe has no use for, when bprobe is built
 *
 *   slim OBJECT
 *
 * The object is in bprobe, and libbpf reads all of it at each start. No option of clang leaves these two out, and no tool either:
 *
 * - The source lines in .BTF.ext, half a megabyte. The kernel shows them in the verifier's log and in dumps. bprobe loads copies of its
 *   programs without them (keep_model(), user/run/engine.c), but libbpf would sort and keep them. struct btf_ext_header and what is behind
 *   it are in Linux 6.12, Documentation/bpf/btf.rst.
 * - clang's labels in the symbol table, 7,600 of 7,700 symbols. libbpf looks through all symbols for each of its questions.
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

/* Calls @each for the data of each section of this type. */
static void sections(Elf *elf, uint32_t type, void (*each)(Elf_Scn *, Elf_Data *, uint32_t *), uint32_t *symbols)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		GElf_Shdr head;
		Elf_Data *data = gelf_getshdr(s, &head) && head.sh_type == type ? elf_getdata(s, NULL) : NULL;

		if (data)
			each(s, data, symbols);
	}
}

static void mark_used(Elf_Scn *section, Elf_Data *data, uint32_t *used)
{
	GElf_Rel rel;

	(void)section;
	for (int i = 0; gelf_getrel(data, i, &rel); i++)
		used[GELF_R_SYM(rel.r_info)] = true;
}

static void renumber(Elf_Scn *section, Elf_Data *data, uint32_t *numbers)
{
	GElf_Rel rel;

	(void)section;
	for (int i = 0; gelf_getrel(data, i, &rel); i++) {
		rel.r_info = GELF_R_INFO((uint64_t)numbers[GELF_R_SYM(rel.r_info)], GELF_R_TYPE(rel.r_info));
		gelf_update_rel(data, i, &rel);
	}
}

/* A label is a local symbol without a type. @numbers: in, which symbols are used; out, each symbol's new number. */
static void take_out_labels(Elf_Scn *section, Elf_Data *data, uint32_t *numbers)
{
	uint32_t kept = 0, locals = 0;
	GElf_Shdr head;
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		bool local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;

		if (i && local && GELF_ST_TYPE(sym.st_info) == STT_NOTYPE && !numbers[i])
			continue;
		gelf_update_sym(data, (int)kept, &sym);
		numbers[i] = kept++;
		locals += local;
	}
	data->d_size = kept * sizeof(Elf64_Sym);
	if (gelf_getshdr(section, &head)) {
		head.sh_info = locals;
		gelf_update_shdr(section, &head);
	}
}

static const char *change(Elf *elf)
{
	const char *wrong = "it has no .BTF.ext";
	size_t names, nr = 0;
	uint32_t *numbers;

	if (!elf || gelf_getclass(elf) != ELFCLASS64 || elf_getshdrstrndx(elf, &names))
		return "it is no ELF file of 64 bits";
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		GElf_Shdr head;
		const char *name = gelf_getshdr(s, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;

		if (name && !strcmp(name, ".BTF.ext"))
			wrong = take_out_lines(elf_getdata(s, NULL));
		if (name && head.sh_type == SHT_SYMTAB)
			nr = head.sh_size / sizeof(Elf64_Sym);
	}
	numbers = calloc(nr + 1, sizeof(*numbers));
	if (!wrong && (!nr || !numbers))
		wrong = "it has no symbols";
	if (!wrong) {
		sections(elf, SHT_REL, mark_used, numbers);
		sections(elf, SHT_SYMTAB, take_out_labels, numbers);
		sections(elf, SHT_REL, renumber, numbers);
		wrong = elf_update(elf, ELF_C_WRITE) < 0 ? elf_errmsg(-1) : NULL;
	}
	free(numbers);
	return wrong;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	const char *wrong;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_RDWR, NULL) : NULL;
	wrong = fd < 0 ? "cannot be opened" : change(elf);
	if (wrong)
		fprintf(stderr, "slim: %s: %s\n", argc == 2 ? argv[1] : "OBJECT", wrong);
	elf_end(elf);
	return wrong != NULL;
}
