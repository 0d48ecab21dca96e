// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_all.c - write(2) that does not stop halfway.
 */
#include "base/write_all.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return 0;
}
