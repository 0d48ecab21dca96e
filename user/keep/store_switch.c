// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_switch.c - what triggers switch in a store.
 *
 * Each event pins the switch of all events beside its own. So the first event brings it, and it goes with the last one.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/macros.h"
#include "keep/store.h"
#include "keep/store_pin.h"
#include "run/switch_map.h"

#define TRACING	"tracing"
#define EVENT	"switch"

static int open_one(const char *dir, const char *name)
{
	struct arena arena = { 0 };
	int fd = bpf_obj_get(arena_printf(&arena, "%s/%s", dir, name)), err = fd < 0 ? -errno : 0;

	if (!err && !switch_map_is(fd, 1)) {
		close(fd);
		err = -EBADMSG;
	}
	arena_fini(&arena);
	return err ? err : fd;
}

int store_open_tracing(const struct stored *events, unsigned nr)
{
	int err = -ENOENT;

	for (unsigned i = 0; i < nr; i++) {
		int fd = open_one(events[i].dir, TRACING);

		if (fd >= 0)
			return fd;
		err = fd != -ENOENT ? fd : err;		/* another event may have what this one lacks */
	}
	return err;
}

int store_open_switch(const struct stored *ev)
{
	return open_one(ev->dir, EVENT);
}

int store_pin_switches(const char *dir, const struct kept *k)
{
	struct arena arena = { 0 };
	int err = 0;

	if (k->has_switches && (bpf_obj_pin(k->tracing_fd, arena_printf(&arena, "%s/" TRACING, dir)) ||
				bpf_obj_pin(k->switch_fd, arena_printf(&arena, "%s/" EVENT, dir))))
		err = -errno;
	arena_fini(&arena);
	return err;
}
