// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_use.c - enables, disables and reads kept events.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "keep/store.h"
#include "keep/store_dir.h"
#include "keep/store_pin.h"
#include "lang/dialect.h"

/* ---- enable and disable ---- */

/* Opens the existing programs of a probe. */
static int open_programs(const struct stored *ev, unsigned i, struct attached *ret_probe, struct attached *ret_saver,
			 struct diag *diag)
{
	int err = 0;

	ret_probe->prog_fd = store_pin_open_program(ev->dir, i, false);
	if (ret_probe->prog_fd < 0)
		err = ret_probe->prog_fd;
	if (ev->kept.probes[i].has_saver) {
		ret_saver->prog_fd = store_pin_open_program(ev->dir, i, true);
		if (ret_saver->prog_fd < 0)
			err = ret_saver->prog_fd;
	}
	return err ? diag_set(diag, err, "cannot open a program of %s: %s", ev->dir, strerror(-err)) : 0;
}

static int pin_attached(const struct stored *ev, unsigned i, const struct attached *probe, const struct attached *saver,
			struct diag *diag)
{
	int err = store_pin_attached(ev->dir, i, ev->kept.nr_probes, false, probe);

	if (!err && ev->kept.probes[i].has_saver)
		err = store_pin_attached(ev->dir, i, ev->kept.nr_probes, true, saver);
	return err ? diag_set(diag, err, "cannot keep a link of %s: %s", ev->dir, strerror(-err)) : 0;
}

/*
 * Parses a definition for the carets in messages. It takes the text as it was typed: its translation may be longer than
 * kprobe_events' parser accepts.
 */
static int parse_source(const struct kept *k, unsigned line, struct arena *arena, const struct probe_def **ret,
			struct diag *diag)
{
	struct probe_def *def = NULL;
	enum dialect dialect;
	int err;

	if (!dialect_find(k->dialects[line], &dialect))
		return diag_set(diag, -EBADMSG, "%s was kept in the unknown dialect %s", k->event, k->dialects[line]);
	err = dialect_parse(arena, k->sources[line], dialect, &def, diag);
	if (!err && !def)
		err = -EBADMSG;
	if (!err)
		*ret = def;
	return err;
}

static int attach_probe(const struct stored *ev, const struct attacher *at, struct arena *arena, unsigned i,
			struct diag *diag)
{
	const struct kept_probe *p = &ev->kept.probes[i];
	struct attached probe = ATTACHED_NONE, saver = ATTACHED_NONE;
	struct plan plan = p->plan;
	int err = parse_source(&ev->kept, p->line, arena, &plan.def, diag);

	if (!err)
		err = kept_check_file(p, plan.def->text, plan.def->place.at, diag);
	if (!err)
		err = open_programs(ev, i, &probe, &saver, diag);
	if (!err)
		err = attach_whole(at, &plan, p->saver_last, &probe, &saver, diag);
	if (!err)
		err = pin_attached(ev, i, &probe, &saver, diag);
	attached_close(&probe);
	attached_close(&saver);
	return err;
}

int store_enable(const struct stored *ev, const struct attacher *at, struct diag *diag)
{
	struct arena arena = { 0 };
	int err = 0;

	if (ev->enabled)
		return 0;
	store_pin_detach(ev->dir);		/* removes what a killed bprobe left */
	for (unsigned i = 0; !err && i < ev->kept.nr_probes; i++) {
		if (!ev->kept.dropped[ev->kept.probes[i].line])
			err = attach_probe(ev, at, &arena, i, diag);
	}
	if (!err) {
		err = store_pin_mark_enabled(ev->dir);
		if (err)
			diag_set(diag, err, "cannot mark %s as enabled: %s", ev->dir, strerror(-err));
	}
	if (err) {
		store_pin_detach(ev->dir);
		diag->text = NULL;		/* freed with the arena */
	}
	arena_fini(&arena);
	return err;
}

/* What the links of hooks have counted is lost with them. */
static void read_missed(const struct stored *ev, uint64_t *ret)
{
	for (unsigned i = 0; i < ev->kept.nr_probes; i++) {
		auto_fd link = store_pin_open_link(ev->dir, i, false);

		ret[i] = 0;
		attached_link_missed(link, &ret[i]);
	}
}

