// SPDX-License-Identifier: GPL-2.0-only
/*
 * users.c - what is mapped where in which process.
 *
 * A file is looked for when it is mapped, because its process may end soon: under its name here, or else, in another mount namespace or
 * when the name was removed, through the process's own files in /proc. Then its descriptor is kept. A file that is here is not kept
 * open, so that its file system can be unmounted. Its symbols are read when the first address in it is asked for.
 */
#include "elf/users.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/macros.h"
#include "base/memory.h"
#include "elf/debug_file.h"

/* DEAD_MAX: the newest processes that have ended are remembered: a process's other threads may outlive its first one. */
enum { BUCKETS = 1024, MAPS_MAX = 65536, FDS_MAX = 256, DEAD_MAX = 4096 };

struct file {
	struct file *next;
	struct user_inode inode;
	const char *path;
	int fd;				/* -1: it is to be opened by its path */
	bool here;			/* its path means this file in our own mount namespace */
	bool tried;			/* its symbols were read, or cannot be */
	struct elf_symbols *symbols;
};

struct map {
	uint64_t start, end, off;
	struct file *file;
};

struct process {
	struct process *next;
	uint32_t tgid;
	struct map *maps;		/* sorted, and none overlap; malloc */
	unsigned nr, room;
	bool dead;
	uint64_t read_at;		/* the time asked for when /proc was last read for it; 0: never */
};

struct users {
	struct arena arena;		/* files and their paths */
	struct file *files[BUCKETS];
	struct process *processes[BUCKETS];
	unsigned nr_fds;
	uint32_t dead[DEAD_MAX];	/* a ring of their numbers */
	unsigned nr_dead;
	void (*sync)(void *ctx, uint64_t ts);
	void *ctx;
	uint64_t synced;		/* the last time that it was told */
};

struct users *users_new(void (*sync)(void *ctx, uint64_t ts), void *ctx)
{
	struct users *u = must(calloc(1, sizeof(*u)));

	u->sync = sync;
	u->ctx = ctx;
	return u;
}

/* ---- files ---- */

static bool same_inode(const struct user_inode *a, const struct stat *st)
{
	return a->ino == st->st_ino && a->major == major(st->st_dev) && a->minor == minor(st->st_dev);
}

