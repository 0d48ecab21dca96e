// SPDX-License-Identifier: GPL-2.0-only
/*
 * pw.c - opens files in many places, for path.guest, and says what /proc/self/fd calls each
 *
 *	pw files SEED NUMBER ROOT...	NUMBER files below each ROOT: plain, renamed, removed, bind-mounted, chroots, detached mounts
 *	pw kinds			one of each kind that has no place in a tree
 *	pw limits DIR			paths at the limits: of parts, of bytes, of a name. DIR is in /
 *	pw renames DIR NUMBER		NUMBER hits of a file, while another process moves the directory in which it is
 *
 * Each file gets ioctl(FD, FIRST + I), which the kernel passes with its struct file to security_file_ioctl(). Its line is I, a tab, and
 * the text. Everything happens in mount namespaces of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = 0x70000000, MAX_DEPTH = 12, DIRS = 24 };

static unsigned next_hit;
static int proc_fds;		/* /proc/self/fd, also behind a chroot */
static unsigned long long state;

static unsigned roll(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

static void die(const char *what, const char *which)
{
	fprintf(stderr, "pw: %s %s: %s\n", what, which, strerror(errno));
	exit(1);
}

/* ---- hits ---- */

static void hit(int fd)
{
	ioctl(fd, FIRST + next_hit, 0);
	next_hit++;
}

static void expect(const char *text)
{
	printf("%u\t%s\n", next_hit, text);
}

/* A hit of @fd, whose text is what the kernel says. */
static void hit_known(int fd)
{
	char name[16], text[PATH_MAX + 1];
	ssize_t len;

	snprintf(name, sizeof(name), "%d", fd);
	len = readlinkat(proc_fds, name, text, PATH_MAX);
	if (len < 0)
		die("readlink", name);
	text[len] = 0;
	expect(text);
	hit(fd);
	close(fd);
}

/* ---- trees ---- */

/* Names without characters that lines escape. */
static void random_name(char *name)
{
	static const char *const parts[] = { "a", "b", "Z", "0", "7", "_", "-", "+", ".", "x", "é", "ß", "木", "=", ",", "~" };
	unsigned len = roll(20) ? 1 + roll(24) : 200 + roll(56), at = 0;

	while (at < len) {
		const char *part = parts[roll(sizeof(parts) / sizeof(*parts))];

		if (at + strlen(part) > 255)
			break;
		at += (unsigned)sprintf(name + at, "%s", part);
	}
	sprintf(name + (at < 250 ? at : 245), "%u", roll(100000));
}

/* Makes directories below @root. dirs[0] is @root itself. */
static void make_dirs(const char *root, char dirs[DIRS][PATH_MAX])
{
	unsigned depth[DIRS] = { 0 };

	snprintf(dirs[0], PATH_MAX, "%s", root);
	for (unsigned i = 1; i < DIRS; i++) {
		unsigned in = roll(3) ? i - 1 : roll(i);
		char name[300];

		if (depth[in] >= MAX_DEPTH)
			in = 0;
		random_name(name);
		depth[i] = depth[in] + 1;
		if (snprintf(dirs[i], PATH_MAX, "%s/%s", dirs[in], name) >= PATH_MAX || mkdir(dirs[i], 0755))
			die("mkdir", dirs[i]);
	}
}

static int open_new(const char *dir, char *path)
{
	char name[300];
	int fd;

	random_name(name);
	if (snprintf(path, PATH_MAX, "%s/%s", dir, name) >= PATH_MAX)
		path[PATH_MAX - 1] = 0;
	fd = open(path, O_CREAT | O_RDWR, 0644);
	if (fd < 0)
		die("open", path);
	return fd;
}

static void one_file(char dirs[DIRS][PATH_MAX])
{
	const char *dir = dirs[roll(DIRS)];
	char path[PATH_MAX], other[PATH_MAX];
	int fd = open_new(dir, path);

	switch (roll(6)) {
	case 0:
		unlink(path);
		break;
	case 1:
		snprintf(other, PATH_MAX, "%s/renamed.%u", dirs[roll(DIRS)], next_hit);
		rename(path, other);
		break;
	case 2:			/* a directory */
		close(fd);
		fd = open(dir, O_RDONLY | O_DIRECTORY);
		break;
	case 3:			/* one that is gone */
		close(fd);
		unlink(path);
		mkdir(path, 0755);
		fd = open(path, O_RDONLY | O_DIRECTORY);
		rmdir(path);
		break;
	default:
		break;
	}
	hit_known(fd);
}

/* ---- places ---- */

static void plain(char dirs[DIRS][PATH_MAX], unsigned nr)
{
	while (nr--)
		one_file(dirs);
}

static void bind_mount(const char *from, const char *to)
{
	if (mount(from, to, NULL, MS_BIND, NULL))
		die("bind", to);
}

/* Mounts on mounts, also on the same place. */
static void bound(char dirs[DIRS][PATH_MAX], unsigned nr)
{
	bind_mount(dirs[1], dirs[2]);
	bind_mount(dirs[0], dirs[2]);
	/* What is mounted may hide the others. */
	for (unsigned i = 0; i < 8; i++)
		mount(dirs[1 + roll(DIRS - 1)], dirs[1 + roll(DIRS - 1)], NULL, MS_BIND, NULL);
	for (unsigned i = 0, tries = 0; i < nr && tries < 50 * nr; tries++) {
		const char *dir = dirs[roll(DIRS)];
		char path[PATH_MAX];

		if (access(dir, F_OK))		/* something is mounted in front of it */
			continue;
		hit_known(open_new(dir, path));
		i++;
	}
}

static void chrooted(char dirs[DIRS][PATH_MAX], unsigned nr)
{
	char path[PATH_MAX], inside[300] = "/";
	int outside = open_new(dirs[0], path), fd;

	if (chroot(dirs[1 + roll(DIRS - 1)]) || chdir("/"))
		die("chroot", "");
	hit_known(outside);
	while (--nr) {
		fd = open_new(roll(2) ? "" : inside, path);
		if (!roll(4))
			unlink(path);
		hit_known(fd);
		if (!roll(8)) {
			random_name(inside + 1);
			mkdir(inside, 0755);
		}
	}
}

/* Files of a mount that is no more in the tree. */
static void detached(char dirs[DIRS][PATH_MAX], unsigned nr)
{
	char path[PATH_MAX];
	int *fds = calloc(nr, sizeof(*fds));

	bind_mount(dirs[0], dirs[1]);
	for (unsigned i = 0; i < nr; i++)
		fds[i] = open_new(dirs[1], path);
	if (umount2(dirs[1], MNT_DETACH))
		die("umount", dirs[1]);
	for (unsigned i = 0; i < nr; i++)
		hit_known(fds[i]);
	free(fds);
}

/* A directory that was moved out of what is mounted. */
static void escaped(char dirs[DIRS][PATH_MAX], unsigned nr)
{
	char from[PATH_MAX], to[PATH_MAX], in[PATH_MAX + 8], path[PATH_MAX];
	int *fds = calloc(nr, sizeof(*fds));

	snprintf(from, PATH_MAX, "%s/escape", dirs[1]);
	snprintf(to, PATH_MAX, "%s/escaped.%u", dirs[0], next_hit);
	mkdir(from, 0755);
	bind_mount(dirs[1], dirs[2]);
	snprintf(in, sizeof(in), "%s/escape", dirs[2]);
	for (unsigned i = 0; i < nr; i++)
		fds[i] = open_new(in, path);
	if (rename(from, to))
		die("rename", to);
	for (unsigned i = 0; i < nr; i++)
		hit_known(fds[i]);
	free(fds);
}

static void in_child(void (*what)(char dirs[DIRS][PATH_MAX], unsigned nr), const char *root, unsigned nr)
{
	static char dirs[DIRS][PATH_MAX];
	char own[PATH_MAX];
	int status;

	fflush(stdout);
	snprintf(own, PATH_MAX, "%s/%u", root, next_hit);
	if (!fork()) {
		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
			die("unshare", "");
		proc_fds = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
		if (mkdir(own, 0755))
			die("mkdir", own);
		make_dirs(own, dirs);
		what(dirs, nr);
		exit(0);
	}
	wait(&status);
	if (status)
		exit(1);
	next_hit += nr;
	state ^= next_hit;
	roll(1);
}

static void files(unsigned nr, char **roots)
{
	for (; *roots; roots++) {
		in_child(plain, *roots, nr / 5);
		in_child(bound, *roots, nr / 5);
		in_child(chrooted, *roots, nr / 5);
		in_child(detached, *roots, nr / 5);
		in_child(escaped, *roots, nr / 5);
	}
}

/* ---- kinds ---- */

static void hit_opened(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd >= 0)
		hit_known(fd);
}

