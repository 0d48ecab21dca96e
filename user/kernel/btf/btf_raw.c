// SPDX-License-Identifier: GPL-2.0-only
/*
 * btf_raw.c - types as they are stored in a BTF file.
 */
#include "kernel/btf/btf_raw.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/macros.h"
#include "base/memory.h"

enum {
	STRIDE = 32,			/* the offset of one of so many types is kept */
	MAX_FILE = 1 << 28,
	PASSES_MAX = 8,
	CHAIN_MAX = 32,			/* the most typedefs and qualifiers of a type */
	PAGE = 4096, SLACK = 4,
};

#define VMLINUX	"/sys/kernel/btf/vmlinux"

/* All types with one name, in ascending order. */
struct looked_for {
	struct looked_for *next;
	const char *name;
	uint32_t four;			/* see first_four() */
	struct buf ids;			/* of uint32_t */
};

/*
 * The pages that have only strings. Only a search by name needs all of them, so between searches they take no memory. A page stays if a
 * string in it was given to a caller.
 */
struct pages {
	int fd;				/* the file to read them from again */
	char *at;
	uint32_t nr;			/* 0: all pages stay */
	uint8_t *given;			/* one byte for each page: it stays */
	bool away;			/* the others are not there */
};

struct btf_raw {
	const struct btf_raw *base;
	void *mapped;			/* the memory to unmap */
	size_t mapped_len, len;		/* the length of that, and the length of the file in it */
	const uint8_t *types;
	const char *strings;
	uint32_t types_len, strings_len;
	uint32_t first, count, first_string;	/* first, first_string: the end of the base */
	struct pages pages;
	uint32_t *places;		/* offsets of types first, first + STRIDE, ... */
	struct arena arena;
	struct looked_for *names;
	const struct looked_for *looked;	/* this name and those after it have been looked for */
	unsigned passes;
	uint32_t *table;		/* types by the hash of their names, 0: none; NULL: few names, no table */
	unsigned table_bits;
};

/* ---- types ---- */

