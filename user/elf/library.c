// SPDX-License-Identifier: GPL-2.0-only
/*
 * library.c - finds the file that a bare name means.
 *
 * The loader's cache (glibc, elf/cache.c and sysdeps/generic/dl-cache.h) is a header, rows of numbers, and texts. A row has the library's name
 * and its path, as distances from the header. Until glibc 2.32 the same header came behind an older one.
 */
#include "elf/library.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/user.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/macros.h"
#include "elf/maps.h"

enum { CACHE_MAX = 64 << 20, SEVERAL_SHOWN = 5 };

static const char new_magic[] = "glibc-ld.so.cache1.1", old_magic[] = "ld.so-1.7.0";

struct cache_header {
	char magic[sizeof(new_magic) - 1];
	uint32_t nr, strings_len;
	uint32_t unused[5];
};

struct cache_row {
	uint32_t flags, name, path, os;
	uint64_t hwcap;			/* not 0: only for some CPUs of this kind */
};

struct old_header {
	char magic[12];
	uint32_t nr;			/* rows of 12 bytes */
};

struct library_places library_places_here(void)
{
	const char *path = getenv("PATH");

	return (struct library_places){ "/etc/ld.so.cache", user_library_dirs, path ? path : "/usr/bin:/bin:/usr/sbin:/sbin" };
}

bool library_begins(const char *file, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(file, name, len) && (file[len] == '.' || file[len] == '-');
}

static bool is_file(const char *path, bool program)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && (!program || st.st_mode & 0111);
}

/* ---- the loader's cache ---- */

struct cache {
	const char *data;		/* the header */
	size_t len;
	uint32_t nr;
};

static void read_all(const char *path, struct buf *out)
{
	auto_file f = fopen(path, "re");
	size_t n;

	while (f && out->len < CACHE_MAX && (n = fread(buf_room(out, 65536), 1, 65536, f)))
		out->len += n;
}

/* Finds the header in @text. */
static bool open_cache(struct cache *c, const struct buf *text)
{
	struct cache_header header;
	struct old_header old;
	size_t at = 0;

	if (text->len >= sizeof(old) && !memcmp(text->data, old_magic, strlen(old_magic))) {
		memcpy(&old, text->data, sizeof(old));
		at = ROUND_UP(sizeof(old) + 12 * (size_t)old.nr, 8);
	}
	if (at > text->len || text->len - at < sizeof(header))
		return false;
	memcpy(&header, text->data + at, sizeof(header));
	if (memcmp(header.magic, new_magic, sizeof(header.magic)))
		return false;
	*c = (struct cache){ text->data + at, text->len - at, header.nr };
	return header.nr <= (c->len - sizeof(header)) / sizeof(struct cache_row);
}

static const char *cache_text(const struct cache *c, uint32_t at)
{
	return at < c->len && memchr(c->data + at, '\0', c->len - at) ? c->data + at : NULL;
}

/* The file of row @i that this CPU's programs use under its name. */
static bool read_row(const struct cache *c, uint32_t i, const char **ret_name, const char **ret_path)
{
	struct cache_row row;

	memcpy(&row, c->data + sizeof(struct cache_header) + i * sizeof(row), sizeof(row));
	*ret_name = cache_text(c, row.name);
	*ret_path = cache_text(c, row.path);
	return row.flags == user_cache_flags && !row.hwcap && *ret_name && *ret_path;
}

static const char *find_cached(struct arena *arena, const struct cache *c, const char *name)
{
	const char *own, *path;

	for (uint32_t i = 0; i < c->nr; i++) {
		if (read_row(c, i, &own, &path) && !strcmp(own, name) && is_file(path, false))
			return arena_strdup(arena, path);
	}
	return NULL;
}

/* ---- directories ---- */

static const char *find_in_dirs(struct arena *arena, const char *const *dirs, const char *name)
{
	for (; *dirs; dirs++) {
		const char *path = arena_printf(arena, "%s/%s", *dirs, name);

		if (is_file(path, false))
			return path;
	}
	return NULL;
}

static const char *find_in_path(struct arena *arena, const char *dirs, const char *name)
{
	for (size_t len; *dirs; dirs += len + (dirs[len] == ':')) {
		const char *path;

		len = strcspn(dirs, ":");
		path = arena_printf(arena, "%.*s/%s", (int)len, dirs, name);
		if (len && is_file(path, true))
			return path;
	}
	return NULL;
}

/* ---- libraries whose names begin so ---- */

struct several {
	const char *paths[SEVERAL_SHOWN];
	unsigned nr;			/* more than SEVERAL_SHOWN: some are not in @paths */
	struct stat first;
};

/* One library has several names: links to it. */
static void add_candidate(struct arena *arena, struct several *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || (s->nr && st.st_ino == s->first.st_ino && st.st_dev == s->first.st_dev))
		return;
	for (unsigned i = 0; i < MIN(s->nr, (unsigned)SEVERAL_SHOWN); i++) {
		if (!strcmp(s->paths[i], path))
			return;
	}
	if (!s->nr)
		s->first = st;
	if (s->nr < SEVERAL_SHOWN)
		s->paths[s->nr] = arena_strdup(arena, path);
	s->nr++;
}

static int find_longer(struct arena *arena, const struct cache *c, const struct library_places *places, const char *name, const char **ret,
		       struct diag *diag)
{
	struct several s = { .nr = 0 };
	const char *own, *path;
	int err;

	for (uint32_t i = 0; i < c->nr; i++) {
		if (read_row(c, i, &own, &path) && library_begins(own, name))
			add_candidate(arena, &s, path);
	}
	if (s.nr == 1) {
		*ret = s.paths[0];
		return 0;
	}
	if (!s.nr) {
		err = diag_set(diag, -ENOENT, "there is no library or program '%s'", name);
		diag_note(diag, "looked in %s, the directories of libraries, and PATH", places->cache);
		diag_note(diag, "help: write its path");
		return err;
	}
	err = diag_set(diag, -EEXIST, "several libraries have names that begin with '%s'", name);
	for (unsigned i = 0; i < MIN(s.nr, (unsigned)SEVERAL_SHOWN); i++)
		diag_note(diag, "  %s", s.paths[i]);
	if (s.nr > SEVERAL_SHOWN)
		diag_note(diag, "  and %u more", s.nr - SEVERAL_SHOWN);
	diag_note(diag, "help: write the whole name or the path");
	return err;
}

int library_find(struct arena *arena, const struct library_places *places, const char *name, const char **ret, struct diag *diag)
{
	struct buf text = { 0 };
	struct cache c = { .nr = 0 };
	const char *found;
	int err = 0;

	read_all(places->cache, &text);
	if (!open_cache(&c, &text))
		c.nr = 0;
	found = find_cached(arena, &c, name);
	if (!found)
		found = find_in_dirs(arena, places->dirs, name);
	if (!found)
		found = find_in_path(arena, places->path, name);
	if (found)
		*ret = found;
	else
		err = find_longer(arena, &c, places, name, ret, diag);
	buf_fini(&text);
	return err;
}

/* ---- what a process has mapped ---- */

struct wanted {
	const char *name;
	bool found;
};

static void look_at_map(void *ctx, const struct user_map *m)
{
	struct wanted *wanted = ctx;
	const char *slash = strrchr(m->path, '/'), *file = slash ? slash + 1 : m->path;

	wanted->found = wanted->found || !strcmp(file, wanted->name) || library_begins(file, wanted->name);
}

bool library_is_mapped(uint32_t pid, const char *name)
{
	struct wanted wanted = { .name = name };

	maps_read(pid, look_at_map, &wanted);
	return wanted.found;
}
