// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_dir.c - creates, locks, walks and removes the store's directories.
 */
#include "keep/store_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"

#define BPF_MOUNT	"/sys/fs/bpf"

#ifndef BPF_FS_MAGIC
#define BPF_FS_MAGIC	0xcafe4a11
#endif

enum { LOCK_WAIT_MS = 60000, LOCK_TICK_MS = 5 };

/* ---- creating ---- */

static bool on_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (uint32_t)fs.f_type == BPF_FS_MAGIC;
}

static int explain(const char *what, const char *path, struct diag *diag)
{
	int err = -errno;

	diag_set(diag, err, "cannot %s %s: %s", what, path, strerror(-err));
	if (err == -EACCES || err == -EPERM)
		diag_note(diag, "help: run as root");
	return err;
}

/* Opens @path, which must itself be a directory and no link. -ENOENT without a message: it is not there. */
static int open_dir(const char *path, int *ret_fd, struct diag *diag)
{
	size_t len = strlen(path);
	auto_free char *plain = NULL;
	struct stat st;

	/* With a slash behind it, the kernel follows a link in spite of O_NOFOLLOW (6.12, fs/namei.c, open_last_lookups()). */
	while (len > 1 && path[len - 1] == '/')
		len--;
	plain = strndup(path, len);
	if (!plain)
		return diag_set(diag, -ENOMEM, "out of memory");
	path = plain;
	*ret_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret_fd >= 0)
		return 0;
	if (errno == ENOENT)
		return -ENOENT;
	if ((errno != ENOTDIR && errno != ELOOP) || lstat(path, &st) || !S_ISLNK(st.st_mode))
		return explain("open", path, diag);
	diag_set(diag, -ELOOP, "%s is a symbolic link, and a store must be a directory itself", path);
	diag_note(diag, "help: remove the link, or give its target with --store");
	return -ELOOP;
}

/* Creates all directories above @path, and @path itself. */
static int make_path(const char *path)
{
	auto_free char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST && errno != EROFS && errno != EPERM)
			return -errno;
		*slash = '/';
	}
	return mkdir(copy, 0700) && errno != EEXIST ? -errno : 0;
}

static int check_owner(const char *dir, int fd, struct diag *diag)
{
	struct stat st;

	if (fstat(fd, &st))
		return explain("look at", dir, diag);
	if (st.st_uid != geteuid()) {
		diag_set(diag, -EPERM, "%s belongs to user %u, not to user %u that runs bprobe", dir, st.st_uid, geteuid());
		diag_note(diag, "help: %s", st.st_uid ? "--store names another directory" : "run as root");
		return -EPERM;
	}
	if (st.st_mode & (S_IWGRP | S_IWOTH)) {
		diag_set(diag, -EPERM, "%s can be written by others (mode %04o)", dir, st.st_mode & 07777);
		diag_note(diag, "help: check what is in it, then: chmod 0700 %s", dir);
		return -EPERM;
	}
	return 0;
}

static bool is_empty(const char *dir)
{
	struct arena arena = { 0 };
	const char **names;
	bool empty = !store_dir_names(dir, &arena, &names);

	arena_fini(&arena);
	return empty;
}

/*
 * Mounts the BPF file system on @at, unless it is already mounted there. The directory below is locked meanwhile; otherwise
 * two processes at the same time would mount it twice. @own: the file system must belong to this user and hide nothing.
 */
