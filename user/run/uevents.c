// SPDX-License-Identifier: GPL-2.0-only
/*
 * uevents.c - what the kernel announces of its devices and modules.
 *
 * The kernel broadcasts a message for each of them on a netlink socket: ACTION@PATH, and then words that end with a NUL.
 */
#include "run/uevents.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KERNEL_EVENTS = 1, QUEUE = 1 << 20 };

int uevents_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_EVENTS };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT), queue = QUEUE;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		int err = -errno;

		close(fd);
		return err;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &queue, sizeof(queue));
	return fd;
}

int uevents_next(int fd, char text[UEVENT_MAX + 1])
{
	for (;;) {
		struct sockaddr_nl from;
		socklen_t from_len = sizeof(from);
		ssize_t len = recvfrom(fd, text, UEVENT_MAX, 0, (struct sockaddr *)&from, &from_len);

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == ENOBUFS ? -ENOBUFS : -EAGAIN;
		text[len] = '\0';
		if (!from.nl_pid)		/* only messages of the kernel are trusted */
			return 0;
	}
}

const char *uevents_behind(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}
