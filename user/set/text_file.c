// SPDX-License-Identifier: GPL-2.0-only
/*
 * text_file.c - files of definitions.
 */
#include "set/definitions.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/*
 * Many times the limit of a definition (LANG_MAX_LINE), and of all definitions of a machine. So a device or a pipe that
 * never ends is detected while it is read.
 */
enum { LONGEST_LINE = 64 << 10, LONGEST_FILE = 256 << 20 };

/* Checks the text after @done. *line and *line_len describe the incomplete last line. */
static int check_text(const struct buf *text, size_t done, unsigned *line, size_t *line_len, struct diag *diag)
{
	const char *at = text->data + done, *end = text->data + text->len;

	if (memchr(at, '\0', (size_t)(end - at)))
		return diag_set(diag, -EINVAL, "it has a NUL byte, so it is not text");
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		*line_len += (size_t)((newline ? newline : end) - at);
		if (*line_len > LONGEST_LINE)
			return diag_set(diag, -E2BIG, "line %u has more than %d bytes, so it is not a definition", *line,
					LONGEST_LINE);
		*line_len = newline ? 0 : *line_len;
		*line += newline != NULL;
		at = newline ? newline + 1 : end;
	}
	return text->len > LONGEST_FILE ? diag_set(diag, -E2BIG, "it has more than %d bytes", LONGEST_FILE) : 0;
}

static int read_text(int fd, struct buf *out, struct diag *diag)
{
	enum { CHUNK = 65536 };
	unsigned line = 1;
	size_t line_len = 0;
	int err = 0;

	while (!err) {
		ssize_t n = fd < 0 ? -1 : read(fd, buf_room(out, CHUNK), CHUNK);

		if (n < 0)
			return diag_set(diag, -errno, "%s", strerror(errno));
		if (!n)
			break;
		out->len += (size_t)n;
		err = check_text(out, out->len - (size_t)n, &line, &line_len, diag);
	}
	buf_addc(out, '\0');
	return err;
}

int definitions_read_file(const char *path, struct buf *out, struct diag *diag)
{
	bool is_stdin = !strcmp(path, "-");
	auto_fd own = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	struct diag why = { 0 };
	int err = read_text(is_stdin ? STDIN_FILENO : own, out, &why);

	if (err)
		diag_set(diag, err, "cannot read %s: %s", is_stdin ? "standard input" : path, buf_str(&why.msg));
	diag_fini(&why);
	return err;
}
