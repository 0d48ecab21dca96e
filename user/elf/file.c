// SPDX-License-Identifier: GPL-2.0-only
/*
 * file.c - reads an ELF file, by libelf.
 */
#include "elf/file.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/user.h"
#include "base/macros.h"

enum { SEGMENTS_MAX = 64, VERSIONS_MAX = 0x8000 };

/* The names of its symbols: a hash table with open addressing. */
struct elf_names {
	struct named *all;		/* malloc; NULL: it was not made */
	size_t room;			/* a power of 2, more than there are names */
	unsigned nr_asked;
};

struct elf_file {
	Elf *elf;
	struct elf_names names;
	struct elf_segment segments[SEGMENTS_MAX];
	unsigned nr_segments;
	bool whole, no_code;
	unsigned char build_id[ELF_BUILD_ID];
	size_t build_id_len;
	Elf_Data *versions;		/* .gnu.version: a number for each symbol of .dynsym; NULL: none */
	const char **version_names;	/* VERSIONS_MAX, by the number; malloc */
};

/* ---- opening ---- */

static void read_segments(struct elf_file *f)
{
	size_t nr = 0;
	GElf_Phdr p;

	elf_getphdrnum(f->elf, &nr);
	for (size_t i = 0; i < nr && f->nr_segments < SEGMENTS_MAX; i++) {
		if (gelf_getphdr(f->elf, (int)i, &p) && p.p_type == PT_LOAD)
			f->segments[f->nr_segments++] = (struct elf_segment){ p.p_offset, p.p_vaddr, p.p_filesz, p.p_flags & PF_X };
	}
}

static void take_build_id(struct elf_file *f, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && !f->build_id_len && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") || memcmp((char *)data->d_buf + name, "GNU", 4) ||
		    note.n_descsz > sizeof(f->build_id))
			continue;
		memcpy(f->build_id, (char *)data->d_buf + desc, note.n_descsz);
		f->build_id_len = note.n_descsz;
	}
}

static int read_sections(struct elf_file *f)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr))
			return -EBADMSG;
		f->whole |= shdr.sh_type == SHT_SYMTAB;
		f->no_code |= shdr.sh_type == SHT_NOBITS && shdr.sh_flags & SHF_EXECINSTR;
		if (shdr.sh_type == SHT_NOTE)
			take_build_id(f, scn);
	}
	return 0;
}

/* Takes @elf, which may be NULL. */
static int begin(Elf *elf, struct elf_file **ret)
{
	struct elf_file *f = elf && elf_kind(elf) == ELF_K_ELF ? calloc(1, sizeof(*f)) : NULL;
	int err;

	if (!f) {
		err = elf && elf_kind(elf) == ELF_K_ELF ? -ENOMEM : -EBADMSG;
		elf_end(elf);
		return err;
	}
	f->elf = elf;
	read_segments(f);
	err = read_sections(f);
	if (err)
		elf_file_close(f);
	else
		*ret = f;
	return err;
}

int elf_file_open(int fd, struct elf_file **ret)
{
	struct stat st;

	elf_version(EV_CURRENT);
	return begin(fstat(fd, &st) || !S_ISREG(st.st_mode) ? NULL : elf_begin(fd, ELF_C_READ, NULL), ret);
}

int elf_file_image(const void *image, size_t len, struct elf_file **ret)
{
	elf_version(EV_CURRENT);
	/* libelf does not write to it. */
	return begin(elf_memory((char *)(uintptr_t)image, len), ret);
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
	elf_end(f->elf);
	free(f->names.all);
	free(f->version_names);
	free(f);
}

/* ---- headers ---- */

void elf_file_kind(const struct elf_file *f, struct elf_kind *ret)
{
	GElf_Ehdr e;

	*ret = (struct elf_kind){ 0 };
	if (gelf_getehdr(f->elf, &e))
		*ret = (struct elf_kind){ e.e_type, e.e_machine, e.e_ident[EI_CLASS] == ELFCLASS64, e.e_ident[EI_DATA] == ELFDATA2LSB,
					  f->no_code };
}

const struct elf_segment *elf_file_segments(const struct elf_file *f, unsigned *ret_nr)
{
	*ret_nr = f->nr_segments;
	return f->segments;
}

bool elf_file_addr(const struct elf_file *f, uint64_t off, uint64_t *ret)
{
	for (unsigned i = 0; i < f->nr_segments; i++) {
		const struct elf_segment *g = &f->segments[i];

		if (off - g->off < g->size) {
			*ret = off - g->off + g->addr;
			return true;
		}
	}
	return false;
}

bool elf_file_off(const struct elf_file *f, uint64_t addr, uint64_t *ret)
{
	for (unsigned i = 0; i < f->nr_segments; i++) {
		const struct elf_segment *g = &f->segments[i];

		if (addr - g->addr < g->size) {
			*ret = addr - g->addr + g->off;
			return true;
		}
	}
	return false;
}

bool elf_file_whole(const struct elf_file *f)
{
	return f->whole;
}

