// SPDX-License-Identifier: GPL-2.0-only
/*
 * output.c - standard output that never blocks bprobe.
 */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * O_NONBLOCK belongs to the open file, which others share (a shell's terminal):
 * pipes and terminals are opened once more through /proc, so that the flag is
 * ours alone. Regular files do not block, and sockets have a flag for each call.
 */
void output_open(struct output *o)
{
	struct stat st;
	int fd = -1;

	*o = (struct output){ .fd = STDOUT_FILENO };
	if (fstat(STDOUT_FILENO, &st))
		return;
	o->is_socket = S_ISSOCK(st.st_mode);
	if (S_ISFIFO(st.st_mode) || isatty(STDOUT_FILENO))
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

int output_flush(struct output *o)
{
	while (o->done < o->text.len) {
		const char *at = o->text.data + o->done;
		size_t len = o->text.len - o->done;
		ssize_t n = o->is_socket ? send(o->fd, at, len, MSG_DONTWAIT | MSG_NOSIGNAL)
					 : write(o->fd, at, len);

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
		ssize_t n = write(STDOUT_FILENO, o->text.data + done, o->text.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = STDOUT_FILENO, .events = POLLOUT }, 1, -1);
			continue;
		}
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	buf_reset(&o->text);
	return 0;
}