static void add_missed(const struct stored *ev, const uint64_t *missed)
{
	struct diag diag = { 0 };
	struct store_use u;

	if (!store_use(ev, false, &u, &diag)) {
		for (unsigned i = 0; i < ev->kept.nr_probes; i++)
			u.missed[i] += missed[i];
		store_unuse(&u);
	}
	diag_fini(&diag);
}

int store_disable(const struct stored *ev, struct diag *diag)
{
	struct arena arena = { 0 };
	uint64_t *missed = arena_array(&arena, uint64_t, ev->kept.nr_probes);
	int err;

	read_missed(ev, missed);
	err = store_pin_detach(ev->dir);
	if (!err)
		add_missed(ev, missed);		/* if bprobe is killed earlier: misses are lost, but none is counted twice */
	arena_fini(&arena);
	return err ? diag_set(diag, err, "cannot detach %s: %s", ev->dir, strerror(-err)) : 0;
}

/* ---- use ---- */

static int lock_reader(const struct stored *ev, int *ret_fd, struct diag *diag)
{
	int fd = open(ev->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	char process[32];
	pid_t pid;

	if (fd < 0)
		return diag_set(diag, -errno, "cannot open %s: %s", ev->dir, strerror(errno));
	err = store_dir_trylock(fd);
	if (err) {
		pid = store_dir_holder(fd);
		snprintf(process, sizeof(process), "process %d", (int)pid);
		close(fd);
		diag_set(diag, err, "%s/%s is being read by %s", ev->kept.group, ev->kept.event,
			 pid ? process : "another process");
		diag_note(diag, "help: 'bprobe --trace %s' shows what is recorded without consuming it", ev->kept.event);
		return err;
	}
	*ret_fd = fd;
	return 0;
}

int store_check_version(const struct stored *ev, struct diag *diag)
{
	const struct kept *k = &ev->kept;

	if (kept_is_current(k))
		return 0;
	diag_set(diag, -EPROTONOSUPPORT, "%s/%s was kept by an older bprobe (%s), and this one cannot read its records", k->group,
		 k->event, k->version);
	diag_note(diag, "help: 'bprobe --renew %s' keeps its probes anew; its records are lost then", k->event);
	return -EPROTONOSUPPORT;
}

int store_use(const struct stored *ev, bool consume, struct store_use *ret, struct diag *diag)
{
	struct store_use u = { .dir_fd = -1 };
	struct arena arena = { 0 };
	int err = store_check_version(ev, diag);

	if (!err && consume)
		err = lock_reader(ev, &u.dir_fd, diag);
	if (err)
		return err;
	err = store_pin_open_channel(ev->dir, ev->kept.nr_probes, &u.channel);
	if (!err)
		err = store_pin_map_state(arena_printf(&arena, "%s/state", ev->dir), ev->kept.nr_probes,
					  u.channel->nr_cpus, &u);
	arena_fini(&arena);
	if (err) {
		store_unuse(&u);
		return diag_set(diag, err, "cannot open the buffers of %s/%s: %s", ev->kept.group, ev->kept.event,
				strerror(-err));
	}
	*ret = u;
	return 0;
}

void store_unuse(struct store_use *u)
{
	channel_close(u->channel);
	if (u->state)
		munmap(u->state, u->state_size);
	if (u->dir_fd >= 0)
		close(u->dir_fd);
	*u = (struct store_use){ .dir_fd = -1 };
}

bool store_use_lives(const struct store_use *u)
{
	struct stat st;

	return fstat(u->dir_fd, &st) || st.st_nlink > 0;
}

bool store_missed(const struct stored *ev, const struct attacher *at, const struct store_use *u, unsigned i,
		  uint64_t *ret)
{
	struct attached a = { .prog_fd = store_pin_open_program(ev->dir, i, false), .event_fd = -1,
			      .link_fd = store_pin_open_link(ev->dir, i, false) };
	bool known = attached_missed(at, ev->kept.probes[i].plan.layout.backend, &a, ret);
	struct bp_stat stat;

	channel_stat(u->channel, i, &stat);
	known = known && !stat.deepest;		/* user returns: some may have been missed, and nobody counts them */

	*ret = known ? *ret + u->missed[i] : 0;
	attached_close(&a);
	return known;
}

int store_open_table(const struct stored *ev, unsigned number, struct count_table *ret)
{
	return store_pin_open_table(ev->dir, number, ret);
}
