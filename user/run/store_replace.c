// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_replace.c - gives a kept event other programs; its rings and counters stay, or are replaced, too.
 *
 * For a moment both the old and the new programs are attached, so no hit is missed. A hit in this moment may be recorded twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/store.h"
#include "run/store_dir.h"
#include "run/store_pin.h"

static int pin_next(const char *next, const struct kept *k, const struct channel *c, const struct store_probe *probes,
		    struct arena *arena)
{
	struct buf text = { 0 };
	int err = c ? store_pin_channel(next, c) : 0;

	if (!err && c)
		err = store_pin_state(arena_printf(arena, "%s/state", next), c);
	if (!err)
		err = store_pin_tables(next, k);
	kept_print(k, &text);
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

int store_finish_replace(const char *dir)
{
	struct arena arena = { 0 };
	const char *next = arena_printf(&arena, "%s/%s", dir, STORE_NEXT);
	int err = access(arena_printf(&arena, "%s/info", next), F_OK) ? -ENOENT : 0;

	/* Detaches the old programs at once, and does not wait for the kernel's worker. */
	if (!err)
		err = store_pin_detach(dir);
	if (!err)
		err = move_up(next, dir, &arena);
	if (!err && store_pin_has_remains(dir))
		err = store_pin_mark_enabled(dir);
	if (!err)
		err = store_dir_remove(next);
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
