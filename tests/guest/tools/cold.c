// SPDX-License-Identifier: GPL-2.0-only
/*
 * cold.c - system calls whose strings are not in memory, for cold.guest
 *
 *	cold open FILE N	opens /no/cold0 to /no/cold<N-1>
 *	cold long FILE N	the same with names of 300 bytes: /no/cold0/xxx...
 *	cold exec FILE N	N children execute "cold end /no/cold<I>"
 *	cold threads FILE N	two threads open N names each: /no/cold0 to /no/cold<2N-1>
 *	cold disk FILE 0	makes an empty disk for vfat
 *	cold wild FILE N	N times three names that are in no memory: at 0, at 8, and in a page that may not be read
 *
 * The names lie in FILE, which is mapped. Before each call the pages of its name are dropped, so it is not in memory; some names begin on
 * one page and end on the next. The last line on standard error says how many of the names were still in the page cache.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, SLOT = 72, LONG_SLOT = 360, LONG = 300, ARGS = 4 };

static char *map;
static size_t size, slot = SLOT;
static int fd;
static unsigned long nr, still;

static char *name_at(unsigned long i)
{
	return map + PAGE + i * slot;
}

/* The first page is for the arguments of execve. */
static int make_names(const char *path, unsigned long names, int is_long)
{
	slot = is_long ? LONG_SLOT : SLOT;
	size = (PAGE + names * slot + 3 * PAGE - 1) / PAGE * PAGE;
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		return -1;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -1;
	for (unsigned long i = 0; i < names; i++) {
		int len = sprintf(name_at(i), "/no/cold%lu", i);

		if (is_long) {
			name_at(i)[len] = '/';
			memset(name_at(i) + len + 1, 'x', (size_t)(LONG - len - 1));
		}
	}
	return fsync(fd);
}

/* The page of @name and the next one. */
static void drop(const char *name)
{
	off_t at = (name - map) / PAGE * PAGE;
	unsigned char there[2];

	madvise(map + at, 2 * PAGE, MADV_DONTNEED);
	posix_fadvise(fd, at, 2 * PAGE, POSIX_FADV_DONTNEED);
	mincore(map + at, 2 * PAGE, there);
	__atomic_fetch_add(&still, there[0] & 1, __ATOMIC_RELAXED);
}

static void open_names(unsigned long first)
{
	for (unsigned long i = first; i < first + nr; i++) {
		drop(name_at(i));
		syscall(SYS_openat, AT_FDCWD, name_at(i), O_RDONLY);
	}
}

static void *thread(void *first)
{
	open_names((unsigned long)first);
	return NULL;
}

static void execute(void)
{
	for (unsigned long i = 0; i < nr; i++) {
		char **args = (char **)(void *)map;

		args[0] = strcpy(map + 512, "cold");
		args[1] = strcpy(map + 520, "end");
		args[2] = name_at(i);
		args[3] = NULL;
		fsync(fd);
		if (!fork()) {
			drop(name_at(i));
			drop(map);
			execve("/proc/self/exe", args, NULL);
			_exit(1);
		}
		wait(NULL);
	}
}

static void wild(void)
{
	char *closed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned long i = 0; i < nr; i++) {
		syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY);
		syscall(SYS_openat, AT_FDCWD, 8, O_RDONLY);
		syscall(SYS_openat, AT_FDCWD, closed, O_RDONLY);
	}
}

/* 16 MB with a file system FAT16: 4 sectors in a cluster, one table. */
static int make_disk(const char *path)
{
	enum { SECTOR = 512, SECTORS = 32000, TABLE = 33 };
	unsigned char boot[SECTOR] = {
		0xeb, 0x3c, 0x90, 'c', 'o', 'l', 'd', ' ', ' ', ' ', ' ', SECTOR & 0xff, SECTOR >> 8, 4, 1, 0, 1, 512 & 0xff, 512 >> 8,
		SECTORS & 0xff, SECTORS >> 8, 0xf8, TABLE, 0, 32, 0, 2, 0,
		[36] = 0x80, 0, 0x29, 1, 2, 3, 4, [510] = 0x55, 0xaa,
	}, table[4] = { 0xf8, 0xff, 0xff, 0xff };

	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	return fd < 0 || ftruncate(fd, SECTORS * SECTOR) || pwrite(fd, boot, sizeof(boot), 0) != sizeof(boot) ||
	       pwrite(fd, table, sizeof(table), SECTOR) != sizeof(table);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t other;

	if (!strcmp(what, "end"))
		return 0;
	if (argc != ARGS)
		return 64;
	if (!strcmp(what, "disk"))
		return make_disk(argv[2]);
	nr = strtoul(argv[3], NULL, 10);
	if (make_names(argv[2], 2 * nr, !strcmp(what, "long"))) {
		perror(argv[2]);
		return 1;
	}
	if (!strcmp(what, "exec"))
		execute();
	else if (!strcmp(what, "wild"))
		wild();
	else if (strcmp(what, "threads"))
		open_names(0);
	else if (!pthread_create(&other, NULL, thread, NULL)) {
		open_names(nr);
		pthread_join(other, NULL);
	}
	fprintf(stderr, "still: %lu\n", still);
	return 0;
}