static unsigned kind_of(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

/* The size in bytes of a type in BTF version 1, up to Linux 7.2; 0: its kind is not known. */
static uint32_t type_size(const struct btf_type *t)
{
	static const struct { uint8_t known, fixed, each; } sizes[] = {
		[BTF_KIND_INT] = { 1, 4, 0 }, [BTF_KIND_PTR] = { 1, 0, 0 },
		[BTF_KIND_ARRAY] = { 1, sizeof(struct btf_array), 0 },
		[BTF_KIND_STRUCT] = { 1, 0, sizeof(struct btf_member) },
		[BTF_KIND_UNION] = { 1, 0, sizeof(struct btf_member) },
		[BTF_KIND_ENUM] = { 1, 0, sizeof(struct btf_enum) }, [BTF_KIND_FWD] = { 1, 0, 0 },
		[BTF_KIND_TYPEDEF] = { 1, 0, 0 }, [BTF_KIND_VOLATILE] = { 1, 0, 0 },
		[BTF_KIND_CONST] = { 1, 0, 0 }, [BTF_KIND_RESTRICT] = { 1, 0, 0 }, [BTF_KIND_FUNC] = { 1, 0, 0 },
		[BTF_KIND_FUNC_PROTO] = { 1, 0, sizeof(struct btf_param) },
		[BTF_KIND_VAR] = { 1, sizeof(struct btf_var), 0 },
		[BTF_KIND_DATASEC] = { 1, 0, sizeof(struct btf_var_secinfo) },
		[BTF_KIND_FLOAT] = { 1, 0, 0 }, [17 /* DECL_TAG */] = { 1, 4, 0 }, [18 /* TYPE_TAG */] = { 1, 0, 0 },
		[19 /* ENUM64 */] = { 1, 0, 12 },
	};
	unsigned kind = kind_of(t);

	if (kind >= ARRAY_SIZE(sizes) || !sizes[kind].known)
		return 0;
	return (uint32_t)sizeof(*t) + sizes[kind].fixed + BTF_INFO_VLEN(t->info) * sizes[kind].each;
}

static const struct btf_type *type_at(const struct btf_raw *b, uint32_t off)
{
	return (const struct btf_type *)(const void *)(b->types + off);
}

/* Counts the types, and keeps the offsets of some. Also checks that each is complete, so later code need not. */
static bool index_types(struct btf_raw *b)
{
	struct buf places = { 0 };
	uint32_t off = 0, nr = 0, size;

	for (; b->types_len - off >= sizeof(struct btf_type); off += size, nr++) {
		size = type_size(type_at(b, off));
		if (!size || size > b->types_len - off)
			break;
		if (nr % STRIDE == 0)
			buf_add(&places, &off, sizeof(off));
	}
	b->places = (uint32_t *)(void *)places.data;
	b->count = b->first + nr;
	return nr && off == b->types_len;
}

uint32_t btf_raw_first(const struct btf_raw *b)
{
	return b->first;
}

uint32_t btf_raw_count(const struct btf_raw *b)
{
	return b->count;
}

const struct btf_type *btf_raw_type(const struct btf_raw *b, uint32_t id)
{
	static const struct btf_type nothing;
	uint32_t nr, off;

	if (!id)
		return &nothing;
	if (id < b->first)
		return b->base ? btf_raw_type(b->base, id) : NULL;
	if (id >= b->count)
		return NULL;
	nr = id - b->first;
	off = b->places[nr / STRIDE];
	for (nr %= STRIDE; nr; nr--)
		off += type_size(type_at(b, off));
	return type_at(b, off);
}

static const char *string_at(const struct btf_raw *b, uint32_t off)
{
	if (b->base && off < b->first_string)
		return btf_raw_string(b->base, off);
	off -= b->first_string;
	return off < b->strings_len ? b->strings + off : "\0\0\0";
}

/* The file does not change, and was read before. If it could not be read again, a name would be empty: no type has that name. */
static void read_page(const struct btf_raw *b, uint32_t page)
{
	char *to = b->pages.at + (size_t)page * PAGE;
	size_t done = 0;
	ssize_t got;

	while (done < PAGE && (got = pread(b->pages.fd, to + done, PAGE - done, to + done - (char *)b->mapped)) > 0)
		done += (size_t)got;
}

/* A string may begin before the first page, or be in several. */
const char *btf_raw_string(const struct btf_raw *b, uint32_t off)
{
	const char *string = string_at(b, off), *from = string, *end;
	const struct pages *p = &b->pages;

	if (!p->nr || string < b->strings || string >= p->at + (size_t)p->nr * PAGE)
		return string;
	for (; from < p->at + (size_t)p->nr * PAGE; from = end) {
		if (from < p->at) {
			end = p->at;
		} else {
			uint32_t page = (uint32_t)((from - p->at) / PAGE);

			if (!p->given[page] && p->away)
				read_page(b, page);
			p->given[page] = 1;
			end = p->at + ((size_t)page + 1) * PAGE;
		}
		if (memchr(from, 0, (size_t)(end - from)))
			break;
	}
	return string;
}

static void need_strings(struct btf_raw *b)
{
	struct pages *p = &b->pages;

	for (uint32_t page = 0; p->away && page < p->nr; page++) {
		if (!p->given[page])
			read_page(b, page);
	}
	p->away = false;
}

static void drop_strings(struct btf_raw *b)
{
	struct pages *p = &b->pages;

	for (uint32_t page = 0, end; page < p->nr; page = end + 1) {
		for (end = page; end < p->nr && !p->given[end]; end++)
			;
		if (end > page)
			madvise(p->at + (size_t)page * PAGE, (size_t)(end - page) * PAGE, MADV_DONTNEED);
	}
	p->away = p->nr;
}

bool btf_raw_has_string(const struct btf_raw *b, uint32_t off)
{
	return off < b->first_string ? btf_raw_has_string(b->base, off) : off - b->first_string < b->strings_len;
}

const struct btf_type *btf_raw_bare(const struct btf_raw *b, uint32_t *id)
{
	const struct btf_type *t = btf_raw_type(b, *id);

	for (unsigned n = 0; t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)); n++) {
		if (n == CHAIN_MAX)
			return NULL;
		*id = t->type;
		t = btf_raw_type(b, *id);
	}
	return t;
}

