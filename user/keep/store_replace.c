// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_replace.c - gives a kept event other programs; its rings and counters stay, or are replaced, too.
 *
 * For a moment both the old and the new programs are attached, so no hit is missed. A hit in this moment may be recorded twice.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "keep/store.h"
#include "keep/store_dir.h"
#include "keep/store_pin.h"

static int pin_next(const char *next, const struct kept *k, const struct channel *c, const struct store_probe *probes,
		    struct arena *arena)
{
	struct buf text = { 0 };
	int err = kept_write(k, &text);

	if (!err && c)
		err = store_pin_channel(next, c);
	if (!err && c)
		err = store_pin_state(arena_printf(arena, "%s/state", next), c);
	if (!err)
		err = store_pin_tables(next, k);
	if (!err)
		err = store_pin_switches(next, k);
	for (unsigned i = 0; !err && i < k->nr_probes; i++) {
		if (probes[i].attached)
			err = store_pin_probe(next, i, k->nr_probes, &probes[i]);
	}
	if (!err)
		err = store_pin_info(arena_printf(arena, "%s/info", next), buf_str(&text), text.len);
	buf_fini(&text);
	return err;
}

/*
 * Of another channel the rings come first: if they are still in @next, nothing of it is at its place, and what only the old one
 * has can be removed.
 */
static int move_rings(const char *next, const char *dir, struct arena *arena)
{
	const char *from = arena_printf(arena, "%s/%s", next, STORE_RINGS);
	int err;

	if (access(from, F_OK))
		return 0;
	err = store_pin_drop_channel(dir);
	if (!err && rename(from, arena_printf(arena, "%s/%s", dir, STORE_RINGS)))
		err = -errno;
	return err;
}

/* Moves every file of @next to @dir, where it replaces the file of the same name. The text comes last. */
static int move_up(const char *next, const char *dir, struct arena *arena)
{
	const char **names;
	int err = move_rings(next, dir, arena);
	unsigned nr = err ? 0 : store_dir_names(next, arena, &names);

	for (unsigned i = 0; i < nr; i++) {
		if (strcmp(names[i], "info") &&
		    rename(arena_printf(arena, "%s/%s", next, names[i]), arena_printf(arena, "%s/%s", dir, names[i])))
			err = -errno;
	}
	if (!err && rename(arena_printf(arena, "%s/info", next), arena_printf(arena, "%s/info", dir)))
		err = -errno;
	return err;
}

/* ---- the old programs ---- */

enum { GONE_MS = 2000, UNKNOWN_MS = 200, LOOK_MS = 2 };

/* The numbers of the programs in @dir. */
static uint32_t *programs_of(const char *dir, struct arena *arena, unsigned *ret_nr)
{
	const char **names;
	unsigned nr = store_dir_names(dir, arena, &names);
	uint32_t *ids = arena_array(arena, uint32_t, nr);

	*ret_nr = 0;
	for (unsigned i = 0; i < nr; i++) {
		bool is_program = !strncmp(names[i], "prog", 4) || !strncmp(names[i], "saver", 5);
		auto_fd fd = is_program ? bpf_obj_get(arena_printf(arena, "%s/%s", dir, names[i])) : -1;
		struct bpf_prog_info info = { 0 };
		__u32 len = sizeof(info);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
			ids[(*ret_nr)++] = info.id;
	}
	return ids;
}

/*
 * The file of a link, or of a map of perf events, is freed some time after it has lost its name (5.10, kernel/bpf/inode.c, bpf_free_inode();
 * kernel/bpf/syscall.c, bpf_link_put()). Until then the old programs run beside the new ones. Only CAP_SYS_ADMIN may ask for a program by its
 * number; without it the wait has a fixed length.
 */
static void wait_until_gone(const uint32_t *ids, unsigned nr)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };

	for (unsigned i = 0, ms = 0; i < nr && ms < GONE_MS; ms += LOOK_MS) {
		int fd = bpf_prog_get_fd_by_id(ids[i]);

		if (fd < 0 && (errno == ENOENT || ms >= UNKNOWN_MS)) {
			i++;
			continue;
		}
		if (fd >= 0)
			close(fd);
		nanosleep(&pause, NULL);
	}
}

int store_finish_replace(const char *dir)
{
	struct arena arena = { 0 };
	const char *next = arena_printf(&arena, "%s/%s", dir, STORE_NEXT);
	int err = access(arena_printf(&arena, "%s/info", next), F_OK) ? -ENOENT : 0;
	unsigned nr;
	uint32_t *old = programs_of(dir, &arena, &nr);

	/* Lets go of the old programs; the end of this function waits until they are gone. */
	if (!err)
		err = store_pin_detach(dir);
	if (!err)
		err = move_up(next, dir, &arena);
	if (!err && store_pin_has_remains(dir))
		err = store_pin_mark_enabled(dir);
	if (!err)
		err = store_dir_remove(next);
	if (!err)
		wait_until_gone(old, nr);
	arena_fini(&arena);
	return err;
}

int store_replace(const struct stored *ev, const struct kept *k, const struct channel *c, const struct store_probe *probes,
		  struct diag *diag)
{
	struct arena arena = { 0 };
	const char *next = arena_printf(&arena, "%s/%s", ev->dir, STORE_NEXT);
	int err = mkdir(next, 0700) ? -errno : pin_next(next, k, c, probes, &arena);

	if (err)
		store_dir_remove(next);
	else
		err = store_finish_replace(ev->dir);
	if (!err)
		err = store_pin_drop_tables(ev->dir, k);
	arena_fini(&arena);
	return err ? diag_set(diag, err, "cannot change %s: %s", ev->dir, strerror(-err)) : 0;
}
