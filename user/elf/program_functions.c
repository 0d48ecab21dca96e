// SPDX-License-Identifier: GPL-2.0-only
/*
 * program_functions.c - a program's functions by their names.
 *
 * .symtab and .dynsym have most names twice, and only the second says the version. So the table is sorted by address, name and version, and
 * an entry without a version is left out if there is the same with one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/memory.h"
#include "base/similar.h"
#include "elf/debug_file.h"
#include "elf/demangle.h"
#include "elf/program_priv.h"

enum { FUNCTIONS_MAX = 8 << 20 };

/* ---- reading ---- */

/* foo.cold and foo.cold.3 are parts of foo that it jumps to. */
static bool is_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && (!cold[5] || cold[5] == '.');
}

static void take_version(struct arena *arena, struct program_function *f)
{
	const char *at = strchr(f->name, '@');

	if (!at || at == f->name)
		return;
	f->version = at + strspn(at, "@");
	f->is_old = f->version - at == 1;
	f->name = arena_strndup(arena, f->name, (size_t)(at - f->name));
}

struct adding {
	struct program *p;
	struct program_symbols *s;
};

static int add_function(void *ctx, const struct elf_entry *e)
{
	struct adding *a = ctx;
	struct program_symbols *s = a->s;
	struct program_function f = { .name = e->name, .version = e->version, .addr = e->addr, .size = e->size, .is_old = e->version_hidden,
				      .is_ifunc = e->ifunc, .is_whole = !e->label && !is_part(e->name) }, *more;

	if (!elf_file_off(a->p->file, e->addr, &f.off))
		return 0;		/* nothing of the file is there */
	if (s->nr == FUNCTIONS_MAX)
		return -EFBIG;
	more = heap_try_grow(s->all, s->nr, &s->room);
	if (!more)
		return -ENOMEM;
	s->all = more;
	take_version(&s->arena, &f);
	s->all[s->nr++] = f;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct program_function *x = a, *y = b;
	int names;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	names = strcmp(x->name, y->name);
	if (names)
		return names;
	if (!x->version || !y->version)
		return !x->version - !y->version;
	names = strcmp(x->version, y->version);
	return names ? names : x->is_old - y->is_old;
}

static bool is_double(const struct program_function *f, const struct program_function *before)
{
	return f->addr == before->addr && !strcmp(f->name, before->name) &&
	       (!f->version || (before->version && !strcmp(f->version, before->version)));
}

static void settle(struct program_symbols *s)
{
	size_t nr = 0;

	if (s->nr)
		qsort(s->all, s->nr, sizeof(*s->all), compare);
	for (size_t i = 0; i < s->nr; i++) {
		if (!nr || !is_double(&s->all[i], &s->all[nr - 1]))
			s->all[nr++] = s->all[i];
	}
	s->nr = nr;
}

/* A process in a container may have its debug files there. */
static int open_debug_file(struct program *p)
{
	const char *root = p->pid ? arena_printf(p->arena, "/proc/%u/root", p->pid) : "";
	size_t len;
	const unsigned char *id = elf_file_build_id(p->file, &len);
	int fd = id ? debug_file_by_id("", id, len) : -1;

	if (fd < 0 && id && *root)
		fd = debug_file_by_id(root, id, len);
	if (fd < 0 && *root)
		fd = debug_file_by_link(root, p->file, p->shown);
	return fd < 0 ? debug_file_by_link("", p->file, p->shown) : fd;
}

static void read_debug_file(struct program *p, struct adding *a)
{
	struct program_symbols *s = a->s;

	s->debug_fd = open_debug_file(p);
	if (s->debug_fd < 0 || elf_file_open(s->debug_fd, &s->debug))
		return;
	elf_file_symbols(s->debug, add_function, a);
}

struct program_symbols *program_symbols(struct program *p)
{
	struct program_symbols *s = p->symbols;
	struct adding a = { .p = p };

	if (s)
		return s;
	s = must(calloc(1, sizeof(*s)));
	s->debug_fd = -1;
	p->symbols = a.s = s;
	elf_file_symbols(p->file, add_function, &a);
	if (!elf_file_whole(p->file))
		read_debug_file(p, &a);
	settle(s);
	return s;
}

void program_symbols_free(struct program_symbols *s)
{
	if (!s)
		return;
	elf_symbols_free(s->by_addr);
	elf_file_close(s->debug);
	if (s->debug_fd >= 0)
		close(s->debug_fd);
	arena_fini(&s->arena);
	free(s->all);
	free(s);
}

size_t program_functions(struct program *p, bool *ret_whole)
{
	const struct program_symbols *s = program_symbols(p);

	*ret_whole = elf_file_whole(p->file) || (s->debug && elf_file_whole(s->debug));
	return s->nr;
}

/* ---- the functions found ---- */

struct found {
	const struct program_function **all;	/* malloc */
	size_t nr;
	unsigned room;
};

static void add_found(struct found *found, const struct program_function *f)
{
	found->all = heap_grow(found->all, found->nr, &found->room);
	found->all[found->nr++] = f;
}