static void kinds(void)
{
	static const char *const opened[] = { "/proc/self/ns/mnt", "/proc/self/ns/pid", "/proc/self/ns/user", "/proc/self/ns/net",
					      "/proc/self/stat", "/dev/null", "/dev/console", "/", "/proc", "/sys", "/dev/ptmx", NULL };
	int pair[2], fd;

	if (pipe(pair))
		die("pipe", "");
	hit_known(pair[0]);
	hit_known(pair[1]);
	for (int family = 0; family < 2; family++) {
		fd = socket(family ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
		if (fd >= 0)
			hit_known(fd);
	}
	hit_known(eventfd(0, 0));
	hit_known(epoll_create1(0));
	hit_known(timerfd_create(CLOCK_MONOTONIC, 0));
	hit_known(memfd_create("a name", 0));
	hit_known(memfd_create("", 0));
	fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (fd >= 0)
		hit_known(fd);
	for (unsigned i = 0; opened[i]; i++)
		hit_opened(opened[i]);
}

/* ---- limits ---- */

/* In the present directory, whose path is @path. A name has @len bytes. */
static void go_down(char *path, unsigned len)
{
	char name[300];

	memset(name, 'a' + (int)(strlen(path) % 26), len);
	name[len] = 0;
	if (mkdir(name, 0755) || chdir(name))
		die("mkdir", name);
	strcat(strcat(path, "/"), name);
}

static unsigned parts_of(const char *path)
{
	unsigned parts = 0;

	for (; *path; path++)
		parts += *path == '/';
	return parts;
}

/* The end of @path that has at most 64 parts, and with "..." at most 4095 bytes. */
static void expect_cut(const char *path)
{
	size_t len = strlen(path);
	unsigned parts = parts_of(path);

	if (parts <= 64 && len <= 4095) {
		expect(path);
		return;
	}
	for (; parts > 64 || strlen(path) > 4092; parts--)
		path = strchr(path + 1, '/');
	printf("%u\t...%s\n", next_hit, path);
}

static void hit_here(const char *path)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);

	expect_cut(path);
	hit(fd);
	close(fd);
}

