// SPDX-License-Identifier: GPL-2.0-only
/*
 * detach.c - a list of what attaches probes, to be closed later.
 */
#include "run/detach.h"

#include <unistd.h>

size_t detach_nr_fds(const struct detach *d)
{
	return d->fds.len / sizeof(int);
}

size_t detach_nr_events(const struct detach *d)
{
	return d->events.len / sizeof(struct detach_event);
}

struct detach_event *detach_event_at(const struct detach *d, size_t i)
{
	return (struct detach_event *)(void *)d->events.data + i;
}

void detach_add_event(struct detach *d, const char *group, const char *event, const char *listing)
{
	struct detach_event ev = {
		.group = arena_strdup(&d->arena, group), .event = arena_strdup(&d->arena, event),
		.listing = arena_strdup(&d->arena, listing), .begin = detach_nr_fds(d), .end = detach_nr_fds(d),
	};

	buf_add(&d->events, &ev, sizeof(ev));
}

void detach_add_fd(struct detach *d, int fd, unsigned ms)
{
	size_t last = detach_nr_events(d) - 1;

	if (fd < 0)
		return;
	buf_add(&d->fds, &fd, sizeof(fd));
	d->ms += ms;
	for (size_t i = last; i <= last && detach_event_at(d, i)->begin == detach_event_at(d, last)->begin; i--)
		detach_event_at(d, i)->end = detach_nr_fds(d);
}

void detach_add(struct detach *d, struct attached *a, unsigned ms)
{
	/* The link comes first: it holds the event. */
	detach_add_fd(d, a->link_fd, ms);
	detach_add_fd(d, a->event_fd, a->link_fd < 0 ? ms : 0);
	detach_add_fd(d, a->prog_fd, 0);
	*a = ATTACHED_NONE;
}

void detach_now(struct detach *d)
{
	const int *fds = (const int *)(const void *)d->fds.data;

	for (size_t i = 0; i < detach_nr_fds(d); i++)
		close(fds[i]);
	buf_fini(&d->fds);
	buf_fini(&d->events);
	arena_fini(&d->arena);
	*d = (struct detach){ 0 };
}
