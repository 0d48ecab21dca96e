// SPDX-License-Identifier: GPL-2.0-only
/*
 * units.c - opens debug information, and finds the units that may have what is asked for.
 *
 * A kernel has 3000 units with 200 MB. To look at each entry for a name costs seconds. A name is in .debug_str once, and every
 * entry that has it holds its offset there. So a unit without the bytes of that offset cannot have the name, and a search for four
 * bytes is fast. What it finds by chance costs time, but is no error: only wanted units are read then.
 */
#include <emmintrin.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macros.h"
#include "elf/dwarf/lines_priv.h"

/* With more, all units are wanted. */
enum { MOST_OFFSETS = 64 };

static int find_no_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

/* dwfl would look for separate files by itself. */
static int find_no_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, const char *file, const char *link,
			     GElf_Word sum, char **debug)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)link, (void)sum, (void)debug;
	return -1;
}

/* ---- sections ---- */

struct bytes {
	const unsigned char *data;
	size_t len;
};

/* As libdw has it: uncompressed and relocated. */
static struct bytes section(struct debug *d, const char *name)
{
	Elf *elf = dwarf_getelf(d->dwarf);
	size_t names;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(elf, &names))
		return (struct bytes){ 0 };
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr mem, *head = gelf_getshdr(scn, &mem);
		const char *is = head ? elf_strptr(elf, names, head->sh_name) : NULL;
		Elf_Data *data;

		if (!is || strcmp(is, name) || head->sh_type == SHT_NOBITS)
			continue;
		data = elf_getdata(scn, NULL);
		return data ? (struct bytes){ data->d_buf, data->d_size } : (struct bytes){ 0 };
	}
	return (struct bytes){ 0 };
}

const unsigned char *debug_section(struct debug *d, const char *name, size_t *ret_len)
{
	struct bytes is = section(d, name);

	*ret_len = is.len;
	return is.data;
}

/*
 * Where the section's bytes are in the file, as libdw uses them. False: they are compressed, or are relocated. Pages that are only
 * searched need not be mapped then: 200 MB of a kernel.
 */
static bool in_file(struct debug *d, const char *name, struct bytes is, off_t *ret)
{
	Elf *elf = elf_begin(d->fd, ELF_C_READ, NULL);
	size_t names = 0;
	Elf_Scn *scn = NULL;
	GElf_Ehdr mem, *file = elf ? gelf_getehdr(elf, &mem) : NULL;
	bool found = false;

	if (!file || file->e_type == ET_REL || elf_getshdrstrndx(elf, &names)) {
		elf_end(elf);
		return false;
	}
	while (!found && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr head_mem, *head = gelf_getshdr(scn, &head_mem);
		const char *its = head ? elf_strptr(elf, names, head->sh_name) : NULL;

		if (!its || strcmp(its, name))
			continue;
		found = !(head->sh_flags & SHF_COMPRESSED) && head->sh_size == is.len;
		*ret = (off_t)head->sh_offset;
		break;
	}
	elf_end(elf);
	return found;
}

/* ---- units ---- */

/*
 * The heads of 3000 units are far from each other, and with each the kernel maps the pages around it. What is mapped of the file
 * can be read again.
 */
static void forget(struct bytes is)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = ROUND_UP((uintptr_t)is.data, page);
	uintptr_t end = ((uintptr_t)is.data + is.len) / page * page;

	if (end > start)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

/* Is it the mapped file, and not a copy in memory, which would be gone? One page tells. */
static bool is_mapped(struct bytes is)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *first = (unsigned char *)ROUND_UP((uintptr_t)is.data, page), *copy = malloc(page);
	bool same = true;

	if (!copy || is.len < 2 * page) {
		free(copy);
		return false;
	}
	memcpy(copy, first, page);
	madvise(first, page, MADV_DONTNEED);
	if (memcmp(copy, first, page)) {
		memcpy(first, copy, page);
		same = false;
	}
	free(copy);
	return same;
}

/* Where the rest of a unit is. */
static const char *dwo_name(struct debug *d, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr(unit, DW_AT_dwo_name, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr));
	return name ? arena_strdup(d->arena, name) : NULL;
}

