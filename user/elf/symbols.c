// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbols.c - an ELF file's symbols, by address.
 */
#include "elf/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/macros.h"
#include "base/memory.h"
#include "elf/demangle.h"

enum { SYMBOLS_MAX = 8 << 20, NAME_MAX_LEN = 4096 };

struct found {
	struct elf_symbol sym;		/* first: elf_symbols_find() returns it */
	bool weak, global;
	bool guessed;			/* the file has no size for it */
	bool shown;			/* its name is the one to show */
};

struct elf_symbols {
	struct arena arena;		/* names */
	struct buf text;		/* for a name that is being made */
	struct found *all;		/* sorted by address, one for each; malloc */
	size_t nr;
	unsigned room;
	struct elf_segment *segments;	/* in the arena */
	unsigned nr_segments;
	bool whole;
	unsigned char build_id[ELF_BUILD_ID];
	size_t build_id_len;
};

/* ---- reading ---- */

static int add_symbol(void *ctx, const struct elf_entry *e)
{
	struct elf_symbols *s = ctx;
	struct found *more;

	if (s->nr == SYMBOLS_MAX)
		return -EFBIG;
	more = heap_try_grow(s->all, s->nr, &s->room);
	if (!more)
		return -ENOMEM;
	s->all = more;
	s->all[s->nr++] = (struct found){ .sym = { e->addr, e->size, arena_strndup(&s->arena, e->name, strnlen(e->name, NAME_MAX_LEN)) },
					  .weak = e->weak, .global = e->global, .guessed = !e->size };
	return 0;
}

/* ---- one name for each address ---- */

static bool is_better(const struct found *a, const struct found *b)
{
	struct elf_entry x = { .size = a->sym.size, .name = a->sym.name, .weak = a->weak, .global = a->global };
	struct elf_entry y = { .size = b->sym.size, .name = b->sym.name, .weak = b->weak, .global = b->global };

	return elf_entry_is_better(&x, &y);
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

/* What is asked about the file later: it may be closed then. */
static void take_headers(struct elf_symbols *s, const struct elf_file *f)
{
	const struct elf_segment *all = elf_file_segments(f, &s->nr_segments);
	const unsigned char *id = elf_file_build_id(f, &s->build_id_len);

	s->segments = arena_array(&s->arena, struct elf_segment, s->nr_segments);
	if (s->nr_segments)
		memcpy(s->segments, all, s->nr_segments * sizeof(*all));
	if (id)
		memcpy(s->build_id, id, s->build_id_len);
}

int elf_symbols_add_file(struct elf_symbols *s, struct elf_file *f)
{
	int err = elf_file_symbols(f, add_symbol, s);

	s->whole |= elf_file_whole(f);
	if (!err)
		settle(s);
	return err;
}

int elf_symbols_of(struct elf_file *f, struct elf_symbols **ret)
{
	struct elf_symbols *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	take_headers(s, f);
	err = elf_symbols_add_file(s, f);
	if (err)
		elf_symbols_free(s);
	else
		*ret = s;
	return err;
}

int elf_symbols_read(int fd, struct elf_symbols **ret)
{
	struct elf_file *f;
	int err = elf_file_open(fd, &f);

	if (err)
		return err;
	err = elf_symbols_of(f, ret);
	elf_file_close(f);
	return err;
}

int elf_symbols_image(const void *image, size_t len, struct elf_symbols **ret)
{
	struct elf_file *f;
	int err = elf_file_image(image, len, &f);

	if (err)
		return err;
	err = elf_symbols_of(f, ret);
	elf_file_close(f);
	return err;
}

int elf_symbols_add(struct elf_symbols *s, int fd)
{
	struct elf_file *f;
	int err = elf_file_open(fd, &f);

	if (err)
		return err;
	err = elf_symbols_add_file(s, f);
	elf_file_close(f);
	return err;
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
		const struct elf_segment *g = &s->segments[i];

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

/* How many symbols are not behind @addr. */
static size_t up_to(const struct elf_symbols *s, uint64_t addr)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->all[middle].sym.addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct elf_symbol *elf_symbols_around(struct elf_symbols *s, uint64_t addr)
{
	size_t i = up_to(s, addr);

	while (i && s->all[i - 1].guessed)
		i--;
	return i && addr - s->all[i - 1].sym.addr < s->all[i - 1].sym.size ? show(s, &s->all[i - 1]) : NULL;
}

const struct elf_symbol *elf_symbols_find(struct elf_symbols *s, uint64_t addr)
{
	size_t low = up_to(s, addr);

	if (!low || addr - s->all[low - 1].sym.addr >= MAX(s->all[low - 1].sym.size, (uint64_t)1))
		return NULL;
	return show(s, &s->all[low - 1]);
}

const unsigned char *elf_symbols_build_id(const struct elf_symbols *s, size_t *ret_len)
{
	*ret_len = s->build_id_len;
	return s->build_id_len ? s->build_id : NULL;
}

bool elf_symbols_named(struct elf_symbols *s, const char *name, uint64_t size, uint64_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < s->nr; i++) {
		if (s->all[i].sym.size != size || strcmp(show(s, &s->all[i])->name, name))
			continue;
		if (found)
			return false;
		*ret = s->all[i].sym.addr;
		found = true;
	}
	return found;
}
