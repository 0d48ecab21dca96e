// SPDX-License-Identifier: GPL-2.0-only
/*
 * standard.c - standard output and error.
 *
 * bprobe replaces both streams by its own. So everything that any file prints, and getopt's messages too, passes one place.
 */
#include "cli/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/write_all.h"

struct standard {
	int fd;
	bool escapes;
	bool colours;			/* of messages (add_colours()) */
	bool in_line;			/* the last write ended within a line */
	struct buf rest;		/* the beginning of a character; the rest comes with the next write */
	int err;			/* -errno of the first failed write */
};

static struct standard output = { .fd = STDOUT_FILENO }, error = { .fd = STDERR_FILENO, .escapes = true };
static bool output_closed;

enum { NAME_LEN = 8 };

/*
 * Adds colours to lines of messages: "bprobe:" at the beginning becomes bold, and a line of nothing but a caret and what it
 * underlines becomes red. Here, because all messages pass, getopt's and libbpf's too, and behind the escapes.
 */
static void add_colours(struct standard *s, const struct buf *in, struct buf *out)
{
	const char *end = in->data + in->len, *next;

	for (const char *at = in->data; at < end; at = next) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
		size_t len = (size_t)(stop - at), blanks = strspn(at, " ");

		next = newline ? newline + 1 : end;
		if (!s->in_line && len > NAME_LEN && !memcmp(at, "bprobe: ", NAME_LEN)) {
			buf_adds(out, "\033[1mbprobe:\033[m");
			at += NAME_LEN - 1;
		} else if (!s->in_line && at[blanks] == '^' && blanks + 1 + strspn(at + blanks + 1, "~") == len) {
			buf_add(out, at, blanks);
			buf_adds(out, "\033[1;31m");
			buf_add(out, at + blanks, len - blanks);
			buf_adds(out, "\033[m");
			at = stop;
		}
		buf_add(out, at, (size_t)(next - at));
		s->in_line = !newline;
	}
}

static int write_escaped(struct standard *s, const char *data, size_t len)
{
	struct buf text = { 0 };
	size_t rest;
	int err;

	buf_add(&s->rest, data, len);
	rest = escape_unfinished(s->rest.data, s->rest.len);
	escape_text(&text, s->rest.data, s->rest.len - rest, "\n\t");
	memmove(s->rest.data, s->rest.data + s->rest.len - rest, rest);
	s->rest.len = rest;
	if (s->colours && text.len) {
		struct buf coloured = { 0 };

		add_colours(s, &text, &coloured);
		buf_fini(&text);
		text = coloured;
	}
	err = write_all(s->fd, buf_str(&text), text.len);
	buf_fini(&text);
	return err;
}

/* Called by fopencookie(3)'s stream: 0 means an error. */
static ssize_t standard_write(void *cookie, const char *data, size_t len)
{
	struct standard *s = cookie;
	int err = s->escapes ? write_escaped(s, data, len) : write_all(s->fd, data, len);

	if (err && !s->err)
		s->err = err;
	errno = -err;
	return err ? 0 : (ssize_t)len;
}

static FILE *open_stream(struct standard *s, int mode)
{
	FILE *f = fopencookie(s, "w", (cookie_io_functions_t){ .write = standard_write });

	if (f)
		setvbuf(f, NULL, mode, BUFSIZ);
	return f;
}

void standard_open(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	FILE *f;

	output_closed = flags < 0 || (flags & O_ACCMODE) == O_RDONLY;
	/*
	 * open() returns the lowest free number, which is the missing one. If none is missing, nothing is opened: a kept
	 * probe would see it.
	 */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			break;
	}
	standard_colour(COLOUR_AUTO);
	output.escapes = isatty(STDOUT_FILENO);
	f = open_stream(&output, output.escapes ? _IOLBF : _IOFBF);
	if (f)
		stdout = f;
	/* Line by line: COMMAND's errors come from another process, and would appear in the middle of a line. */
	f = open_stream(&error, _IOLBF);
	if (f)
		stderr = f;
}

void standard_colour(enum colour_when when)
{
	error.colours = terminal_has_colours(STDERR_FILENO, when);
}

bool standard_output_closed(void)
{
	return output_closed;
}

void standard_escape_output(void)
{
	output.escapes = true;
}

int standard_end(void)
{
	struct buf rest = { 0 };
	int err = fflush(stdout) ? -errno : 0;

	fflush(stderr);
	escape_text(&rest, buf_str(&output.rest), output.rest.len, "");
	if (!err)
		err = write_all(output.fd, buf_str(&rest), rest.len);
	buf_fini(&rest);
	buf_fini(&output.rest);
	buf_fini(&error.rest);
	return output.err ? output.err : err;
}
