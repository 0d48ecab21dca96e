// SPDX-License-Identifier: GPL-2.0-only
/*
 * output.c - standard output that never blocks bprobe.
 */
#include "stream/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/signals.h"

enum {
	/* A few lines. A slow terminal must take them within TERMINAL_SECONDS; otherwise the rest of a line comes later. */
	TERMINAL_BLOCK = 512,
	TERMINAL_SECONDS = 1,		/* if the terminal is stopped during a write, bprobe waits no longer than this */
};

/*
 * O_NONBLOCK belongs to the open file, which other processes share (a shell's terminal). So pipes are opened once more
 * through /proc; then the flag is only ours. Regular files do not block, and sockets have a flag for each call.
 */
void output_open(struct output *o)
{
	struct stat st;
	int fd = -1;

	*o = (struct output){ .fd = STDOUT_FILENO };
	if (fstat(STDOUT_FILENO, &st))
		return;
	o->is_socket = S_ISSOCK(st.st_mode);
	o->is_terminal = isatty(STDOUT_FILENO);
	if (o->is_terminal)
		signals_wake_writes();
	if (S_ISFIFO(st.st_mode))
		fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		o->fd = fd;
		o->own_fd = true;
	}
}

void output_close(struct output *o)
{
	if (o->own_fd)
		close(o->fd);
	buf_fini(&o->text);
	o->own_fd = false;
}

/* The length of the whole lines in the first TERMINAL_BLOCK bytes of @text; if there are none, the length of the first line. */
static size_t whole_lines(const char *text, size_t len)
{
	const char *newline = memrchr(text, '\n', MIN(len, (size_t)TERMINAL_BLOCK));

	newline = newline ? newline : memchr(text, '\n', len);
	return newline ? (size_t)(newline + 1 - text) : len;
}

/*
 * COMMAND may print on the same terminal. If there is little room, a write that does not wait writes only a part of a line,
 * and COMMAND's text would follow this part. A write that waits keeps other writers out until all of it is written (6.12,
 * drivers/tty/tty_io.c, tty_write_lock()).
 */
static ssize_t write_terminal(const struct output *o, const char *text, size_t len)
{
	static const struct itimerval off, on = { { .tv_sec = TERMINAL_SECONDS }, { .tv_sec = TERMINAL_SECONDS } };
	struct pollfd fd = { .fd = o->fd, .events = POLLOUT };
	ssize_t n;

	if (progress_interrupted() || poll(&fd, 1, 0) <= 0) {
		errno = EAGAIN;
		return -1;
	}
	setitimer(ITIMER_REAL, &on, NULL);
	n = write(o->fd, text, whole_lines(text, len));
	if (n < 0 && errno == EINTR)
		errno = EAGAIN;
	setitimer(ITIMER_REAL, &off, NULL);
	return n;
}

static ssize_t write_some(const struct output *o, const char *text, size_t len)
{
	if (o->is_socket)
		return send(o->fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	return o->is_terminal ? write_terminal(o, text, len) : write(o->fd, text, len);
}

int output_flush(struct output *o)
{
	while (o->done < o->text.len) {
		ssize_t n = write_some(o, o->text.data + o->done, o->text.len - o->done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EWOULDBLOCK ? -EAGAIN : -errno;
		o->done += (size_t)n;
	}
	buf_reset(&o->text);
	o->done = 0;
	return 0;
}

int output_wait(struct output *o)
{
	size_t done = 0;

	while (done < o->text.len) {
		ssize_t n = write(o->fd, o->text.data + done, o->text.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = o->fd, .events = POLLOUT }, 1, -1);
			continue;
		}
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	buf_reset(&o->text);
	return 0;
}
