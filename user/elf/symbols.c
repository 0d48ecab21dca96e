// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbols.c - an ELF file's symbols, by address.
 */
#include "elf/symbols.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/macros.h"
#include "elf/demangle.h"

enum { SYMBOLS_MAX = 8 << 20, SEGMENTS_MAX = 64, NAME_MAX_LEN = 4096 };

struct segment {
	uint64_t off, addr, size;
};

struct found {
	struct elf_symbol sym;		/* first: elf_symbols_find() returns it */
	bool weak, global;
	bool shown;			/* its name is the one to show */
};

struct elf_symbols {
	struct arena arena;		/* names */
	struct buf text;		/* for a name that is being made */
	struct found *all;		/* sorted by address, one for each; malloc */
	size_t nr, room;
	struct segment segments[SEGMENTS_MAX];
	unsigned nr_segments;
	bool whole;
	unsigned char build_id[ELF_BUILD_ID];
	size_t build_id_len;
};

/* ---- reading ---- */

static void add_segments(struct elf_symbols *s, Elf *elf)
{
	size_t nr = 0;
	GElf_Phdr p;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr && s->nr_segments < SEGMENTS_MAX; i++) {
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD)
			s->segments[s->nr_segments++] = (struct segment){ p.p_offset, p.p_vaddr, p.p_filesz };
	}
}

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

static int add_symbol(struct elf_symbols *s, const GElf_Sym *sym, const char *name)
{
	size_t len = strnlen(name, NAME_MAX_LEN);
	unsigned bind = GELF_ST_BIND(sym->st_info);

	if (!len)
		return 0;
	if (s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		struct found *more = room <= SYMBOLS_MAX ? realloc(s->all, room * sizeof(*more)) : NULL;

		if (!more)
			return room <= SYMBOLS_MAX ? -ENOMEM : -EFBIG;
		s->all = more;
		s->room = room;
	}
	s->all[s->nr++] = (struct found){ .sym = { sym->st_value, sym->st_size, arena_strndup(&s->arena, name, len) },
					  .weak = bind == STB_WEAK, .global = bind == STB_GLOBAL };
	return 0;
}

static int add_table(struct elf_symbols *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;
	int err = 0;

	for (int i = 0; !err && data && gelf_getsym(data, i, &sym); i++) {
		const char *name = is_code(elf, &sym) ? elf_strptr(elf, shdr->sh_link, sym.st_name) : NULL;

		if (name)
			err = add_symbol(s, &sym, name);
	}
	return err;
}

static void take_build_id(struct elf_symbols *s, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && !s->build_id_len && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") || memcmp((char *)data->d_buf + name, "GNU", 4) ||
		    note.n_descsz > sizeof(s->build_id))
			continue;
		memcpy(s->build_id, (char *)data->d_buf + desc, note.n_descsz);
		s->build_id_len = note.n_descsz;
	}
}

static int add_sections(struct elf_symbols *s, Elf *elf)
{
	int err = 0;

	for (Elf_Scn *scn = NULL; !err && (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr))
			return -EBADMSG;
		if (shdr.sh_type == SHT_SYMTAB)
			s->whole = true;
		if (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM)
			err = add_table(s, elf, scn, &shdr);
		else if (shdr.sh_type == SHT_NOTE)
			take_build_id(s, scn);
	}
	return err;
}

/* ---- one name for each address ---- */

static unsigned underscores(const char *name)
{
	return (unsigned)strspn(name, "_");
}

/* Is @a the better name? perf's order (6.12, tools/perf/util/symbol.c, choose_best_symbol()). */
static bool is_better(const struct found *a, const struct found *b)
{
	if (!a->sym.size != !b->sym.size)
		return a->sym.size;
	if (a->weak != b->weak)
		return b->weak;
	if (a->global != b->global)
		return a->global;
	if (underscores(a->sym.name) != underscores(b->sym.name))
		return underscores(a->sym.name) < underscores(b->sym.name);
	return strlen(a->sym.name) > strlen(b->sym.name);
}

