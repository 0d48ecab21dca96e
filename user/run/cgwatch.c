// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgwatch.c - the names of cgroups while bprobe runs.
 *
 * inotify would tell of a new directory, too, but not before somebody reads its number; by then a short container is gone.
 */
#include "run/cgwatch.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cgroup.skel.h"
#include "kernel/cgroup/cgroups.h"

struct cgwatch {
	struct cgroup_bpf *skel;
	struct ring_buffer *made;
	struct cgroups *all;
};

/* A path of this length may be longer: bpf/cgroup.bpf.c, PATH_LEN, without the NUL. */
enum { PATH_CUT = 1023 };

/* The form of bpf/cgroup.bpf.c's struct made. */
static int take_made(void *ctx, void *data, size_t size)
{
	struct cgwatch *w = ctx;
	const char *bytes = data;
	uint64_t id;

	if (size <= sizeof(id) || bytes[size - 1])
		return 0;
	memcpy(&id, bytes, sizeof(id));
	if (size - sizeof(id) - 1 < PATH_CUT)
		cgroups_learn(w->all, id, bytes + sizeof(id));
	else
		cgroups_scan(w->all);	/* it may be longer: look, while it is there */
	return 0;
}

void cgwatch_serve(struct cgwatch *w)
{
	ring_buffer__consume(w->made);
}

static void serve(void *ctx)
{
	cgwatch_serve(ctx);
}

static int watch(struct cgwatch *w, struct diag *diag)
{
	int err;

	w->skel = cgroup_bpf__open_and_load();
	if (!w->skel)
		return diag_set(diag, -errno, "cannot watch for new cgroups: %s", strerror(errno));
	err = cgroup_bpf__attach(w->skel);
	if (err)
		return diag_set(diag, err, "cannot watch for new cgroups: %s", strerror(-err));
	w->made = ring_buffer__new(bpf_map__fd(w->skel->maps.cgroup_made), take_made, w, NULL);
	return w->made ? 0 : diag_set(diag, -errno, "cannot watch for new cgroups: %s", strerror(errno));
}

int cgwatch_open(struct cgwatch **ret, struct diag *diag)
{
	struct cgwatch *w = must(calloc(1, sizeof(*w)));
	int err;

	w->all = cgroups_new();
	err = watch(w, diag);
	if (!err) {
		err = cgroups_scan(w->all);
		if (err == -ENOENT)
			diag_set(diag, err, "cgroup2 is not mounted, and --containers takes names from there: mount -t cgroup2 none /sys/fs/cgroup");
		else if (err)
			diag_set(diag, err, "cannot read where cgroup2 is mounted: %s", strerror(-err));
	}
	if (err) {
		cgwatch_close(w);
		return err;
	}
	cgroups_ask(w->all, serve, w);
	*ret = w;
	return 0;
}

void cgwatch_close(struct cgwatch *w)
{
	if (!w)
		return;
	ring_buffer__free(w->made);
	cgroup_bpf__destroy(w->skel);
	cgroups_free(w->all);
	free(w);
}

struct cgroups *cgwatch_cgroups(const struct cgwatch *w)
{
	return w->all;
}

int cgwatch_fd(const struct cgwatch *w)
{
	return ring_buffer__epoll_fd(w->made);
}