const unsigned char *elf_file_build_id(const struct elf_file *f, size_t *ret_len)
{
	*ret_len = f->build_id_len;
	return f->build_id_len ? f->build_id : NULL;
}

const void *elf_file_section(struct elf_file *f, const char *name, size_t *ret_len, uint64_t *ret_addr)
{
	size_t strings;

	if (elf_getshdrstrndx(f->elf, &strings))
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr shdr;
		const char *found = gelf_getshdr(scn, &shdr) ? elf_strptr(f->elf, strings, shdr.sh_name) : NULL;
		const Elf_Data *data;

		if (!found || strcmp(found, name))
			continue;
		*ret_addr = shdr.sh_addr;
		data = shdr.sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
		*ret_len = data && data->d_buf ? data->d_size : 0;
		return *ret_len ? data->d_buf : NULL;
	}
	return NULL;
}

bool elf_file_has(struct elf_file *f, const char *name)
{
	size_t strings;

	if (elf_getshdrstrndx(f->elf, &strings))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr shdr;
		const char *found = gelf_getshdr(scn, &shdr) ? elf_strptr(f->elf, strings, shdr.sh_name) : NULL;

		if (found && !strcmp(found, name))
			return shdr.sh_type != SHT_NOBITS && shdr.sh_size;
	}
	return false;
}

/* ---- versions ---- */

/* .gnu.version_d: the names of the versions that this file defines, by their numbers. */
static void read_definitions(struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	uint64_t at = 0;
	GElf_Verdef def;
	GElf_Verdaux aux;

	while (data && at < data->d_size && gelf_getverdef(data, (int)at, &def)) {
		if (def.vd_ndx < VERSIONS_MAX && at + def.vd_aux < data->d_size && gelf_getverdaux(data, (int)(at + def.vd_aux), &aux))
			f->version_names[def.vd_ndx] = elf_strptr(f->elf, shdr->sh_link, aux.vda_name);
		if (!def.vd_next)
			break;
		at += def.vd_next;
	}
}

static void read_versions(struct elf_file *f)
{
	if (f->version_names)
		return;
	f->version_names = calloc(VERSIONS_MAX, sizeof(*f->version_names));
	for (Elf_Scn *scn = NULL; f->version_names && (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_GNU_versym)
			f->versions = elf_getdata(scn, NULL);
		else if (shdr.sh_type == SHT_GNU_verdef)
			read_definitions(f, scn, &shdr);
	}
}

/* Number 1 is the file itself, as the base of its versions: no version at all. */
static void take_version(const struct elf_file *f, int i, struct elf_entry *e)
{
	GElf_Versym number;

	if (!f->versions || !f->version_names || !gelf_getversym(f->versions, i, &number) || (number & 0x7fff) < 2)
		return;
	e->version = f->version_names[number & 0x7fff];
	e->version_hidden = number & 0x8000;
}

/* ---- symbols ---- */

/* Functions, and labels in code, such as the return of a signal handler. */
static bool is_code(Elf *elf, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr shdr;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	if (GELF_ST_VISIBILITY(sym->st_other) == STV_HIDDEN || GELF_ST_VISIBILITY(sym->st_other) == STV_INTERNAL)
		return false;
	return type == STT_NOTYPE && gelf_getshdr(elf_getscn(elf, sym->st_shndx), &shdr) && shdr.sh_flags & SHF_EXECINSTR;
}

static int each_of_table(struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *shdr, int (*each)(void *ctx, const struct elf_entry *e), void *ctx)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;
	int err = 0;

	for (int i = 0; !err && data && gelf_getsym(data, i, &sym); i++) {
		const char *name = is_code(f->elf, &sym) ? elf_strptr(f->elf, shdr->sh_link, sym.st_name) : NULL;
		unsigned bind = GELF_ST_BIND(sym.st_info), type = GELF_ST_TYPE(sym.st_info);
		struct elf_entry e = { sym.st_value, sym.st_size, .weak = bind == STB_WEAK, .global = bind == STB_GLOBAL,
				       .label = type == STT_NOTYPE, .ifunc = type == STT_GNU_IFUNC };

		if (!name || !*name)
			continue;
		e.name = name;
		if (shdr->sh_type == SHT_DYNSYM)
			take_version(f, i, &e);
		err = each(ctx, &e);
	}
	return err;
}

int elf_file_symbols(struct elf_file *f, int (*each)(void *ctx, const struct elf_entry *e), void *ctx)
{
	int err = 0;

	read_versions(f);
	for (Elf_Scn *scn = NULL; !err && (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM))
			err = each_of_table(f, scn, &shdr, each, ctx);
	}
	return err;
}

/* ---- by name ---- */

/* Calls @each for each name that has an address. */
static void each_name(struct elf_file *f, void (*each)(void *ctx, const char *name, uint64_t addr), void *ctx)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr shdr;
		Elf_Data *data;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &shdr) || (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
			unsigned type = GELF_ST_TYPE(sym.st_info);
			const char *name = sym.st_shndx == SHN_UNDEF || type == STT_TLS || type == STT_FILE || type == STT_SECTION ? NULL :
					   elf_strptr(f->elf, shdr.sh_link, sym.st_name);

			if (name && *name)
				each(ctx, name, sym.st_value);
		}
	}
}

