// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_part.c - one trace.dat while it is written, and the files beside it.
 */
#include "stream/dat_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/own_file.h"

enum { MODE = 0600 };

static const char *name_beside(struct buf *name, const char *path, const char *suffix, unsigned cpu)
{
	buf_reset(name);
	buf_adds(name, path);
	buf_adds(name, suffix);
	if (cpu < DAT_PART_CPUS)
		buf_dec(name, cpu);
	return buf_str(name);
}

static void remove_beside(const char *path)
{
	struct buf name = { 0 };

	for (unsigned cpu = 0; cpu < DAT_PART_CPUS; cpu++)
		unlink(name_beside(&name, path, ".cpu", cpu));
	buf_fini(&name);
}

int dat_part_check(const char *path, struct diag *diag)
{
	if (!strcmp(path, "-"))
		return diag_set(diag, -EINVAL, "-o wants a file, not '-': bprobe completes a trace.dat after tracing, and cannot do "
				"that in a pipe");
	return own_file_check("-o", path, diag);
}

/* A new file with the name @path. The old one keeps its owner, its mode and its readers, and our events do not go into it. */
static int create_file(const char *path, int *ret_fd)
{
	struct buf name = { 0 };
	int fd = own_file_create(path, &name), err = MIN(fd, 0);

	if (!err && rename(name.data, path)) {
		err = -errno;
		unlink(name.data);
		close(fd);
	}
	buf_fini(&name);
	if (!err)
		*ret_fd = fd;
	return err;
}

void dat_part_remove(const char *path)
{
	unlink(path);
	remove_beside(path);
}

int dat_part_open(struct dat_part *p, const char *path, unsigned nr_cpus, struct diag *diag)
{
	int err = dat_part_check(path, diag), fd = -1;

	if (err)
		return err;
	err = create_file(path, &fd);
	if (err)
		return diag_set(diag, err, "cannot write %s: %s", path, strerror(-err));
	remove_beside(path);
	*p = (struct dat_part){ .path = must(strdup(path)), .fd = fd, .nr_cpus = nr_cpus,
				.cpus = must(calloc(nr_cpus, sizeof(*p->cpus))) };
	for (unsigned i = 0; i < nr_cpus; i++)
		p->cpus[i] = (struct dat_stripe){ .fd = -1, .cpu = i };
	return 0;
}

