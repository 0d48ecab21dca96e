/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * detach.h - a list of what attaches probes, to be closed later (registry/detach_child.h).
 */
#ifndef RUN_DETACH_H
#define RUN_DETACH_H

#include <stddef.h>

#include "attach/attach.h"
#include "base/arena.h"
#include "base/buf.h"

/* What shall be closed, in the order in which it was added. All zeroes: nothing. */
struct detach {
	struct arena arena;
	struct buf fds;			/* int */
	struct buf events;		/* struct detach_event */
	unsigned ms;			/* sum of what was added */
};

/*
 * If detaching takes longer than this, a child process does it. The milliseconds are those of struct backend, so the number of probes and
 * their backends decide, and no clock: the same command always ends in the same way. 400 are more than 3 trampolines, or more than 8
 * kprobes.
 */
enum { DETACH_SLOW_MS = 400 };

/*
 * From now on what is added belongs to this definition, and to those that were named just before. @listing is its line of
 * 'bprobe -l', without a comment. Copies all.
 */
void detach_add_event(struct detach *d, const char *group, const char *event, const char *listing);

/* Takes over a descriptor; @ms: how long the kernel needs to close it. detach_add_event() comes first. */
void detach_add_fd(struct detach *d, int fd, unsigned ms);

/* The same for the descriptors of @a, which is ATTACHED_NONE afterwards. */
void detach_add(struct detach *d, struct attached *a, unsigned ms);

/* Closes them now. @d is empty afterwards. */
void detach_now(struct detach *d);

/* What @d contains, for the process that closes it. */
struct detach_event {
	const char *group, *event, *listing;
	size_t begin, end;		/* its descriptors: from this index up to, but not including, that one */
};

size_t detach_nr_fds(const struct detach *d);
size_t detach_nr_events(const struct detach *d);
struct detach_event *detach_event_at(const struct detach *d, size_t i);

#endif
