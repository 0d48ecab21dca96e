// SPDX-License-Identifier: GPL-2.0-only
/*
 * own_file.c - files with events, which only this user may read.
 */
#include "base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/write_all.h"

enum { MODE = 0600 };

static const char *directory_of(const char *path, struct buf *dir)
{
	const char *slash = strrchr(path, '/');

	buf_add(dir, path, slash ? (size_t)(slash - path) + 1 : 0);
	return dir->len ? dir->data : ".";
}

/* May this user create a file in the directory of @path, and replace @old (NULL: there is none)? */
static int check_directory(const char *path, const struct stat *old)
{
	struct buf name = { 0 };
	const char *dir = directory_of(path, &name);
	struct stat st;
	int err = access(dir, W_OK | X_OK) || stat(dir, &st) ? -errno : 0;

	/* As in /tmp: only the owner of the file or of the directory may remove the file. */
	if (!err && old && st.st_mode & S_ISVTX && geteuid() && old->st_uid != geteuid() && st.st_uid != geteuid())
		err = -EPERM;
	buf_fini(&name);
	return err;
}

/*
 * Refuses everything that would send the kernel's addresses elsewhere: whoever made a symbolic link may be able to read its
 * target. A regular file is replaced by a new one of the same name.
 */
static int check_old(const char *option, const char *path, const struct stat *old, struct diag *diag)
{
	struct stat behind;

	if (!S_ISREG(old->st_mode) && (!S_ISLNK(old->st_mode) || (!stat(path, &behind) && !S_ISREG(behind.st_mode))))
		return diag_set(diag, -EINVAL, "%s wants a regular file, and %s is not one", option, path);
	if (S_ISLNK(old->st_mode)) {
		diag_set(diag, -ELOOP, "%s does not follow links, and %s is one", option, path);
		diag_note(diag, "help: give the name of the file that is to be written, or remove the link");
		return -ELOOP;
	}
	return access(path, R_OK | W_OK) ? diag_set(diag, -errno, "cannot write %s: %s", path, strerror(errno)) : 0;
}

int own_file_check(const char *option, const char *path, struct diag *diag)
{
	struct stat st;
	bool exists = !lstat(path, &st);
	int err = exists || errno == ENOENT ? 0 : -errno;

	if (exists && check_old(option, path, &st, diag))
		return diag->err;
	if (!err)
		err = check_directory(path, exists ? &st : NULL);
	return err ? diag_set(diag, err, "cannot write %s: %s", path, strerror(-err)) : 0;
}

/* mkostemp(3) follows no symbolic link. The umask may have removed bits of the mode. */
int own_file_create(const char *path, struct buf *ret_name)
{
	size_t len = ret_name->len;
	auto_fd fd = -1;
	int err = 0;

	directory_of(path, ret_name);
	buf_adds(ret_name, ".bprobe.XXXXXX");
	fd = mkostemp(ret_name->data + len, O_CLOEXEC);
	if (fd < 0 || fchmod(fd, MODE))
		err = -errno;
	if (err && fd >= 0)
		unlink(ret_name->data + len);
	return err ? err : take_fd(fd);
}

int own_file_replace(const char *path, const struct buf *text, bool public, struct diag *diag)
{
	struct buf name = { 0 };
	int fd = own_file_create(path, &name), err = fd < 0 ? fd : write_all(fd, text->data, text->len);

	if (!err && public && fchmod(fd, 0644))
		err = -errno;
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(buf_str(&name), path))
		err = -errno;
	if (fd >= 0 && err)
		unlink(buf_str(&name));
	buf_fini(&name);
	return err ? diag_set(diag, err, "cannot write %s: %s", path, strerror(-err)) : 0;
}