/* ---- names ---- */

static struct looked_for *known_name(const struct btf_raw *b, const char *name)
{
	struct looked_for *n = b->names;

	while (n && strcmp(n->name, name))
		n = n->next;
	return n;
}

/* The first four bytes of a name, which differ between most names. A shorter name has only its own bytes. */
static uint32_t first_four(const char *s)
{
	uint32_t four;

	memcpy(&four, s, sizeof(four));
	if (!(four & 0xff))
		return 0;
	if (!(four & 0xff00))
		return four & 0xff;
	return four & (four & 0xff0000 ? 0xffffffff : 0xffff);
}

/* Adds four NULs, because first_four() may read them. */
static const char *copy_name(struct btf_raw *b, const char *name)
{
	size_t len = strlen(name);

	return memcpy(arena_alloc(&b->arena, len + 4), name, len);
}

static void add_name(struct btf_raw *b, const char *name)
{
	struct looked_for *n;

	if (known_name(b, name) || !*name)
		return;
	n = arena_new(&b->arena, struct looked_for);
	*n = (struct looked_for){ .next = b->names, .name = copy_name(b, name) };
	n->four = first_four(n->name);
	b->names = n;
}

static unsigned bucket_of(uint32_t four)
{
	return four * 0x9e3779b1u >> 20;
}

static void found(struct looked_for *n, const struct looked_for *done, uint32_t four, const char *name, uint32_t id)
{
	for (; n != done; n = n->next) {
		if (n->four == four && !strcmp(n->name, name))
			buf_add(&n->ids, &id, sizeof(id));
	}
}

/* Finds the types of all names before @done, in one pass. */
static void look(struct btf_raw *b, const struct looked_for *done)
{
	uint8_t wanted[4096] = { 0 };
	uint32_t off = 0;

	need_strings(b);
	for (struct looked_for *n = b->names; n != done; n = n->next)
		wanted[bucket_of(n->four)] = 1;
	for (uint32_t id = b->first; id < b->count; id++) {
		const struct btf_type *t = type_at(b, off);
		const char *name;
		uint32_t four;

		off += type_size(t);
		if (!t->name_off)
			continue;
		name = string_at(b, t->name_off);
		four = first_four(name);
		if (wanted[bucket_of(four)])
			found(b->names, done, four, name, id);
	}
	drop_strings(b);
}

/*
 * ---- many names ----
 *
 * A pass for each new name is cheap if there are few names. After PASSES_MAX passes, all names go into a table. It uses
 * open addressing, so types of one name are found in their order.
 */
static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash * 0x9e3779b1u;
}

static void build_table(struct btf_raw *b)
{
	unsigned bits = 10;
	uint32_t off = 0;

	while (((uint64_t)1 << bits) / 2 < b->count - b->first)
		bits++;
	b->table = must(calloc((size_t)1 << bits, sizeof(*b->table)));
	b->table_bits = bits;
	need_strings(b);
	for (uint32_t id = b->first; id < b->count; id++) {
		const struct btf_type *t = type_at(b, off);
		uint32_t at;

		off += type_size(t);
		if (!t->name_off)
			continue;
		at = hash_name(string_at(b, t->name_off)) >> (32 - bits);
		while (b->table[at])
			at = (at + 1) & ((1u << bits) - 1);
		b->table[at] = id;
	}
	drop_strings(b);
}

static uint32_t find_in_table(const struct btf_raw *b, const char *name, unsigned kind)
{
	uint32_t at = hash_name(name) >> (32 - b->table_bits);

	for (; b->table[at]; at = (at + 1) & ((1u << b->table_bits) - 1)) {
		const struct btf_type *t = btf_raw_type(b, b->table[at]);

		if (kind_of(t) == kind && !strcmp(btf_raw_string(b, t->name_off), name))
			return b->table[at];
	}
	return 0;
}

void btf_raw_expect(struct btf_raw *b, const char *name)
{
	if (!b->looked)
		add_name(b, name);
}

