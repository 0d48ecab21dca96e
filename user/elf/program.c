// SPDX-License-Identifier: GPL-2.0-only
/*
 * program.c - finds and opens a program or a library.
 *
 * What is opened is what is probed: the kernel gets the descriptor's name in /proc. If it looked for the path again, another file could be
 * there by now, and a breakpoint at this file's offset would destroy code of that one.
 */
#include "elf/program_priv.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "arch/user.h"
#include "base/cleanup.h"
#include "base/macros.h"
#include "elf/debug_file.h"
#include "elf/library.h"
#include "elf/maps.h"

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, MAPPED_SHOWN = 8 };

/* ---- what is it? ---- */

static int refuse_script(const struct program *p, struct diag *diag)
{
	char line[256];
	ssize_t n = pread(p->fd, line, sizeof(line) - 1, 0);
	char *interpreter = line + 2;
	int err;

	line[MAX(n, (ssize_t)0)] = '\0';
	if (strncmp(line, "#!", 2)) {
		err = diag_set(diag, -ENOEXEC, "'%s' is no program or library (ELF)", p->shown);
		diag_note(diag, "help: the name before ':' is the file of a program or a library");
		return err;
	}
	interpreter += strspn(interpreter, " \t");
	interpreter[strcspn(interpreter, " \t\n")] = '\0';
	err = diag_set(diag, -ENOEXEC, "'%s' is a script: the program that runs is %s", p->shown, interpreter);
	diag_note(diag, "help: only the code of that program can be probed");
	return err;
}

static int refuse_cpu(const struct program *p, const struct elf_kind *kind, struct diag *diag)
{
	if (kind->machine == user_machine_32 || (kind->machine == user_machine && !kind->is_64))
		return diag_set(diag, -ENOEXEC, "'%s' is a program of 32 bits: only %s programs of 64 bits can be probed", p->shown, user_machine_name);
	return diag_set(diag, -ENOEXEC, "'%s' is for another CPU (ELF machine %u): only %s programs can be probed", p->shown, kind->machine,
			user_machine_name);
}

static int check_kind(const struct program *p, struct diag *diag)
{
	struct elf_kind kind;
	int err;

	elf_file_kind(p->file, &kind);
	if (kind.machine != user_machine || !kind.is_64 || !kind.is_little)
		return refuse_cpu(p, &kind, diag);
	if (kind.type == ET_CORE)
		return diag_set(diag, -ENOEXEC, "'%s' is a core dump: nothing of it runs", p->shown);
	if (kind.type != ET_EXEC && kind.type != ET_DYN)
		return diag_set(diag, -ENOEXEC, "'%s' is an object file: programs that were linked with it can be probed", p->shown);
	if (!kind.no_code)
		return 0;
	err = diag_set(diag, -ENOEXEC, "'%s' has only the symbols of a program, no code", p->shown);
	diag_note(diag, "help: write the program itself: bprobe finds this file by the build id");
	return err;
}

/* Takes @fd. */
static int open_fd(struct program *p, int fd, struct diag *diag)
{
	struct stat st;
	int err;

	p->fd = fd;
	if (fstat(fd, &st))
		return diag_set(diag, -errno, "cannot read '%s': %m", p->shown);
	if (S_ISDIR(st.st_mode))
		return diag_set(diag, -EISDIR, "'%s' is a directory, not a program", p->shown);
	if (!S_ISREG(st.st_mode))
		return diag_set(diag, -ENOEXEC, "'%s' is no ordinary file", p->shown);
	err = elf_file_open(fd, &p->file);
	if (err == -EBADMSG)
		return refuse_script(p, diag);
	if (err)
		return diag_set(diag, err, "cannot read '%s': %s", p->shown, strerror(-err));
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	p->path = arena_printf(p->arena, "/proc/self/fd/%d", fd);
	return check_kind(p, diag);
}

static int refuse_open(const struct program *p, int err, struct diag *diag)
{
	char buf[64];

	if (p->pid && err != -ENOENT && access(arena_printf(p->arena, "/proc/%u", p->pid), F_OK))
		return diag_set(diag, -ESRCH, "there is no process %u", p->pid);
	if (err == -ENOENT && p->pid)
		return diag_set(diag, err, "process %u sees no file '%s'", p->pid, p->shown);
	if (err == -ENOENT)
		return diag_set(diag, err, "there is no file '%s'", p->shown);
	return diag_set(diag, err, "cannot open '%s': %s", p->shown, strerror_r(-err, buf, sizeof(buf)));
}

/* ---- by its path ---- */

/*
 * Opens @path as the process sees it. Its symbolic links may begin with '/', which means the process's root, so the path is not simply put
 * behind /proc/PID/root.
 */
static int open_in_root(const struct program *p, const char *path)
{
	struct open_how how = { .flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT };
	const char *root_path = arena_printf(p->arena, "/proc/%u/root", p->pid);
	auto_fd root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	long fd;

	if (root < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))	/* a container's filter of system calls */
		fd = open(arena_printf(p->arena, "%s%s", root_path, path), OPEN_FLAGS);
	return fd < 0 ? -errno : (int)fd;
}