static int compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->sym.addr != y->sym.addr)
		return x->sym.addr < y->sym.addr ? -1 : 1;
	return is_better(x, y) ? -1 : is_better(y, x) ? 1 : 0;
}

/* A symbol without a size reaches to the next one. */
static void settle(struct elf_symbols *s)
{
	size_t nr = 0;

	if (s->nr)
		qsort(s->all, s->nr, sizeof(*s->all), compare);
	for (size_t i = 0; i < s->nr; i++) {
		if (!nr || s->all[i].sym.addr != s->all[nr - 1].sym.addr)
			s->all[nr++] = s->all[i];
	}
	s->nr = nr;
	for (size_t i = 0; i + 1 < nr; i++) {
		if (!s->all[i].sym.size)
			s->all[i].sym.size = s->all[i + 1].sym.addr - s->all[i].sym.addr;
	}
}

static int read_elf(struct elf_symbols *s, Elf *elf, bool segments)
{
	int err;

	if (!elf)
		return -EBADMSG;
	if (elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -EBADMSG;
	}
	if (segments)
		add_segments(s, elf);
	err = add_sections(s, elf);
	elf_end(elf);
	if (!err)
		settle(s);
	return err;
}

/* Files are read and not mapped: whoever shortens a mapped file would end the reader by a signal. */
static Elf *begin_file(int fd)
{
	struct stat st;

	elf_version(EV_CURRENT);
	return fstat(fd, &st) || !S_ISREG(st.st_mode) ? NULL : elf_begin(fd, ELF_C_READ, NULL);
}

static int finish(struct elf_symbols *s, int err, struct elf_symbols **ret)
{
	if (err)
		elf_symbols_free(s);
	else
		*ret = s;
	return err;
}

int elf_symbols_read(int fd, struct elf_symbols **ret)
{
	struct elf_symbols *s = calloc(1, sizeof(*s));

	return s ? finish(s, read_elf(s, begin_file(fd), true), ret) : -ENOMEM;
}

int elf_symbols_image(const void *image, size_t len, struct elf_symbols **ret)
{
	struct elf_symbols *s = calloc(1, sizeof(*s));

	elf_version(EV_CURRENT);
	/* libelf does not write to it. */
	return s ? finish(s, read_elf(s, elf_memory((char *)(uintptr_t)image, len), true), ret) : -ENOMEM;
}

int elf_symbols_add(struct elf_symbols *s, int fd)
{
	return read_elf(s, begin_file(fd), false);
}

void elf_symbols_free(struct elf_symbols *s)
{
	if (!s)
		return;
	arena_fini(&s->arena);
	buf_fini(&s->text);
	free(s->all);
	free(s);
}

/* ---- asking ---- */

bool elf_symbols_whole(const struct elf_symbols *s)
{
	return s->whole;
}

bool elf_symbols_addr(const struct elf_symbols *s, uint64_t off, uint64_t *ret)
{
	for (unsigned i = 0; i < s->nr_segments; i++) {
		const struct segment *g = &s->segments[i];

		if (off - g->off < g->size) {
			*ret = off - g->off + g->addr;
			return true;
		}
	}
	return false;
}

/* A name of C++ or Rust is made readable when it is first asked for: most never are. */
static const struct elf_symbol *show(struct elf_symbols *s, struct found *f)
{
	if (!f->shown) {
		f->shown = true;
		buf_reset(&s->text);
		if (demangle(f->sym.name, &s->text))
			f->sym.name = arena_strndup(&s->arena, buf_str(&s->text), s->text.len);
	}
	return &f->sym;
}

const struct elf_symbol *elf_symbols_find(struct elf_symbols *s, uint64_t addr)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->all[middle].sym.addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || addr - s->all[low - 1].sym.addr >= MAX(s->all[low - 1].sym.size, (uint64_t)1))
		return NULL;
	return show(s, &s->all[low - 1]);
}

const unsigned char *elf_symbols_build_id(const struct elf_symbols *s, size_t *ret_len)
{
	*ret_len = s->build_id_len;
	return s->build_id_len ? s->build_id : NULL;
}
