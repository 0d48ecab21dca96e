// SPDX-License-Identifier: GPL-2.0-only
/*
 * registry_dir.c - the directory under /run, its locks and its sockets.
 *
 * An owner is alive as long as its lock is held: the kernel releases a flock(2) when
 * the process ends, however it ends. Whoever can take the lock of another owner
 * removes its files. Between opening and locking a lock file, another process may
 * remove it. Then the lock is on a file without a name and does not count.
 */
#include "registry/registry_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Number of attempts to create the directory or a lock: each failure needs a rival. */
#define MAX_TRIES	16

/* ---- the directory ---- */

static int make_error(const char *dir, struct diag *diag)
{
	int err = -errno;

	diag_set(diag, err, "cannot make %s: %s", dir, strerror(-err));
	if (err == -EACCES || err == -EPERM)
		diag_note(diag, "help: run as root");
	else if (err == -EROFS || err == -ENOENT)
		diag_note(diag, "help: a writable /run is needed: mount -t tmpfs tmpfs /run");
	return err;
}

static int open_error(const char *dir, struct diag *diag)
{
	int err = -errno;

	if (err == -ELOOP || err == -ENOTDIR) {
		diag_set(diag, err, "%s is not a directory", dir);
		diag_note(diag, "help: remove it");
		return err;
	}
	diag_set(diag, err, "cannot open %s: %s", dir, strerror(-err));
	if (err == -EACCES || err == -EPERM)
		diag_note(diag, "help: run as root");
	return err;
}

/* Sockets in this directory are trusted, so nobody else may have created them. */
static int check_owner(const char *dir, int fd, struct diag *diag)
{
	struct stat st;

	if (fstat(fd, &st))
		return open_error(dir, diag);
	if (st.st_uid != geteuid()) {
		diag_set(diag, -EPERM, "%s belongs to user %u, not to user %u that runs bprobe", dir,
			 st.st_uid, geteuid());
		diag_note(diag, "help: %s", st.st_uid ? "remove it" : "run as root");
		return -EPERM;
	}
	if (st.st_mode & (S_IWGRP | S_IWOTH)) {
		diag_set(diag, -EPERM, "%s can be written by others (mode %04o)", dir,
			 st.st_mode & 07777);
		diag_note(diag, "help: check what is in it, then: chmod 0700 %s", dir);
		return -EPERM;
	}
	return 0;
}

int registry_dir_open(const char *dir, bool make, int *ret_fd, struct diag *diag)
{
	auto_fd fd = -1;
	int err;

	if (!dir)
		dir = "/run/bprobe";
	if (make && mkdir(dir, 0700) && errno != EEXIST)
		return make_error(dir, diag);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return open_error(dir, diag);
	err = check_owner(dir, fd, diag);
	if (err)
		return err;
	*ret_fd = take_fd(fd);
	return 0;
}

/* ---- locks ---- */

const char *registry_dir_file(struct arena *a, const char *name, const char *suffix)
{
	return arena_printf(a, "%s.%s", name, suffix);
}

/* Is @file still the name of the file that @fd has open? */
static bool is_named(int dir_fd, const char *file, int fd)
{
	struct stat by_fd, by_name;

	return !fstat(fd, &by_fd) && !fstatat(dir_fd, file, &by_name, AT_SYMLINK_NOFOLLOW) &&
	       by_fd.st_dev == by_name.st_dev && by_fd.st_ino == by_name.st_ino;
}

/* 0: we have the lock. -EWOULDBLOCK: another process has it. -ESTALE: the file was removed. Otherwise -errno of open(2). */
static int take_lock(int dir_fd, const char *file, int flags, int *ret_fd)
{
	/* O_NONBLOCK: do not wait for a FIFO of this name. */
	auto_fd fd = openat(dir_fd, file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return -errno;
	if (!is_named(dir_fd, file, fd))
		return -ESTALE;
	*ret_fd = take_fd(fd);
	return 0;
}

int registry_dir_claim(int dir_fd, struct arena *a, const char **ret_name, int *ret_fd,
		       struct diag *diag)
{
	const char *name = arena_printf(a, "%d", (int)getpid());
	int err = -EWOULDBLOCK;

	for (unsigned i = 0; i < MAX_TRIES && (err == -EWOULDBLOCK || err == -ESTALE); i++) {
		if (err == -EWOULDBLOCK && i)
			name = arena_printf(a, "%d-%u", (int)getpid(), i);
		err = take_lock(dir_fd, registry_dir_file(a, name, "lock"), O_CREAT, ret_fd);
	}
	if (err) {
		diag_set(diag, err, "cannot make a lock file for this bprobe: %s", strerror(-err));
		if (err == -EACCES || err == -EPERM)
			diag_note(diag, "help: run as root");
		return err;
	}
	*ret_name = name;
	return 0;
}

/* Removes the socket first: a socket without a lock would never be found. */
void registry_dir_release(int dir_fd, const char *name, int lock_fd)
{
	struct arena a = { 0 };

	unlinkat(dir_fd, registry_dir_file(&a, name, "sock"), 0);
	unlinkat(dir_fd, registry_dir_file(&a, name, "lock"), 0);
	close(lock_fd);
	arena_fini(&a);
}

/* ---- all owners ---- */

/* "NAME" of "NAME.lock"; NULL for any other file. */
static const char *lock_name(struct arena *a, const char *file)
{
	size_t len = strlen(file);

	if (len <= 5 || strcmp(file + len - 5, ".lock"))
		return NULL;
	return arena_strndup(a, file, len - 5);
}

bool registry_dir_alive(int dir_fd, struct arena *a, const char *name)
{
	int fd, err = take_lock(dir_fd, registry_dir_file(a, name, "lock"), 0, &fd);

	if (!err)
		registry_dir_release(dir_fd, name, fd);
	return err == -EWOULDBLOCK;
}

/* Sorts by number, so that the list is the same each time. */
static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

size_t registry_dir_scan(int dir_fd, struct arena *a, const char ***ret_names)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	size_t count = 0;
	unsigned room = 16;
	const char **names = arena_array(a, const char *, room);
	const struct dirent *entry;

	if (!stream && fd >= 0)
		close(fd);
	while (stream && (entry = readdir(stream))) {
		const char *name = lock_name(a, entry->d_name);

		if (!name || !registry_dir_alive(dir_fd, a, name))
			continue;
		names = arena_grow(a, names, count, &room);
		names[count++] = name;
	}
	if (stream)
		closedir(stream);
	qsort(names, count, sizeof(*names), compare_names);
	*ret_names = names;
	return count;
}

/* The path through the descriptor is short, however long the directory's own path is. */
void registry_dir_address(int dir_fd, const char *name, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s.sock", dir_fd, name);
}