static void list_units(struct debug *d)
{
	enum { EACH = 128 };
	struct bytes info = section(d, ".debug_info");
	off_t off;
	bool forgets = in_file(d, ".debug_info", info, &off) && is_mapped(info);
	unsigned size = 0;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	d->is_scattered = d->alternate || section(d, ".debug_str_offsets").len;
	while (!dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, &split)) {
		Dwarf_Attribute attr;
		struct lines_unit *u;
		Dwarf_Word line;

		if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial)
			continue;
		if (type == DW_UT_skeleton && !split.addr && !d->missing)
			d->missing = dwo_name(d, &die);
		d->is_scattered |= type == DW_UT_partial || split.addr;
		if (d->nr_units == size) {
			struct lines_unit *more = arena_array(d->arena, struct lines_unit, size ? 2 * size : 64);

			if (size)
				memcpy(more, d->units, size * sizeof(*more));
			size = size ? 2 * size : 64;
			d->units = more;
		}
		if (split.addr)
			die = split;
		u = &d->units[d->nr_units++];
		if (forgets && d->nr_units % EACH == 0)
			forget(info);
		*u = (struct lines_unit){ .die = die, .start = dwarf_dieoffset(&die), .line = UINT64_MAX };
		if (!dwarf_formudata(dwarf_attr(&die, DW_AT_stmt_list, &attr), &line))
			u->line = line;
	}
}

/*
 * The file that dwz has made of what several files have in common. Its name may be relative to the directory of this file. It must
 * have the build id that this file says.
 */
static void open_alternate(struct debug *d, const char *dir)
{
	const char *name;
	const void *id, *its;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(d->dwarf, &name, &id);
	int fd;

	if (len <= 0)
		return;
	d->missing = name;
	if (*name != '/' && !dir)
		return;
	fd = open(*name == '/' ? name : arena_printf(d->arena, "%s/%s", dir, name), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	d->alternate = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	if (d->alternate && dwelf_elf_gnu_build_id(dwarf_getelf(d->alternate), &its) == len && !memcmp(its, id, (size_t)len)) {
		dwarf_setalt(d->dwarf, d->alternate);
		d->missing = NULL;
		return;
	}
	dwarf_end(d->alternate);
	d->alternate = NULL;
	if (fd >= 0)
		close(fd);
}

int debug_open(struct debug *d, struct arena *arena, int fd, const char *name, const struct lines_query *q, struct diag *diag)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_no_elf, .find_debuginfo = find_no_debuginfo, .section_address = dwfl_offline_section_address,
	};
	int own = dup(fd);
	GElf_Ehdr mem;

	*d = (struct debug){ .arena = arena, .fd = fd, .dwfl = dwfl_begin(&callbacks),
			     .program_fd = q->segments ? q->program_fd : -1 };
	if (d->dwfl && own >= 0)
		d->module = dwfl_report_offline(d->dwfl, name, name, own);
	if (!d->module && own >= 0)
		close(own);
	if (d->dwfl)
		dwfl_report_end(d->dwfl, NULL, NULL);
	d->dwarf = d->module ? dwfl_module_getdwarf(d->module, &d->bias) : NULL;
	d->is_relocatable = d->dwarf && gelf_getehdr(dwarf_getelf(d->dwarf), &mem) && mem.e_type == ET_REL;
	if (d->dwarf) {
		open_alternate(d, q->dir);
		list_units(d);
	}
	if (d->nr_units)
		return 0;
	diag_set(diag, -EBADMSG, "%s has no debug information", name);
	debug_close(d);
	return -EBADMSG;
}

Dwarf_CFI *debug_program_frames(struct debug *d)
{
	if (d->program_fd >= 0) {
		d->program = elf_begin(d->program_fd, ELF_C_READ, NULL);
		d->program_frames = d->program ? dwarf_getcfi_elf(d->program) : NULL;
		d->program_fd = -1;
	}
	return d->program_frames;
}

void debug_close(struct debug *d)
{
	if (d->program_frames)
		dwarf_cfi_end(d->program_frames);
	elf_end(d->program);
	if (d->dwfl)
		dwfl_end(d->dwfl);
	dwarf_end(d->alternate);
	*d = (struct debug){ 0 };
}

/* ---- which units ---- */

typedef void (*found_fn)(struct debug *d, uint64_t at);