/* Leaves out those that @is_worse says, if others remain. */
static void prefer(struct found *found, bool (*is_worse)(const struct program_function *f))
{
	size_t nr = 0;

	for (size_t i = 0; i < found->nr; i++)
		nr += !is_worse(found->all[i]);
	if (!nr)
		return;
	nr = 0;
	for (size_t i = 0; i < found->nr; i++) {
		if (!is_worse(found->all[i]))
			found->all[nr++] = found->all[i];
	}
	found->nr = nr;
}

static bool is_old(const struct program_function *f)
{
	return f->is_old;
}

static bool has_no_version(const struct program_function *f)
{
	return !f->version;
}

/* A copy that the compiler made (net::read [clone .constprop.0]), or a part of the function. */
static bool is_clone(const struct program_function *f)
{
	return strchr(f->name, '.') || !f->is_whole;
}

/*
 * The table is sorted by address; at one address the name that is the best for stacks is kept. But code that only chooses other code
 * stays known as that: libc's memset (IFUNC) is also its static function memset_ifunc.
 */
static bool is_better(const struct program_function *a, const struct program_function *b)
{
	struct elf_entry x = { .size = a->size, .name = a->name }, y = { .size = b->size, .name = b->name };

	if (a->is_ifunc != b->is_ifunc)
		return a->is_ifunc;
	return a->is_whole != b->is_whole ? a->is_whole : elf_entry_is_better(&x, &y);
}

static size_t hand_over(struct found *found, struct arena *arena, const struct program_function **ret)
{
	struct program_function *all = arena_array(arena, struct program_function, found->nr);
	size_t nr = 0;

	for (size_t i = 0; i < found->nr; i++) {
		const struct program_function *f = found->all[i];

		if (!nr || f->addr != all[nr - 1].addr)
			all[nr++] = *f;
		else if (is_better(f, &all[nr - 1]))
			all[nr - 1] = *f;
	}
	free(found->all);
	*ret = all;
	return nr;
}

/* ---- by name ---- */

static void find_plain(const struct program_symbols *s, const char *name, const char *version, struct found *found)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct program_function *f = &s->all[i];

		if (!strcmp(f->name, name) && (!version || !f->version || !strcmp(f->version, version)))
			add_found(found, f);
	}
	prefer(found, version ? has_no_version : is_old);
}

/* Are the texts the same, blanks aside? */
static bool same_text(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

static void find_demangled(const struct program_symbols *s, const char *name, struct found *found)
{
	bool params = strchr(name, '(');
	struct buf text = { 0 };

	for (size_t i = 0; i < s->nr; i++) {
		const struct program_function *f = &s->all[i];

		if (!demangle_may(f->name))
			continue;
		buf_reset(&text);
		if ((demangle_short(f->name, &text) && same_text(buf_str(&text), name)) ||
		    (params && (buf_reset(&text), demangle(f->name, &text)) && same_text(buf_str(&text), name)))
			add_found(found, f);
	}
	buf_fini(&text);
	prefer(found, is_old);
	prefer(found, is_clone);
}

size_t program_find(struct program *p, struct arena *arena, const char *name, const struct program_function **ret)
{
	const struct program_symbols *s = program_symbols(p);
	const char *at = strchr(name, '@');
	struct found found = { 0 };

	find_plain(s, name, NULL, &found);
	if (!found.nr && at && at != name)
		find_plain(s, arena_strndup(arena, name, (size_t)(at - name)), at + strspn(at, "@"), &found);
	if (!found.nr)
		find_demangled(s, name, &found);
	return hand_over(&found, arena, ret);
}

/* ---- by pattern ---- */

size_t program_match(struct program *p, struct arena *arena, bool (*match)(void *ctx, const char *name), void *ctx,
		     const struct program_function **ret)
{
	const struct program_symbols *s = program_symbols(p);
	struct found found = { 0 };
	struct buf text = { 0 };

	for (size_t i = 0; i < s->nr; i++) {
		const struct program_function *f = &s->all[i];

		if (!f->is_whole || f->is_old)
			continue;
		buf_reset(&text);
		if (match(ctx, f->name) || (demangle_may(f->name) && demangle_short(f->name, &text) && match(ctx, buf_str(&text))))
			add_found(&found, f);
	}
	buf_fini(&text);
	return hand_over(&found, arena, ret);
}

size_t program_similar(struct program *p, struct arena *arena, const char *name, const char *ret[PROGRAM_SIMILAR])
{
	const struct program_symbols *s = program_symbols(p);
	struct similar *similar = similar_new(arena, name, PROGRAM_SIMILAR);
	const struct similar_name *best;
	struct buf text = { 0 };
	size_t nr;

	for (size_t i = 0; i < s->nr; i++) {
		const struct program_function *f = &s->all[i];

		buf_reset(&text);
		if (demangle_may(f->name) && demangle_short(f->name, &text))
			similar_offer(similar, buf_str(&text), NULL);
		else
			similar_offer(similar, f->name, NULL);
	}
	nr = similar_best(similar, &best);
	for (size_t i = 0; i < nr; i++)
		ret[i] = best[i].name;
	buf_fini(&text);
	return nr;
}