static void limits(const char *dir)
{
	static const unsigned lens[] = { 4091, 4092, 4093, 4094, 4095, 4096, 4097, 5000 };
	static char path[8192];
	unsigned len;

	snprintf(path, sizeof(path), "%s", dir);
	if (chdir(dir))
		die("chdir", dir);
	while (parts_of(path) < 66) {
		go_down(path, 1);
		if (parts_of(path) >= 63)
			hit_here(path);
	}
	for (unsigned i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
		snprintf(path, sizeof(path), "%s", dir);
		if (chdir(dir))
			die("chdir", dir);
		go_down(path, 100 + i);
		/* The last one is short, so that the end of what is kept is close to the limit. */
		while ((len = lens[i] - (unsigned)strlen(path)) > 4)
			go_down(path, len > 260 + 4 ? 255 : len > 259 ? 100 : len - 3);
		go_down(path, len - 1);
		hit_here(path);
	}
}

/* ---- renames ---- */

static void renames(const char *dir, unsigned nr)
{
	char one[PATH_MAX], two[PATH_MAX], in[PATH_MAX + 8];
	pid_t mover;
	int fd;

	snprintf(one, PATH_MAX, "%s/one", dir);
	snprintf(two, PATH_MAX, "%s/other", dir);
	mkdir(two, 0755);
	strcat(two, "/two");
	mkdir(one, 0755);
	snprintf(in, sizeof(in), "%s/file", one);
	fd = open(in, O_CREAT | O_RDWR, 0644);
	mover = fork();
	if (!mover) {
		for (;;) {
			rename(one, two);
			rename(two, one);
		}
	}
	while (nr--)
		hit(fd);
	kill(mover, SIGKILL);
	wait(NULL);
	printf("%u\n", next_hit);
}

int main(int argc, char **argv)
{
	proc_fds = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	if (argc > 4 && !strcmp(argv[1], "files")) {
		state = strtoull(argv[2], NULL, 0);
		files((unsigned)atoi(argv[3]), argv + 4);
	} else if (argc == 2 && !strcmp(argv[1], "kinds")) {
		kinds();
	} else if (argc == 3 && !strcmp(argv[1], "limits")) {
		limits(argv[2]);
	} else if (argc == 4 && !strcmp(argv[1], "renames")) {
		renames(argv[2], (unsigned)atoi(argv[3]));
	} else {
		fprintf(stderr, "usage: see pw.c\n");
		return 64;
	}
	return 0;
}
