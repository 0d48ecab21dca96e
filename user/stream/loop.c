// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop.c - waits while events are read: deadlines, signals and a full output.
 */
#include "stream/loop.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "base/macros.h"

enum { HURRY_MS = 2000 };

/* Returns @ms, or less if the deadline or the tick is earlier. */
static int timeout(const struct loop *l, int ms)
{
	uint64_t now, left, next = MIN(l->deadline_ns - 1, l->tick_ns - 1) + 1;		/* 0 is never */

	if (!next || !ms)
		return ms;
	now = now_ns();
	left = next > now ? next - now : 0;
	left = left / 1000000 + (left % 1000000 != 0);
	return (int)MIN(left, ms < 0 ? 1000000000u : (uint64_t)ms);
}

unsigned loop_wait(const struct loop *l, struct stream *s)
{
	struct pollfd fds[LOOP_SOURCES + 2] = { { .fd = l->signals.fd, .events = POLLIN } };
	int ms = stream_poll(s, fds + LOOP_SOURCES);
	unsigned news = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(l->others); i++)
		fds[i + 1] = (struct pollfd){ .fd = l->others[i].serve ? l->others[i].fd : -1, .events = POLLIN };
	if (poll(fds, ARRAY_SIZE(fds), timeout(l, ms)) < 0)
		return 0;
	if (fds[0].revents)
		l->signals.serve(l->ctx);
	for (unsigned i = 0; i < ARRAY_SIZE(l->others); i++) {
		if (fds[i + 1].revents)
			l->others[i].serve(l->ctx);
	}
	if (stream_reader_left(fds + LOOP_SOURCES))
		news |= LOOP_READER_LEFT;
	if (l->deadline_ns && now_ns() >= l->deadline_ns)
		news |= LOOP_TIME_IS_UP;
	if (l->tick_ns && now_ns() >= l->tick_ns)
		news |= LOOP_TICK;
	return news;
}

int loop_flush(const struct loop *l, struct output *out, bool hurry, bool (*stopped)(void *ctx))
{
	uint64_t until = now_ns() + HURRY_MS * 1000000ull;
	int err = output_flush(out);

	while (err == -EAGAIN && !(stopped && stopped(l->ctx)) && (!hurry || now_ns() < until)) {
		struct pollfd fds[] = {
			{ .fd = out->fd, .events = POLLOUT },
			{ .fd = l->signals.fd, .events = POLLIN },
		};

		if (poll(fds, ARRAY_SIZE(fds), hurry ? HURRY_MS : -1) > 0 && fds[1].revents)
			l->signals.serve(l->ctx);
		err = output_flush(out);
	}
	return err;
}
