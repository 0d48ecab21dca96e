// SPDX-License-Identifier: GPL-2.0-only
/*
 * program_chosen.c - what an IFUNC has chosen: a word in the memory of a process says it.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "elf/file.h"
#include "elf/maps.h"
#include "elf/program_priv.h"

struct asking {
	struct program *program;
	const struct program_function *function;
	uint32_t pid;			/* the process that is asked now; */
	bool mapped;			/* ... it has the program, */
	uint64_t bias;			/* ... at the addresses of the file plus this */
	uint64_t from;			/* the same for the file whose words are read */
	uint64_t off;			/* the answer */
	bool found;
};

/* Before its first call, a word leads to code that finds the function. That has no symbol of its own. */
static bool is_entry(struct program *p, uint64_t off)
{
	struct program_place at;

	return program_symbol_at(p, off, &at) && !at.off;
}

static bool read_word(uint32_t pid, uint64_t at, uint64_t *ret)
{
	char path[40];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, ret, sizeof(*ret), (off_t)at);
	if (fd >= 0)
		close(fd);
	return n == sizeof(*ret);
}

/* A word can also lead to a function of this name in another file. */
static bool take_choice(void *ctx, uint64_t slot, bool sure)
{
	struct asking *a = ctx;
	struct program *p = a->program;
	uint64_t to;

	if (!read_word(a->pid, a->from + slot, &to))
		return true;
	to -= a->bias;
	a->found = elf_file_off(p->file, to, &a->off) && program_code(p, a->off) && to != a->function->addr && (sure || is_entry(p, a->off));
	return !a->found;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Some file systems (btrfs) show another device in the maps. */
static bool is_program(const struct program *p, const struct user_map *m)
{
	bool same_device = m->inode.major == major(p->dev) && m->inode.minor == minor(p->dev);

	return m->inode.ino == p->ino && (same_device || !strcmp(last_part(m->path), last_part(p->shown)));
}

static void take_program(void *ctx, const struct user_map *m)
{
	struct asking *a = ctx;
	uint64_t addr;

	if (a->mapped || !is_program(a->program, m) || !elf_file_addr(a->program->file, m->off, &addr))
		return;
	a->mapped = true;
	a->bias = a->from = m->start - addr;
}

/* The words of a file that calls the function in the program. */
static void take_caller(void *ctx, const struct user_map *m)
{
	struct asking *a = ctx;
	struct elf_file *file = NULL;
	char path[80];
	auto_fd fd = -1;
	uint64_t addr;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, a->pid, m->start, m->end);
	if (!a->found && m->inode.ino)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || elf_file_open(fd, &file))
		return;
	if (elf_file_addr(file, m->off, &addr)) {
		a->from = m->start - addr;
		elf_file_choices(file, 0, a->function->name, take_choice, a);
	}
	elf_file_close(file);
}

/*
 * Whoever reads a process's memory may wait for that process (userfaultfd). So another user's processes are asked only if the user names one.
 * The owner of /proc/PID does not tell whose it is: any process can give that to root (prctl(2), PR_SET_DUMPABLE).
 */
static bool is_trusted(uint32_t pid)
{
	static const char key[] = "Uid:";
	char path[40], line[256];
	uint64_t uid = UINT64_MAX;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	f = fopen(path, "re");
	while (f && uid == UINT64_MAX && fgets(line, sizeof(line), f)) {
		const char *at = line + sizeof(key);

		if (!strncmp(line, key, sizeof(key) - 1) && number_u64(at, strcspn(at, "\t"), 10, &uid))
			break;
	}
	if (f)
		fclose(f);
	return !uid || uid == geteuid();
}

static bool ask(void *ctx, uint32_t pid)
{
	struct asking *a = ctx;

	a->pid = pid;
	a->mapped = false;
	if (!maps_read(pid, take_program, a) && a->mapped)
		elf_file_choices(a->program->file, a->function->addr, NULL, take_choice, a);
	return !a->found;
}

static bool ask_trusted(void *ctx, uint32_t pid)
{
	return !is_trusted(pid) || ask(ctx, pid);
}

uint32_t program_chosen(struct program *p, const struct program_function *f, uint64_t *ret_off)
{
	struct asking a = { .program = p, .function = f };

	if (!p->pid)
		maps_processes(ask_trusted, &a);
	else if (ask(&a, p->pid) && a.mapped)
		maps_read(p->pid, take_caller, &a);
	*ret_off = a.off;
	return a.found ? a.pid : 0;
}