uint32_t btf_raw_find(struct btf_raw *b, const char *name, unsigned kind, const char *const *likely)
{
	const struct looked_for *done = b->looked, *n = known_name(b, name);
	const uint32_t *ids;

	if (!*name)
		return 0;
	if (!b->table && !n && ++b->passes > PASSES_MAX)
		build_table(b);
	if (b->table)
		return find_in_table(b, name, kind);
	if (!n || !done) {
		add_name(b, name);
		for (; !done && likely && *likely; likely++)
			add_name(b, *likely);
		look(b, done);
		b->looked = b->names;
		n = known_name(b, name);
	}
	ids = (const uint32_t *)(const void *)n->ids.data;
	for (size_t i = 0; i < n->ids.len / sizeof(*ids); i++) {
		if (kind_of(btf_raw_type(b, ids[i])) == kind)
			return ids[i];
	}
	return 0;
}

/* ---- many functions ---- */

/* A small number from a name's first three characters. Most names of the file are rejected by it. */
static unsigned bucket_of_start(const char *name)
{
	unsigned n = (uint8_t)name[0];

	for (unsigned i = 1; i < 3 && name[i - 1]; i++)
		n = n * 61 + (uint8_t)name[i];
	return n & 4095;
}

void btf_raw_find_functions(struct btf_raw *b, const char *const *names, unsigned nr, uint32_t *ret)
{
	uint8_t wanted[4096] = { 0 };
	struct arena arena = { 0 };
	unsigned bits = 4, mask;
	uint32_t off = 0, *table;	/* numbers of names, from 1 on, by their hash; 0: none */

	while (1u << bits < 2 * nr)
		bits++;
	mask = (1u << bits) - 1;
	table = arena_array(&arena, uint32_t, (size_t)mask + 1);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = hash_name(names[i]) >> (32 - bits);

		while (table[at])
			at = (at + 1) & mask;
		table[at] = i + 1;
		wanted[bucket_of_start(names[i])] = 1;
		ret[i] = 0;
	}
	need_strings(b);
	for (uint32_t id = b->first; id < b->count; id++) {
		const struct btf_type *t = type_at(b, off);
		const char *name;

		off += type_size(t);
		if (kind_of(t) != BTF_KIND_FUNC)
			continue;
		name = string_at(b, t->name_off);
		if (!wanted[bucket_of_start(name)])
			continue;
		for (uint32_t at = hash_name(name) >> (32 - bits); table[at]; at = (at + 1) & mask) {
			if (!ret[table[at] - 1] && !strcmp(names[table[at] - 1], name))
				ret[table[at] - 1] = id;
		}
	}
	drop_strings(b);
	arena_fini(&arena);
}

/* ---- files ---- */

static bool map_memory(struct btf_raw *b, size_t len, int prot, int flags, int fd)
{
	void *p = mmap(NULL, len, prot, flags, fd, 0);

	if (p == MAP_FAILED)
		return false;
	b->mapped = p;
	b->mapped_len = len;
	return true;
}

/* The mapping needs some bytes after the file, which first_four() reads. */
static bool map_file(struct btf_raw *b, int fd, size_t len)
{
	b->len = len;
	return ROUND_UP(len, (size_t)PAGE) >= len + SLACK && map_memory(b, len, PROT_READ, MAP_PRIVATE, fd);
}

/*
 * Reads the kernel's own BTF, which has number 1, with bpf(2). That copies all of it at once; sysfs needs two copies,
 * and a system call for each page (5.11 on; CAP_SYS_ADMIN).
 */
static bool read_by_bpf(struct btf_raw *b, size_t len)
{
	char name[16] = "";
	struct bpf_btf_info info = {
		.btf = (uint64_t)(uintptr_t)b->mapped, .btf_size = (uint32_t)len,
		.name = (uint64_t)(uintptr_t)name, .name_len = sizeof(name),
	};
	uint32_t info_len = sizeof(info);
	auto_fd fd = bpf_btf_get_fd_by_id(1);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &info_len) && info.btf_size == len && info.kernel_btf &&
	       !strcmp(name, "vmlinux");
}

