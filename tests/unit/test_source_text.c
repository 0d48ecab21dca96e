// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_source_text.c - the text of source files: lines, their ends, sizes around the reader's room, directories, patterns.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/source_text.h"
#include "tap.h"

static struct arena arena;
static char dir[] = "/tmp/bprobe-test-XXXXXX";

static const char *write_file(const char *name, const char *text, size_t len)
{
	const char *path = arena_printf(&arena, "%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && write(fd, text, len) == (ssize_t)len, "%s is written", name);
	close(fd);
	return path;
}

static void test_lines(void)
{
	static const char text[] = "one\n\n\tthree \r\nfour";
	struct source_text t = { 0 };
	const char *path = write_file("text.c", text, sizeof(text) - 1);

	CHECK(!source_text_read(&arena, path, NULL, &t) && t.nr == 4, "four lines, the last one without its end");
	CHECK(t.nr == 4 && !strcmp(t.lines[0], "one") && !*t.lines[1] && !strcmp(t.lines[2], "\tthree ") && !strcmp(t.lines[3], "four"),
	      "... without their ends");
	path = write_file("empty.c", "", 0);
	CHECK(!source_text_read(&arena, path, NULL, &t) && !t.nr, "an empty file has no line");
	CHECK(source_text_read(&arena, "/nosuch/file.c", NULL, &t) == -ENOENT, "a file that is not there");
	CHECK(source_text_read(&arena, dir, NULL, &t) < 0, "a directory is no file");
}

/* The reader has room for 65536 bytes at a time: no byte may be read behind the end of what it has read. */
static void test_sizes(void)
{
	for (size_t size = 65535; size <= 65537; size++) {
		char *text = malloc(size);
		struct source_text t = { 0 };
		const char *path;

		memset(text, 'x', size);
		path = write_file("large.c", text, size);
		CHECK(!source_text_read(&arena, path, NULL, &t) && t.nr == 1 && strlen(t.lines[0]) == size, "one line of %zu bytes", size);
		free(text);
	}
}

static void test_directories(void)
{
	struct source_text t = { 0 };
	const char *sub = arena_printf(&arena, "%s/fs", dir);

	CHECK(!mkdir(sub, 0700), "a directory");
	write_file("fs/inode.c", "in fs\n", 6);
	write_file("inode.c", "not in fs\n", 10);
	CHECK(!source_text_read(&arena, "/build/linux/fs/inode.c", dir, &t) && !strcmp(t.lines[0], "in fs"),
	      "the longest end of the path that is there is meant");
	CHECK(!source_text_read(&arena, "./net/inode.c", dir, &t) && !strcmp(t.lines[0], "not in fs"), "... a shorter one, too");
	CHECK(source_text_read(&arena, "fs/nosuch.c", dir, &t) == -ENOENT, "... or none");
}

static void test_patterns(void)
{
	CHECK(source_text_matches(&arena, "\tret = vfs_read(file);", "ret=vfs_read(*"), "blanks do not count");
	CHECK(source_text_matches(&arena, "a b", "a b"), "... in the pattern, either");
	CHECK(!source_text_matches(&arena, "\tret = 0;", "ret"), "the pattern is for all of the line");
	CHECK(source_text_matches(&arena, "*p = a[0];", "\\*p=a\\[0];"), "a backslash takes away the meaning of * and [");
	CHECK(!source_text_matches(&arena, "xp=a[0];", "\\*p=a\\[0];"), "... so it is no other text");
}

static void clean(void)
{
	static const char *const names[] = { "text.c", "empty.c", "large.c", "fs/inode.c", "inode.c", "fs", "" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		remove(arena_printf(&arena, "%s/%s", dir, names[i]));
}

int main(void)
{
	CHECK(mkdtemp(dir) != NULL, "a directory for files");
	test_lines();
	test_sizes();
	test_directories();
	test_patterns();
	clean();
	arena_fini(&arena);
	return tap_done();
}
