// SPDX-License-Identifier: GPL-2.0-only
/*
 * source_text.c - the text of a source file's lines.
 */
#include "plan/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"

static const off_t most_text = 64 << 20;

static int open_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= most_text)
		return fd;
	close(fd);
	return -EINVAL;
}

/* In @dir the longest end of the path that is there is meant. */
static int find_text(struct arena *arena, const char *path, const char *dir, const char **ret_path)
{
	const char *end = path;

	*ret_path = path;
	while (dir && end) {
		int fd;

		while (*end == '/')
			end++;
		*ret_path = arena_printf(arena, "%s/%s", dir, end);
		fd = open_text(*ret_path);
		if (fd >= 0)
			return fd;
		end = strchr(end, '/');
	}
	return dir ? -ENOENT : open_text(path);
}

static int read_all(int fd, struct buf *out)
{
	for (;;) {
		ssize_t n = read(fd, buf_room(out, 65536), 65536);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n) {
			buf_addc(out, '\0');
			return 0;
		}
		out->len += (size_t)n;
	}
}

static void divide(struct arena *arena, const char *text, struct source_text *ret)
{
	unsigned nr = 0;

	for (const char *at = text; *at; at++)
		nr += *at == '\n';
	ret->lines = arena_array(arena, const char *, nr + 1);
	while (*text) {
		size_t len = strcspn(text, "\n");

		ret->lines[ret->nr++] = arena_strndup(arena, text, len - (len && text[len - 1] == '\r'));
		text += len + (text[len] == '\n');
	}
}

int source_text_read(struct arena *arena, const char *path, const char *dir, struct source_text *ret)
{
	auto_fd fd = find_text(arena, path, dir, &ret->path);
	struct buf text = { 0 };
	int err = fd < 0 ? fd : read_all(fd, &text);

	ret->nr = 0;
	if (!err)
		divide(arena, text.data, ret);
	buf_fini(&text);
	return err;
}

static char *without_blanks(struct arena *arena, const char *text)
{
	char *ret = arena_strdup(arena, text), *to = ret;

	for (; *text; text++) {
		if (*text != ' ' && *text != '\t')
			*to++ = *text;
	}
	*to = '\0';
	return ret;
}

bool source_text_matches(struct arena *arena, const char *line, const char *pattern)
{
	return !fnmatch(without_blanks(arena, pattern), without_blanks(arena, line), 0);
}
