// SPDX-License-Identifier: GPL-2.0-only
/*
 * debug_file.c - finds the separate file that has a stripped file's symbols.
 */
#include "elf/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/macros.h"

static int open_plain(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int debug_file_by_id(const char *root, const unsigned char *id, size_t len)
{
	struct buf path = { 0 };
	int fd;

	if (len < 2)
		return -1;
	buf_addf(&path, "%s/usr/lib/debug/.build-id/", root);
	for (size_t i = 0; i < len; i++)
		buf_addf(&path, "%02x%s", id[i], i ? "" : "/");
	buf_adds(&path, ".debug");
	fd = open_plain(buf_str(&path));
	buf_fini(&path);
	return fd;
}

/* What `debuginfod-find debuginfo ID` prints: a path. */
static int run_finder(const char *id, struct buf *out)
{
	char *const words[] = { "debuginfod-find", "debuginfo", (char *)(uintptr_t)id, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], status = -1, err;
	ssize_t n = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	err = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (!err && (n = read(ends[0], buf_room(out, 4096), 4096)) != 0) {
		if (n > 0)
			out->len += (size_t)n;
		else if (errno != EINTR)
			break;
	}
	close(ends[0]);
	while (!err && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	buf_addc(out, '\0');
	return err ? -err : WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ENOENT;
}

bool debug_file_servers(void)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return servers && *servers;
}

int debug_file_by_server(const unsigned char *id, size_t len)
{
	struct buf text = { 0 }, path = { 0 };
	int fd = -1;

	if (!debug_file_servers())
		return -1;
	for (size_t i = 0; i < len; i++)
		buf_addf(&text, "%02x", id[i]);
	if (!run_finder(buf_str(&text), &path)) {
		path.data[strcspn(path.data, "\n")] = '\0';
		fd = open_plain(path.data);
	}
	buf_fini(&text);
	buf_fini(&path);
	return fd;
}

/* The checksum of .gnu_debuglink is zlib's. */
static uint32_t checksum(int fd)
{
	static unsigned char bytes[65536];
	uLong sum = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		sum = crc32(sum, bytes, (uInt)n);
		at += n;
	}
	return (uint32_t)sum;
}

/* Is the file @fd the one that belongs to @f? */
static bool belongs(int fd, struct elf_file *f, uint32_t sum)
{
	size_t len, other_len;
	const unsigned char *id = elf_file_build_id(f, &len), *other;
	struct elf_file *debug;
	bool same;

	if (elf_file_open(fd, &debug))
		return false;
	other = elf_file_build_id(debug, &other_len);
	same = id && other ? len == other_len && !memcmp(id, other, len) : checksum(fd) == sum;
	elf_file_close(debug);
	return same;
}

int debug_file_by_link(const char *root, struct elf_file *f, const char *path)
{
	static const char *const places[][2] = { { "", "" }, { "", ".debug/" }, { "/usr/lib/debug", "" } };
	size_t len, name_len;
	uint64_t addr;
	const char *name = elf_file_section(f, ".gnu_debuglink", &len, &addr);
	const char *slash = strrchr(path, '/');
	struct buf at = { 0 };
	uint32_t sum;
	int fd = -1;

	/* The name, its NUL, and the checksum at the next multiple of 4. */
	name_len = name ? strnlen(name, len) : 0;
	if (!name_len || len < ROUND_UP(name_len + 1, 4) + sizeof(sum) || memchr(name, '/', name_len) || !slash)
		return -1;
	memcpy(&sum, name + ROUND_UP(name_len + 1, 4), sizeof(sum));
	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(places); i++) {
		buf_reset(&at);
		buf_addf(&at, "%s%s%.*s%s%s", root, places[i][0], (int)(slash + 1 - path), path, places[i][1], name);
		fd = open_plain(buf_str(&at));
		if (fd >= 0 && !belongs(fd, f, sum)) {
			close(fd);
			fd = -1;
		}
	}
	buf_fini(&at);
	return fd;
}

bool debug_file_has_info(int fd)
{
	struct elf_file *file;
	bool has;

	if (elf_file_open(fd, &file))
		return false;
	has = elf_file_has(file, ".debug_info") || elf_file_has(file, ".zdebug_info");
	elf_file_close(file);
	return has;
}

int debug_file_checked(int fd, const struct build_id *wanted)
{
	struct build_id id;

	if (fd < 0)
		return fd;
	id = build_id_of_file(fd);
	if ((!wanted || (id.len && build_id_same(&id, wanted))) && debug_file_has_info(fd))
		return fd;
	close(fd);
	return -ENOENT;
}