static int mount_bpffs(const char *at, bool own, struct diag *diag)
{
	auto_fd fd = -1;
	char path[40];
	int err = open_dir(at, &fd, diag);

	if (err == -ENOENT)
		return explain("open", at, diag);
	if (!err)
		err = store_dir_lock(fd, at, diag);
	if (err || on_bpffs(at))
		return err;
	if (own && check_owner(at, fd, diag))
		return diag->err;
	if (own && !is_empty(at)) {
		diag_set(diag, -ENOTEMPTY, "%s is not on a BPF file system, and mounting one there would hide its files", at);
		diag_note(diag, "help: give --store a new directory, an empty one, or one below " BPF_MOUNT);
		return -ENOTEMPTY;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return mount("bpf", access(path, F_OK) ? at : path, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RELATIME, "mode=0700")
	       ? explain("mount the BPF file system on", at, diag) : 0;
}

/*
 * The usual place is below the one mount point that everybody uses. Any other directory that is not on the BPF file system
 * becomes a separate mount point.
 */
static int make(const char *dir, struct diag *diag)
{
	size_t mount_len = strlen(BPF_MOUNT);
	bool usual = !strncmp(dir, BPF_MOUNT, mount_len) && dir[mount_len] == '/';
	int err;

	if (usual && !on_bpffs(BPF_MOUNT)) {
		err = mount_bpffs(BPF_MOUNT, false, diag);
		if (err) {
			if (err == -ENOENT)
				diag_note(diag, "help: mount sysfs first: mount -t sysfs sysfs /sys");
			return err;
		}
	}
	err = make_path(dir);
	if (err) {
		errno = -err;
		return explain("make", dir, diag);
	}
	return on_bpffs(dir) ? 0 : mount_bpffs(dir, true, diag);
}

/* In a store everything unfinished is removed. So the directory must not be the mount point that all programs use. */
static bool is_everybodys(int fd)
{
	struct stat dir, all;

	return !fstat(fd, &dir) && !stat(BPF_MOUNT, &all) && dir.st_dev == all.st_dev && dir.st_ino == all.st_ino;
}

int store_dir_open(const char *dir, bool makes, int *ret_fd, struct diag *diag)
{
	auto_fd fd = -1;
	int err = makes ? make(dir, diag) : 0;

	if (err)
		return err;
	err = open_dir(dir, &fd, diag);
	if (err)
		return err == -ENOENT && makes ? explain("open", dir, diag) : err;
	if (is_everybodys(fd)) {
		diag_set(diag, -EINVAL, "all programs pin their objects in %s, so it cannot be a store", dir);
		diag_note(diag, "help: give --store a directory of its own, such as " BPF_MOUNT "/bprobe");
		return -EINVAL;
	}
	err = check_owner(dir, fd, diag);
	if (err)
		return err;
	if (!on_bpffs(dir)) {
		if (makes)
			return diag_set(diag, -EINVAL, "%s is not on a BPF file system", dir);
		return -ENOENT;		/* a mount point on which the file system is not mounted yet */
	}
	*ret_fd = take_fd(fd);
	return 0;
}

/* ---- locking ---- */

int store_dir_trylock(int fd)
{
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EINTR)
			return errno == EWOULDBLOCK ? -EBUSY : -errno;
	}
	return 0;
}

int store_dir_lock(int fd, const char *dir, struct diag *diag)
{
	int err = store_dir_trylock(fd);

	for (unsigned ms = 0; err == -EBUSY && ms < LOCK_WAIT_MS; ms += LOCK_TICK_MS) {
		poll(NULL, 0, LOCK_TICK_MS);
		err = store_dir_trylock(fd);
	}
	if (err == -EBUSY) {
		pid_t pid = store_dir_holder(fd);

		diag_set(diag, err, "process %d has held the lock on %s for %d seconds", (int)pid, dir, LOCK_WAIT_MS / 1000);
		diag_note(diag, "help: try again; if it was stopped, 'kill -CONT %d' lets it go on", (int)pid);
	} else if (err) {
		diag_set(diag, err, "cannot lock %s: %s", dir, strerror(-err));
	}
	return err;
}

/*
 * "1: FLOCK ADVISORY WRITE 612 00:1a:8214 0 EOF": returns the number of the process if this is a lock on the same inode;
 * otherwise 0.
 */
static pid_t holder_in(const char *line, const struct stat *st)
{
	auto_free char *inode = NULL;
	const char *word = line;
	uint64_t pid;

	if (!strstr(line, "FLOCK ") || strstr(line, "->") ||
	    asprintf(&inode, " %02x:%02x:%" PRIu64 " ", major(st->st_dev), minor(st->st_dev), (uint64_t)st->st_ino) < 0)
		return 0;
	if (!strstr(line, inode))
		return 0;
	for (unsigned i = 0; i < 4; i++) {	/* skips number, kind, ADVISORY, WRITE */
		word += strcspn(word, " ");
		word += strspn(word, " ");
	}
	return number_u64(word, strcspn(word, " "), 10, &pid) ? 0 : (pid_t)pid;
}

pid_t store_dir_holder(int fd)
{
	auto_file f = fopen("/proc/locks", "re");
	auto_free char *line = NULL;
	struct stat st;
	size_t size = 0;
	pid_t pid = 0;

	if (!f || fstat(fd, &st))
		return 0;
	while (!pid && getline(&line, &size, f) > 0)
		pid = holder_in(line, &st);
	return pid;
}

/* ---- walking and removing ---- */

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

unsigned store_dir_names(const char *dir, struct arena *arena, const char ***ret)
{
	DIR *stream = opendir(dir);
	unsigned nr = 0, size = 16;
	const char **names = arena_array(arena, const char *, size);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		names = arena_grow(arena, names, nr, &size);
		names[nr++] = arena_strdup(arena, entry->d_name);
	}
	if (stream)
		closedir(stream);
	qsort(names, nr, sizeof(*names), compare_names);
	*ret = names;
	return nr;
}

int store_dir_remove(const char *dir)
{
	struct arena arena = { 0 };
	const char **names;
	unsigned nr = store_dir_names(dir, &arena, &names);

	for (unsigned i = 0; i < nr; i++) {
		const char *path = arena_printf(&arena, "%s/%s", dir, names[i]);

		if (unlink(path) && (errno == EISDIR || errno == EPERM))
			store_dir_remove(path);
	}
	arena_fini(&arena);
	return rmdir(dir) ? -errno : 0;
}