/* ---- by what a process has mapped ---- */

/* A file that is mapped. */
struct mapped {
	struct mapped *next;
	struct user_map map;		/* of its first mapping */
	const char *path;		/* without " (deleted)" */
};

struct mapped_files {
	struct arena *arena;
	struct mapped *first, **last;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same_file(const struct user_map *a, const struct user_map *b)
{
	return a->inode.ino == b->inode.ino && a->inode.major == b->inode.major && a->inode.minor == b->inode.minor;
}

static void add_mapped(void *ctx, const struct user_map *m)
{
	static const char deleted[] = " (deleted)";
	struct mapped_files *all = ctx;
	size_t len = strlen(m->path);
	struct mapped *f;

	if (*m->path != '/' || !m->inode.ino)
		return;
	for (f = all->first; f; f = f->next) {
		if (same_file(&f->map, m))
			return;
	}
	f = arena_new(all->arena, struct mapped);
	f->map = *m;
	f->map.path = arena_strdup(all->arena, m->path);
	if (len > sizeof(deleted) - 1 && !strcmp(m->path + len - (sizeof(deleted) - 1), deleted))
		len -= sizeof(deleted) - 1;
	f->path = arena_strndup(all->arena, m->path, len);
	*all->last = f;
	all->last = &f->next;
}

static bool is_named(const struct mapped *f, const char *name, bool whole)
{
	const char *base = base_name(f->path);

	return whole ? !strcmp(base, name) : library_begins(base, name);
}

static int refuse_several(const struct program *p, const struct mapped *f, const char *name, bool whole, struct diag *diag)
{
	int err = diag_set(diag, -EEXIST, "process %u has several files mapped that '%s' may mean", p->pid, name);

	for (; f; f = f->next) {
		if (is_named(f, name, whole))
			diag_note(diag, "  %s", f->map.path);
	}
	diag_note(diag, "help: write the path");
	return err;
}

static int refuse_unmapped(const struct program *p, const struct mapped *f, const char *name, struct diag *diag)
{
	int err = diag_set(diag, -ENOENT, "process %u has no file '%s' mapped", p->pid, name);
	struct buf list = { 0 };

	for (unsigned nr = 0; f && nr < MAPPED_SHOWN; f = f->next, nr++)
		buf_addf(&list, "%s%s", list.len ? ", " : "", base_name(f->path));
	if (list.len)
		diag_note(diag, "it has: %s%s", buf_str(&list), f ? ", ..." : "");
	else
		diag_note(diag, "it has none: it is a kernel thread, or it is ending");
	diag_note(diag, "help: write the path of a file that it maps later");
	buf_fini(&list);
	return err;
}

/* Opens @path if it is the file @m; some file systems show another device by stat(2) than in the mapping. */
static int open_if_same(const char *path, const struct user_map *m, bool exactly)
{
	int fd = open(path, OPEN_FLAGS);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_ino == m->inode.ino &&
	    (!exactly || (major(st.st_dev) == m->inode.major && minor(st.st_dev) == m->inode.minor)))
		return fd;
	close(fd);
	return -ENOENT;
}

/* The kernel's own link to the file is always right, but only root may use it. */
static int open_mapped(struct program *p, const struct mapped *f, struct diag *diag)
{
	int fd = open_if_same(f->path, &f->map, true), err;

	p->shown = f->map.path;
	if (fd < 0)
		fd = open(arena_printf(p->arena, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, p->pid, f->map.start, f->map.end), OPEN_FLAGS);
	if (fd < 0)
		fd = open_if_same(arena_printf(p->arena, "/proc/%u/root%s", p->pid, f->path), &f->map, false);
	if (fd < 0)
		fd = open_if_same(f->path, &f->map, false);
	if (fd >= 0)
		return open_fd(p, fd, diag);
	err = diag_set(diag, -ENOENT, "cannot open '%s' of process %u: the file was removed or replaced", p->shown, p->pid);
	diag_note(diag, "help: root can open it, as long as the process has it mapped");
	return err;
}

/*
 * The file that the process has mapped under the path @name, if it is not @fd: it was replaced or removed (the kernel says " (deleted)").
 * NULL: there is none. @fd may be negative.
 */
static const struct mapped *find_replaced(const struct program *p, const char *name, int fd)
{
	struct mapped_files all = { .arena = p->arena, .last = &all.first };
	const struct mapped *found = NULL;
	struct stat st;

	if (maps_read(p->pid, add_mapped, &all))
		return NULL;
	for (const struct mapped *f = all.first; f; f = f->next) {
		if (fd >= 0 && !fstat(fd, &st) && st.st_ino == f->map.inode.ino)
			return NULL;
		if (!strcmp(f->path, name) && strcmp(f->path, f->map.path))
			found = f;
	}
	return found;
}