/* Calls @found for each place of these four bytes; @at is where @in begins in the section. */
static void find_word_in(struct debug *d, struct bytes in, uint64_t at0, uint32_t word, found_fn found)
{
	const __m128i first = _mm_set1_epi8((char)word), last = _mm_set1_epi8((char)(word >> 24));
	size_t i = 0;

	for (; i + 19 <= in.len; i += 16) {
		__m128i a = _mm_loadu_si128((const void *)(in.data + i)), b = _mm_loadu_si128((const void *)(in.data + i + 3));
		unsigned mask = (unsigned)_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(a, first), _mm_cmpeq_epi8(b, last)));

		for (; mask; mask &= mask - 1) {
			size_t at = i + (unsigned)__builtin_ctz(mask);

			if (!memcmp(in.data + at, &word, 4))
				found(d, at0 + at);
		}
	}
	for (; i + 4 <= in.len; i++) {
		if (!memcmp(in.data + i, &word, 4))
			found(d, at0 + i);
	}
}

static void find_word(struct debug *d, const char *name, uint32_t word, found_fn found)
{
	enum { CHUNK = 1 << 20 };
	struct bytes all = section(d, name);
	unsigned char *chunk;
	off_t off;

	if (!in_file(d, name, all, &off)) {
		find_word_in(d, all, 0, word, found);
		return;
	}
	chunk = arena_alloc(d->arena, CHUNK + 3);
	for (size_t at = 0; at < all.len; at += CHUNK) {
		ssize_t n = pread(d->fd, chunk, MIN(all.len - at, (size_t)CHUNK + 3), off + (off_t)at);

		if (n <= 0)
			break;
		find_word_in(d, (struct bytes){ chunk, (size_t)n }, at, word, found);
	}
}

struct offsets {
	uint32_t at[MOST_OFFSETS];
	unsigned nr;			/* may be more than MOST_OFFSETS */
};

static void add_offset(struct offsets *o, size_t at)
{
	if (o->nr < MOST_OFFSETS)
		o->at[o->nr] = (uint32_t)at;
	o->nr++;
}

/*
 * The offsets of the text @name in a section of texts, also as the end of another text: the linker stores "read" inside "vfs_read".
 * With @is_path also those of paths that end with it.
 */
static void find_text(struct bytes in, const char *name, bool is_path, struct offsets *ret)
{
	size_t len = strlen(name) + 1;
	const unsigned char *at = in.data, *end = in.data + in.len;

	ret->nr = 0;
	while (at && at < end && (at = memmem(at, (size_t)(end - at), name, len))) {
		size_t i = (size_t)(at - in.data);

		add_offset(ret, i);
		for (; is_path && i && in.data[i - 1]; i--) {
			if (i == 1 || !in.data[i - 2] || in.data[i - 2] == '/')
				add_offset(ret, i - 1);
		}
		at++;
	}
}

/* Calls @found for each place of this text with its NUL. */
static void find_bytes(struct debug *d, struct bytes in, const char *text, found_fn found)
{
	const unsigned char *at = in.data, *end = in.data + in.len;

	while (at && (at = memmem(at, (size_t)(end - at), text, strlen(text) + 1)))
		found(d, (uint64_t)(at++ - in.data));
}

static void want_all(struct debug *d)
{
	for (unsigned i = 0; i < d->nr_units; i++)
		d->units[i].wanted = true;
}

static void want_info(struct debug *d, uint64_t at)
{
	unsigned low = 0, high = d->nr_units;

	while (high - low > 1) {
		unsigned mid = (low + high) / 2;

		if (d->units[mid].start <= at)
			low = mid;
		else
			high = mid;
	}
	d->units[low].wanted = true;
}

/* ---- many names ---- */

enum { HASH = 1 << 16 };

static unsigned hash_of(uint32_t word)
{
	return (word * 2654435761u) >> 16;
}

struct words {
	uint32_t *at;			/* sorted */
	unsigned nr, size;
};

static void add_word(struct debug *d, struct words *w, uint32_t at)
{
	if (w->nr == w->size) {
		unsigned size = w->size ? 2 * w->size : 64;
		uint32_t *more = arena_array(d->arena, uint32_t, size);

		if (w->nr)
			memcpy(more, w->at, w->nr * sizeof(*more));
		w->at = more;
		w->size = size;
	}
	w->at[w->nr++] = at;
}

