// SPDX-License-Identifier: GPL-2.0-only
/*
 * modwatch.c - reports loading and unloading of modules.
 *
 * The kernel broadcasts an event for each module on a netlink socket: "add" after
 * the module's init functions have run (kernel/module/main.c, do_init_module():
 * the uevent is held back until then), "remove" when it is unloaded. A message is
 * "add@/module/NAME" followed by NUL-separated words.
 */
#include "run/modwatch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KERNEL_EVENTS = 1, MESSAGE_MAX = 8192, QUEUE = 1 << 20 };

struct modwatch {
	int fd;
};

int modwatch_open(struct modwatch **ret, struct diag *diag)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_EVENTS };
	struct modwatch *w = calloc(1, sizeof(*w));
	int queue = QUEUE;

	if (!w)
		return diag_set(diag, -ENOMEM, "out of memory");
	w->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (w->fd < 0 || bind(w->fd, (struct sockaddr *)&addr, sizeof(addr))) {
		int err = -errno;

		modwatch_close(w);
		return diag_set(diag, err, "cannot watch for modules that are loaded: %s", strerror(-err));
	}
	setsockopt(w->fd, SOL_SOCKET, SO_RCVBUFFORCE, &queue, sizeof(queue));
	*ret = w;
	return 0;
}

void modwatch_close(struct modwatch *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

int modwatch_fd(const struct modwatch *w)
{
	return w->fd;
}

static const char *behind(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}

void modwatch_serve(struct modwatch *w, modwatch_fn fn, void *ctx)
{
	char text[MESSAGE_MAX + 1];
	struct sockaddr_nl from;
	socklen_t from_len = sizeof(from);
	ssize_t len;

	for (;;) {
		const char *came, *went;

		from_len = sizeof(from);
		len = recvfrom(w->fd, text, MESSAGE_MAX, 0, (struct sockaddr *)&from, &from_len);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0 && errno == ENOBUFS) {	/* the queue was full */
			fn(ctx, NULL, true);
			continue;
		}
		if (len < 0)
			return;
		text[len] = '\0';
		came = behind(text, "add@/module/");
		went = behind(text, "remove@/module/");
		/* Only messages of the kernel are trusted. A name with '/' is a part of a module. */
		if (!from.nl_pid && (came || went) && !strchr(came ? came : went, '/'))
			fn(ctx, came ? came : went, went);
	}
}