static int open_path(struct program *p, const char *name, struct diag *diag)
{
	int fd;

	p->shown = name;
	if (*name != '/') {
		auto_free char *cwd = getcwd(NULL, 0);

		p->shown = cwd ? arena_printf(p->arena, "%s/%s", cwd, name) : name;
	}
	if (p->pid && *name == '/') {
		const struct mapped *old;

		fd = open_in_root(p, name);
		old = find_replaced(p, name, fd);
		if (old) {
			if (fd >= 0)
				close(fd);
			p->replaced = true;
			return open_mapped(p, old, diag);
		}
	} else {
		fd = open(name, OPEN_FLAGS);
		fd = fd < 0 ? -errno : fd;
	}
	return fd < 0 ? refuse_open(p, fd, diag) : open_fd(p, fd, diag);
}

static int find_mapped(struct program *p, const char *name, struct diag *diag)
{
	struct mapped_files all = { .arena = p->arena, .last = &all.first };
	int err = maps_read(p->pid, add_mapped, &all);

	p->shown = name;
	if (err == -ENOENT || err == -ESRCH)
		return diag_set(diag, -ESRCH, "there is no process %u", p->pid);
	if (err)
		return diag_set(diag, err, "cannot see what process %u has mapped: %s", p->pid, strerror(-err));
	for (int whole = 1; whole >= 0; whole--) {
		const struct mapped *found = NULL;

		for (const struct mapped *f = all.first; f; f = f->next) {
			if (!is_named(f, name, whole))
				continue;
			if (found)
				return refuse_several(p, all.first, name, whole, diag);
			found = f;
		}
		if (found)
			return open_mapped(p, found, diag);
	}
	return refuse_unmapped(p, all.first, name, diag);
}

/* ---- from outside ---- */

static int open_named(struct program *p, const char *name, struct diag *diag)
{
	struct library_places places = library_places_here();
	const char *path;
	int err;

	if (!*name)
		return diag_set(diag, -EINVAL, "the name of a program is missing");
	if (strchr(name, '/'))
		return open_path(p, name, diag);
	if (p->pid)
		return find_mapped(p, name, diag);
	err = library_find(p->arena, &places, name, &path, diag);
	return err ? err : open_path(p, path, diag);
}

int program_open(struct arena *arena, const char *name, unsigned pid, struct program **ret, struct diag *diag)
{
	struct program *p = arena_new(arena, struct program);
	int err;

	*p = (struct program){ .fd = -1, .pid = pid, .arena = arena };
	err = open_named(p, arena_strdup(arena, name), diag);
	if (err)
		program_close(p);
	else
		*ret = p;
	return err;
}

int program_debug_fd(struct program *p, bool local)
{
	const unsigned char *id;
	size_t len;
	int fd = -1;

	if (p->debug_fd)
		return p->debug_fd;
	id = elf_file_build_id(p->file, &len);
	if (id)
		fd = debug_file_by_id(p->pid ? arena_printf(p->arena, "/proc/%u/root", p->pid) : "", id, len);
	if (fd < 0)
		fd = debug_file_by_link(p->pid ? arena_printf(p->arena, "/proc/%u/root", p->pid) : "", p->file, p->shown);
	if (fd < 0 && id && !local && !elf_file_has(p->file, ".debug_info"))
		fd = debug_file_by_server(id, len);
	p->debug_fd = fd >= 0 ? fd : p->fd;
	return p->debug_fd;
}

void program_close(struct program *p)
{
	if (!p)
		return;
	program_symbols_free(p->symbols);
	p->symbols = NULL;
	elf_file_close(p->file);
	p->file = NULL;
	if (p->debug_fd > 0 && p->debug_fd != p->fd)
		close(p->debug_fd);
	p->debug_fd = 0;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

const char *program_build_id(struct program *p)
{
	size_t len;
	const unsigned char *id = elf_file_build_id(p->file, &len);
	char *text = arena_alloc(p->arena, 2 * len + 1);

	for (size_t i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	return len ? text : NULL;
}

bool program_is_go(struct program *p)
{
	return elf_file_has(p->file, ".gopclntab") || elf_file_has(p->file, ".data.rel.ro.gopclntab");
}

/* Is @name a whole name in a table of strings? */
static bool table_has(struct elf_file *f, const char *section, const char *name)
{
	size_t len, size = strlen(name) + 1;
	uint64_t addr;
	const char *table = elf_file_section(f, section, &len, &addr);

	/* With the NUL in front of it. */
	for (const char *at = table; at && (at = memmem(at, len - (size_t)(at - table), name, size)); at++) {
		if (at > table && !at[-1])
			return true;
	}
	return false;
}

bool program_throws(struct program *p)
{
	static const char *const names[] = { "__cxa_throw", "rust_panic" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (table_has(p->file, ".dynstr", names[i]) || table_has(p->file, ".strtab", names[i]))
			return true;
	}
	return false;
}