/* Files in sysfs tell their size, and return one page for each read(2). */
static bool read_all(struct btf_raw *b, const char *path, int fd, size_t len)
{
	size_t done = 0;

	if (!map_memory(b, len + SLACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1))
		return false;
	b->len = len;
	if (!strcmp(path, VMLINUX) && read_by_bpf(b, len))
		return true;
	while (done < len) {
		ssize_t got = pread(fd, (char *)b->mapped + done, len - done, (off_t)done);

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* Finds the section .BTF of an ELF file. Tests use such files. */
static const uint8_t *elf_section(const struct btf_raw *b, size_t *len)
{
	const uint8_t *found = NULL;
	GElf_Shdr head;
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(b->mapped, b->len);
	if (!elf || elf_getshdrstrndx(elf, &names))
		names = 0;
	for (Elf_Scn *s = NULL; names && !found && (s = elf_nextscn(elf, s));) {
		const char *name = gelf_getshdr(s, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;

		if (name && !strcmp(name, ".BTF") && head.sh_offset % 4 == 0 && head.sh_offset <= b->len &&
		    head.sh_size <= b->len - head.sh_offset) {
			found = (const uint8_t *)b->mapped + head.sh_offset;
			*len = head.sh_size;
		}
	}
	elf_end(elf);
	return found;
}

static bool parse(struct btf_raw *b)
{
	const uint8_t *data = b->mapped;
	size_t len = b->len, room;
	struct btf_header head;

	if (len >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG))
		data = elf_section(b, &len);
	if (!data || len < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	if (head.magic != BTF_MAGIC || head.version != BTF_VERSION || head.hdr_len > len || head.hdr_len % 4)
		return false;
	room = len - head.hdr_len;
	if (head.type_off > room || head.type_len > room - head.type_off || head.type_off % 4 ||
	    head.str_off > room || head.str_len > room - head.str_off || !head.str_len)
		return false;
	b->types = data + head.hdr_len + head.type_off;
	b->types_len = head.type_len;
	b->strings = (const char *)data + head.hdr_len + head.str_off;
	b->strings_len = head.str_len;
	return !b->strings[head.str_len - 1] && index_types(b);
}

/* The strings of a copy in memory can be read again, except those of the first and the last page. */
static void let_strings_go(struct btf_raw *b, int *fd)
{
	uintptr_t from = ROUND_UP((uintptr_t)b->strings, (uintptr_t)PAGE), to = (uintptr_t)b->mapped + b->len;
	struct pages p = { .at = (char *)from };

	to = MIN(to, (uintptr_t)b->strings + b->strings_len) / PAGE * PAGE;
	if (from >= to)
		return;
	p.nr = (uint32_t)((to - from) / PAGE);
	p.given = calloc(p.nr, 1);
	if (!p.given)
		return;
	p.fd = take_fd(*fd);
	b->pages = p;
}

struct btf_raw *btf_raw_open(const char *path, const struct btf_raw *base)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	struct btf_raw *b = fd < 0 ? NULL : must(calloc(1, sizeof(*b)));
	struct stat st;

	if (!b)
		return NULL;
	b->base = base;
	b->first = base ? base->count : 1;
	b->first_string = base ? base->first_string + base->strings_len : 0;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size <= MAX_FILE) {
		bool maps = map_file(b, fd, (size_t)st.st_size);

		if ((maps || read_all(b, path, fd, (size_t)st.st_size)) && parse(b)) {
			if (!maps)
				let_strings_go(b, &fd);
			return b;
		}
	}
	btf_raw_close(b);
	return NULL;
}

void btf_raw_close(struct btf_raw *b)
{
	if (!b)
		return;
	for (struct looked_for *n = b->names; n; n = n->next)
		buf_fini(&n->ids);
	arena_fini(&b->arena);
	if (b->mapped)
		munmap(b->mapped, b->mapped_len);
	if (b->pages.nr)
		close(b->pages.fd);
	free(b->pages.given);
	free(b->places);
	free(b->table);
	free(b);
}