static int write_at(int fd, const void *data, size_t len, uint64_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data = (const char *)data + n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

/* O_EXCL: do not follow a symbolic link that somebody else has put there. */
static int open_beside(const char *path, const char *suffix, unsigned cpu)
{
	struct buf name = { 0 };
	int fd = open(name_beside(&name, path, suffix, cpu), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
	int err = fd < 0 ? -errno : 0;

	buf_fini(&name);
	return err ? err : fd;
}

/*
 * Room behind the head for what is written last: names of tasks (some 15 bytes each), options, places of pages; and for events
 * that come later. A hole takes no blocks of the disk.
 */
static uint64_t room_behind(const struct dat_part *p)
{
	return (64 << 10) + 256ull * p->nr_cpus;
}

static int copy_out(const struct dat_stripe *from, int to)
{
	char bytes[16384];

	for (uint64_t at = 0; at < from->size;) {
		ssize_t n = pread(from->fd, bytes, MIN(sizeof(bytes), from->size - at), (off_t)(from->off + at));
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		err = write_at(to, bytes, (size_t)n, at);
		if (err)
			return err;
		at += (uint64_t)n;
	}
	return 0;
}

/* There is too little room behind the head: puts the pages of FILE.dat beside it. They stay in FILE.dat until all are there. */
static int move_out(struct dat_part *p)
{
	struct dat_stripe *s = p->first;
	int fd, err;

	p->beside = true;
	if (!s)
		return 0;
	fd = open_beside(p->path, ".cpu", s->cpu);
	err = fd < 0 ? fd : copy_out(s, fd);
	if (!err && ftruncate(p->fd, (off_t)p->head_len))
		err = -errno;
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	*s = (struct dat_stripe){ .fd = fd, .cpu = s->cpu, .size = s->size };
	p->first = NULL;
	return 0;
}

int dat_part_head(struct dat_part *p, const struct dat_meta *m)
{
	struct buf head = { 0 };
	uint64_t head_len;
	int err = 0;

	dat_head(m, &head);
	head_len = head.len;
	if (p->first && head_len + room_behind(p) / 2 > p->first->off)
		err = move_out(p);
	if (p->first)
		dat_note_pages(p->first->cpu, p->first->off, &head);
	if (!err)
		err = write_at(p->fd, head.data, head.len, 0);
	if (!err && !p->first && ftruncate(p->fd, (off_t)head.len))
		err = -errno;
	p->head_len = head_len;
	p->page_size = m->page_size;
	buf_fini(&head);
	return err;
}

/* The first CPU with an event has its pages in FILE.dat. */
static int begin_first(struct dat_part *p, struct dat_stripe *s)
{
	struct buf note = { 0 };
	int err;

	s->off = ROUND_UP(p->head_len + room_behind(p), (uint64_t)p->page_size);
	dat_note_pages(s->cpu, s->off, &note);
	err = write_at(p->fd, note.data, note.len, p->head_len);
	buf_fini(&note);
	if (err)
		return err;
	s->fd = p->fd;
	p->first = s;
	return 0;
}

static int begin_stripe(struct dat_part *p, struct dat_stripe *s)
{
	int fd;

	if (!p->first && !p->beside)
		return begin_first(p, s);
	fd = open_beside(p->path, ".cpu", s->cpu);
	if (fd < 0)
		return fd;
	s->fd = fd;
	return 0;
}

int dat_part_write(struct dat_part *p, unsigned cpu, uint64_t at, const void *data, size_t len)
{
	struct dat_stripe *s = &p->cpus[cpu];
	int err = s->fd < 0 ? begin_stripe(p, s) : 0;

	if (!err)
		err = write_at(s->fd, data, len, s->off + at);
	if (!err)
		s->size = MAX(s->size, at + len);
	return err;
}

uint64_t dat_part_size(const struct dat_part *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->nr_cpus; i++)
		sum += p->cpus[i].size;
	return sum;
}

static int join_compressed(struct dat_part *p, const struct dat_meta *m, const struct dat_packing *packing,
			   const struct dat_stripe *stripes, unsigned nr, const struct dat_progress *progress)
{
	static const char suffix[] = ".join";
	struct buf name = { 0 };
	auto_fd fd = -1;
	int err;

	unlink(name_beside(&name, p->path, suffix, DAT_PART_CPUS));
	fd = open_beside(p->path, suffix, DAT_PART_CPUS);
	err = fd < 0 ? fd : dat_join_compressed(fd, m, packing, stripes, nr, progress);
	if (!err && rename(buf_str(&name), p->path))
		err = -errno;
	if (err)
		unlink(buf_str(&name));
	buf_fini(&name);
	return err;
}

static int join(struct dat_part *p, const struct dat_meta *m, const struct dat_packing *packing,
		const struct dat_progress *progress)
{
	auto_free struct dat_stripe *used = calloc(p->nr_cpus, sizeof(*used));
	unsigned nr = 0;

	for (unsigned i = 0; used && i < p->nr_cpus; i++) {
		if (p->cpus[i].size)
			used[nr++] = p->cpus[i];
	}
	if (!used)
		return -ENOMEM;
	return packing ? join_compressed(p, m, packing, used, nr, progress) : dat_join(p->fd, m, p->head_len, used, nr, progress);
}

int dat_part_join(struct dat_part *p, const struct dat_meta *m, const struct dat_packing *packing,
		  const struct dat_progress *progress)
{
	int err = join(p, m, packing, progress);

	if (err == -EFBIG && p->first) {
		err = move_out(p);
		if (!err)
			err = join(p, m, packing, progress);
	}
	if (!err)
		remove_beside(p->path);
	return err;
}

void dat_part_report(const struct dat_part *p, int err)
{
	if (err == -EINTR)
		fprintf(stderr, "bprobe: %s was not completed; 'bprobe --read %s' reads it with the files beside it\n", p->path, p->path);
	else if (err)
		fprintf(stderr, "bprobe: cannot complete %s: %s; 'bprobe --read %s' reads what was recorded, with the files "
			"beside it\n", p->path, strerror(-err), p->path);
}

void dat_part_close(struct dat_part *p)
{
	for (unsigned i = 0; p->cpus && i < p->nr_cpus; i++) {
		if (p->cpus[i].fd >= 0 && &p->cpus[i] != p->first)
			close(p->cpus[i].fd);
	}
	if (p->path)
		close(p->fd);
	free(p->cpus);
	free(p->path);
	*p = (struct dat_part){ .fd = -1 };
}

/* Sets ->fd of *ret to -1 if the file does not exist. */
static int open_found(const char *name, struct dat_stripe *ret, struct diag *diag)
{
	/* O_NONBLOCK: open() would wait for the other end of a pipe. */
	auto_fd fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	ret->fd = -1;
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st))
		return diag_set(diag, -errno, "cannot open %s, which has events: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return diag_set(diag, -EINVAL, "%s should have events, but is not a regular file", name);
	ret->size = (uint64_t)st.st_size;
	ret->fd = take_fd(fd);
	return 0;
}

int dat_part_find(struct arena *arena, const char *path, struct dat_stripe **ret, unsigned *ret_nr, struct diag *diag)
{
	struct dat_stripe *stripes = arena_array(arena, struct dat_stripe, DAT_PART_CPUS);
	struct buf name = { 0 };
	unsigned nr = 0;
	int err = 0;

	files_raise_limit();		/* one for each CPU */
	for (unsigned cpu = 0; !err && cpu < DAT_PART_CPUS; cpu++) {
		stripes[nr].cpu = cpu;
		err = open_found(name_beside(&name, path, ".cpu", cpu), &stripes[nr], diag);
		nr += !err && stripes[nr].fd >= 0;
	}
	buf_fini(&name);
	*ret = stripes;
	*ret_nr = nr;
	return err;
}