static int open_plain(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Is the file of this name here the one that was mapped? Some file systems show another device by stat(2) than in the mapping. */
static bool is_here(const char *path, const struct user_inode *inode, bool exactly)
{
	struct stat st;

	if (*path != '/' || stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	return !inode->ino || same_inode(inode, &st) || (!exactly && st.st_ino == inode->ino);
}

/* Opens a file that another mount namespace has, or nobody any more: while its process exists. */
static int open_of_process(uint32_t tgid, const struct user_map *m)
{
	struct buf path = { 0 };
	int fd;

	buf_addf(&path, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, tgid, m->start, m->end);
	fd = open_plain(buf_str(&path));
	buf_reset(&path);
	buf_addf(&path, "/proc/%u/root%s", tgid, m->path);
	if (fd < 0 && is_here(buf_str(&path), &m->inode, false))
		fd = open_plain(buf_str(&path));
	buf_fini(&path);
	return fd;
}

/* If it was not found, it is looked for again when it is mapped again. */
static void look_for(struct users *u, struct file *f, uint32_t tgid, const struct user_map *m)
{
	if (*m->path != '/' || f->here || f->fd >= 0 || f->tried)
		return;
	f->here = is_here(m->path, &m->inode, true);
	if (!f->here && u->nr_fds < FDS_MAX)
		f->fd = open_of_process(tgid, m);
	if (f->fd >= 0)
		u->nr_fds++;
	else if (!f->here)
		f->here = is_here(m->path, &m->inode, false);
}

static struct file *find_file(struct users *u, uint32_t tgid, const struct user_map *m)
{
	struct file **bucket = &u->files[(m->inode.ino ^ m->inode.minor ^ (uint64_t)m->inode.major << 3) % BUCKETS], *f = *bucket;

	while (f && (f->inode.ino != m->inode.ino || f->inode.major != m->inode.major || f->inode.minor != m->inode.minor ||
		     strcmp(f->path, m->path)))
		f = f->next;
	if (!f) {
		f = arena_new(&u->arena, struct file);
		*f = (struct file){ .next = *bucket, .inode = m->inode, .path = arena_strdup(&u->arena, m->path), .fd = -1 };
		*bucket = f;
	}
	look_for(u, f, tgid, m);
	return f;
}

/* A stripped file may have its symbols in a file of its own (package NAME-dbgsym). */
static void add_debug_file(struct elf_symbols *s)
{
	size_t len;
	const unsigned char *id = elf_symbols_build_id(s, &len);
	int fd = elf_symbols_whole(s) || !id ? -1 : debug_file_by_id("", id, len);

	if (fd >= 0) {
		elf_symbols_add(s, fd);
		close(fd);
	}
}

/* The kernel maps the same vDSO into all processes of 64 bits. Its section headers are the last part of it. */
static void read_vdso(struct file *f)
{
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (image)
		elf_symbols_image(image, image->e_shoff + (size_t)image->e_shnum * image->e_shentsize, &f->symbols);
}

static void read_symbols(struct users *u, struct file *f)
{
	if (f->tried)
		return;
	f->tried = true;
	if (f->fd < 0 && f->here && is_here(f->path, &f->inode, false))	/* it may have been replaced meanwhile */
		f->fd = open_plain(f->path);
	else if (f->fd >= 0)
		u->nr_fds--;
	if (f->fd >= 0) {
		if (!elf_symbols_read(f->fd, &f->symbols))
			add_debug_file(f->symbols);
		close(f->fd);
		f->fd = -1;
	} else if (!strcmp(f->path, "[vdso]")) {
		read_vdso(f);
	}
}

/* ---- processes ---- */

static struct process *find_process(const struct users *u, uint32_t tgid)
{
	struct process *p = u->processes[tgid % BUCKETS];

	while (p && p->tgid != tgid)
		p = p->next;
	return p;
}

static struct process *get_process(struct users *u, uint32_t tgid)
{
	struct process *p = find_process(u, tgid);

	if (!p) {
		p = must(calloc(1, sizeof(*p)));
		p->tgid = tgid;
		p->next = u->processes[tgid % BUCKETS];
		u->processes[tgid % BUCKETS] = p;
	}
	return p;
}

/* Puts a mapping at its place. What it covers of others is no longer theirs. */
static void insert(struct process *p, struct map m)
{
	unsigned at = 0, nr = 0;
	struct map *old = must(malloc((p->nr + 2) * sizeof(*old)));

	for (unsigned i = 0; i < p->nr; i++) {
		struct map before = p->maps[i], behind = p->maps[i];

		before.end = MIN(before.end, m.start);
		behind.start = MAX(behind.start, m.end);
		behind.off += behind.start - p->maps[i].start;
		if (before.start < before.end)
			old[nr++] = before;
		if (behind.start < behind.end)
			old[nr++] = behind;
	}
	p->maps = heap_grow(p->maps, nr, &p->room);
	while (at < nr && old[at].start < m.start)
		at++;
	memcpy(p->maps, old, at * sizeof(*old));
	p->maps[at] = m;
	memcpy(p->maps + at + 1, old + at, (nr - at) * sizeof(*old));
	p->nr = nr + 1;
	free(old);
}

void users_map(struct users *u, uint32_t tgid, const struct user_map *m)
{
	struct process *p = get_process(u, tgid);

	if (m->start < m->end && p->nr < MAPS_MAX)
		insert(p, (struct map){ m->start, m->end, m->off, find_file(u, tgid, m) });
}

void users_file(struct users *u, uint32_t tgid, const struct user_map *m)
{
	find_file(u, tgid, m);
}

void users_exec(struct users *u, uint32_t tgid)
{
	struct process *p = get_process(u, tgid);

	p->nr = 0;
	p->read_at = 0;
}

void users_fork(struct users *u, uint32_t parent, uint32_t child)
{
	const struct process *from = find_process(u, parent);
	struct process *to;

	if (parent == child)
		return;
	to = get_process(u, child);
	to->nr = 0;
	to->dead = false;
	to->read_at = 0;
	if (!from || !from->nr)
		return;
	to->maps = heap_grow(to->maps, from->nr, &to->room);
	memcpy(to->maps, from->maps, from->nr * sizeof(*to->maps));
	to->nr = from->nr;
}

static void drop(struct users *u, uint32_t tgid, bool only_dead)
{
	struct process **at = &u->processes[tgid % BUCKETS], *p;

	while (*at && (*at)->tgid != tgid)
		at = &(*at)->next;
	p = *at;
	if (!p || (only_dead && !p->dead))
		return;
	*at = p->next;
	free(p->maps);
	free(p);
}

void users_exit(struct users *u, uint32_t tgid)
{
	struct process *p = find_process(u, tgid);
	uint32_t *place = &u->dead[u->nr_dead++ % DEAD_MAX];

	if (*place != tgid)
		drop(u, *place, true);
	*place = tgid;
	if (p)
		p->dead = true;
}

void users_free(struct users *u)
{
	if (!u)
		return;
	for (unsigned i = 0; i < BUCKETS; i++) {
		while (u->processes[i])
			drop(u, u->processes[i]->tgid, false);
		for (struct file *f = u->files[i]; f; f = f->next) {
			if (f->fd >= 0)
				close(f->fd);
			elf_symbols_free(f->symbols);
		}
	}
	arena_fini(&u->arena);
	free(u);
}

/* ---- /proc ---- */

struct reading {
	struct users *u;
	uint32_t tgid;
};

static void take_map(void *ctx, const struct user_map *m)
{
	struct reading *r = ctx;

	users_map(r->u, r->tgid, m);
}

static bool read_proc(struct users *u, uint32_t tgid)
{
	struct reading r = { u, tgid };

	return !maps_read(tgid, take_map, &r);
}

static bool read_each(void *ctx, uint32_t tgid)
{
	users_exec(ctx, tgid);
	read_proc(ctx, tgid);
	return true;
}

void users_read_all(struct users *u)
{
	maps_processes(read_each, u);
}

/* ---- asking ---- */

static const struct map *find_map(const struct process *p, uint64_t addr)
{
	unsigned low = 0, high = p ? p->nr : 0;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (p->maps[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < p->maps[low - 1].end ? &p->maps[low - 1] : NULL;
}

/* Reads /proc once for each process, and again when a later second has come: an address may also be no code at all. */
static const struct map *look_again(struct users *u, uint32_t tgid, uint64_t ts, uint64_t addr)
{
	struct process *p = get_process(u, tgid);

	if (p->read_at && ts - p->read_at < 1000000000u)
		return NULL;
	p->read_at = MAX(ts, (uint64_t)1);
	return read_proc(u, tgid) ? find_map(p, addr) : NULL;
}

void users_find(struct users *u, uint32_t tgid, uint64_t ts, uint64_t addr, struct user_frame *ret)
{
	const struct map *m;

	*ret = (struct user_frame){ 0 };
	if (u->sync && ts != u->synced)		/* once for all frames of a stack */
		u->sync(u->ctx, ts);
	u->synced = ts;
	m = find_map(find_process(u, tgid), addr);
	if (!m)
		m = look_again(u, tgid, ts, addr);
	if (!m)
		return;
	ret->path = m->file->path;
	ret->ino = m->file->inode.ino;
	ret->off = addr - m->start + m->off;
	read_symbols(u, m->file);
	if (!m->file->symbols)
		return;
	ret->build_id = elf_symbols_build_id(m->file->symbols, &ret->build_id_len);
	ret->has_addr = elf_symbols_addr(m->file->symbols, ret->off, &ret->off);
	if (ret->has_addr)
		ret->symbol = elf_symbols_find(m->file->symbols, ret->off);
}