struct named {
	const char *name;
	uint64_t addr;			/* of the first symbol with the name */
	bool found, several;
};

static void take_address(struct named *n, uint64_t addr)
{
	n->several |= n->found && n->addr != addr;
	if (!n->found)
		n->addr = addr;
	n->found = true;
}

static void take_if_named(void *ctx, const char *name, uint64_t addr)
{
	struct named *n = ctx;

	if (!strcmp(name, n->name))
		take_address(n, addr);
}

static void count_name(void *ctx, const char *name, uint64_t addr)
{
	(void)name, (void)addr;
	++*(size_t *)ctx;
}

/* FNV-1a. The place of the name, or the empty one for it. */
static struct named *place_of(const struct elf_names *names, const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	size_t at;

	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
	at = (hash ^ hash >> 32) & (names->room - 1);
	while (names->all[at].name && strcmp(names->all[at].name, name))
		at = (at + 1) & (names->room - 1);
	return &names->all[at];
}

static void index_name(void *ctx, const char *name, uint64_t addr)
{
	struct named *n = place_of(ctx, name);

	n->name = name;
	take_address(n, addr);
}

/* Without memory for it, the symbols are looked at one by one. */
static void index_names(struct elf_file *f)
{
	struct elf_names *names = &f->names;
	size_t nr = 0;

	each_name(f, count_name, &nr);
	for (names->room = 16; names->room < 2 * nr;)
		names->room *= 2;
	names->all = calloc(names->room, sizeof(*names->all));
	if (names->all)
		each_name(f, index_name, names);
}

bool elf_file_symbol(struct elf_file *f, const char *name, uint64_t *ret, bool *ret_several)
{
	enum { FEW = 4 };		/* so many searches cost less than an index */
	struct named n = { .name = name };

	if (f->names.nr_asked++ == FEW)
		index_names(f);
	if (f->names.all)
		n = *place_of(&f->names, name);
	else
		each_name(f, take_if_named, &n);
	*ret_several = n.several;
	if (n.found)
		*ret = n.addr;
	return n.found;
}

/* ---- relocations ---- */

struct choice {
	uint64_t addr;
	const char *name;
};

/* A table of relocations, and the symbols that it refers to. */
struct relocations {
	Elf_Data *data, *symbols;
	size_t strings;
};

static bool is_choice(const struct elf_file *f, const struct relocations *r, const GElf_Rela *rela, const struct choice *c, bool *ret_sure)
{
	enum user_relocation type = user_relocation((uint32_t)GELF_R_TYPE(rela->r_info));
	const char *name;
	GElf_Sym sym;

	*ret_sure = type == USER_RELOCATION_CHOICE;
	if (*ret_sure)
		return !c->name && (uint64_t)rela->r_addend == c->addr;
	if (type != USER_RELOCATION_SYMBOL || !r->symbols ||
	    !gelf_getsym(r->symbols, (int)GELF_R_SYM(rela->r_info), &sym))
		return false;
	if (!c->name)
		return sym.st_shndx != SHN_UNDEF && sym.st_value == c->addr;
	name = sym.st_shndx == SHN_UNDEF ? elf_strptr(f->elf, r->strings, sym.st_name) : NULL;
	return name && !strcmp(name, c->name);
}

static bool read_relocations(struct elf_file *f, Elf_Scn *scn, struct relocations *ret)
{
	Elf_Scn *symbols;
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA)
		return false;
	symbols = elf_getscn(f->elf, shdr.sh_link);
	*ret = (struct relocations){ .data = elf_getdata(scn, NULL), .symbols = elf_getdata(symbols, NULL) };
	ret->strings = gelf_getshdr(symbols, &shdr) ? shdr.sh_link : 0;
	return ret->data;
}

void elf_file_choices(struct elf_file *f, uint64_t addr, const char *name, bool (*each)(void *ctx, uint64_t slot, bool sure), void *ctx)
{
	const struct choice wanted = { addr, name };
	bool more = true;

	for (Elf_Scn *scn = NULL; more && (scn = elf_nextscn(f->elf, scn));) {
		struct relocations r;
		GElf_Rela rela;
		bool sure;

		if (!read_relocations(f, scn, &r))
			continue;
		for (int i = 0; more && gelf_getrela(r.data, i, &rela); i++) {
			if (is_choice(f, &r, &rela, &wanted, &sure))
				more = each(ctx, rela.r_offset, sure);
		}
	}
}

static unsigned underscores(const char *name)
{
	return (unsigned)strspn(name, "_");
}

bool elf_entry_is_better(const struct elf_entry *a, const struct elf_entry *b)
{
	if (!a->size != !b->size)
		return a->size;
	if (a->weak != b->weak)
		return b->weak;
	if (a->global != b->global)
		return a->global;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) < underscores(b->name);
	return strlen(a->name) > strlen(b->name);
}