static uint32_t word_at(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* The offsets of all names in a section of texts. Most ends of texts are told apart by their last four bytes. */
static void find_texts(struct debug *d, struct bytes in, const char *const *names, unsigned nr, struct words *ret)
{
	unsigned char *ends = arena_alloc(d->arena, HASH);
	const unsigned char *at = in.data, *limit = in.data + in.len, *zero;

	memset(ends, 0, HASH);
	for (unsigned i = 0; i < nr; i++)
		ends[hash_of(word_at((const unsigned char *)names[i] + strlen(names[i]) - 4))] = 1;
	for (; at && at < limit && (zero = memchr(at, 0, (size_t)(limit - at))); at = zero + 1) {
		if (zero - at < 4 || !ends[hash_of(word_at(zero - 4))])
			continue;
		for (unsigned i = 0; i < nr; i++) {
			size_t len = strlen(names[i]);

			if (len <= (size_t)(zero - at) && !memcmp(zero - len, names[i], len))
				add_word(d, ret, (uint32_t)(zero - len - in.data));
		}
	}
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void find_words_in(struct debug *d, struct bytes in, uint64_t at0, const struct words *w, const unsigned char *some, found_fn found)
{
	for (size_t i = 0; i + 4 <= in.len; i++) {
		uint32_t word = word_at(in.data + i);

		if (some[hash_of(word)] && bsearch(&word, w->at, w->nr, sizeof(word), by_value))
			found(d, at0 + i);
	}
}

/* A few are faster one by one. */
static void want_words(struct debug *d, struct words *w)
{
	enum { FEW = 8, CHUNK = 1 << 20 };
	struct bytes all = section(d, ".debug_info");
	unsigned char *some, *chunk;
	off_t off;

	if (w->nr <= FEW) {
		for (unsigned i = 0; i < w->nr; i++)
			find_word(d, ".debug_info", w->at[i], want_info);
		return;
	}
	qsort(w->at, w->nr, sizeof(*w->at), by_value);
	some = arena_alloc(d->arena, HASH);
	memset(some, 0, HASH);
	for (unsigned i = 0; i < w->nr; i++)
		some[hash_of(w->at[i])] = 1;
	if (!in_file(d, ".debug_info", all, &off)) {
		find_words_in(d, all, 0, w, some, want_info);
		return;
	}
	chunk = arena_alloc(d->arena, CHUNK + 3);
	for (size_t at = 0; at < all.len; at += CHUNK) {
		ssize_t n = pread(d->fd, chunk, MIN(all.len - at, (size_t)CHUNK + 3), off + (off_t)at);

		if (n <= 0)
			break;
		find_words_in(d, (struct bytes){ chunk, (size_t)n }, at, w, some, want_info);
	}
}

void debug_want_names(struct debug *d, const char *const *names, unsigned nr)
{
	struct bytes texts = section(d, ".debug_str"), info = section(d, ".debug_info");
	struct words words = { 0 };

	for (unsigned i = 0; i < nr; i++) {
		if (strlen(names[i]) < 4 || d->is_scattered) {
			want_all(d);
			return;
		}
	}
	find_texts(d, texts, names, nr, &words);
	want_words(d, &words);
	/* Compilers may put longer texts into the entry, too. */
	for (unsigned i = 0; i < nr && !texts.len; i++)
		find_bytes(d, info, names[i], want_info);
}

void debug_want_name(struct debug *d, const char *name)
{
	struct bytes texts = section(d, ".debug_str"), info = section(d, ".debug_info");
	struct offsets offsets;
	unsigned nr;

	find_text(texts, name, false, &offsets);
	nr = offsets.nr;
	/* A text that is not longer than an offset is in the entry itself. */
	if (strlen(name) < 4 || d->is_scattered || nr > MOST_OFFSETS) {
		want_all(d);
		return;
	}
	for (unsigned i = 0; i < nr; i++)
		find_word(d, ".debug_info", offsets.at[i], want_info);
	/* Compilers may put longer texts into the entry, too. */
	if (!nr)
		find_bytes(d, info, name, want_info);
}

static void want_line(struct debug *d, uint64_t at)
{
	uint64_t best = 0;

	for (unsigned i = 0; i < d->nr_units; i++)
		best = d->units[i].line <= at ? MAX(best, d->units[i].line) : best;
	for (unsigned i = 0; i < d->nr_units; i++)
		d->units[i].wanted |= d->units[i].line == best;
}

void debug_want_file(struct debug *d, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	struct bytes texts = section(d, ".debug_line_str"), lines = section(d, ".debug_line");
	struct offsets offsets;

	find_text(texts, base, true, &offsets);
	if (offsets.nr > MOST_OFFSETS || d->is_scattered) {
		want_all(d);
		return;
	}
	for (unsigned i = 0; i < offsets.nr; i++)
		find_word(d, ".debug_line", offsets.at[i], want_line);
	find_bytes(d, lines, base, want_line);
}

bool debug_ends(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && !strcmp(path + len - end_len, end) && (len == end_len || path[len - end_len - 1] == '/' || *end == '/');
}
