// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_drop.c - removes some of an event's definitions; its records stay and can be read as before.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keep/store.h"
#include "keep/store_dir.h"
#include "keep/store_pin.h"

/* Until the text is at its place, the next bprobe can repeat this from the start. */
int store_finish_drop(const char *dir)
{
	struct arena arena = { 0 };
	const char *path = arena_printf(&arena, "%s/%s", dir, STORE_DROP), *text, *by;
	struct kept k;
	int err = store_pin_text(&arena, path, &text);

	if (!err)
		err = kept_parse(&arena, "", "", text, &k, &by);
	for (unsigned i = 0; !err && i < k.nr_probes; i++) {
		if (k.dropped[k.probes[i].line])
			store_pin_drop_probe(dir, i);
	}
	if (!err && rename(path, arena_printf(&arena, "%s/info", dir)))
		err = -errno;
	arena_fini(&arena);
	return err;
}

static int drop(const struct stored *ev, const struct kept *k, struct arena *arena, struct diag *diag)
{
	struct buf text = { 0 };
	int err = kept_write(k, &text);

	if (!err)
		err = store_pin_info(arena_printf(arena, "%s/%s", ev->dir, STORE_DROP), buf_str(&text), text.len);
	if (!err)
		err = store_finish_drop(ev->dir);
	buf_fini(&text);
	return err ? diag_set(diag, err, "cannot change %s: %s", ev->dir, strerror(-err)) : 0;
}

int store_drop(const struct store *s, const struct stored *ev, const bool *lines, struct diag *diag)
{
	struct arena arena = { 0 };
	struct kept k = ev->kept;
	int err;

	k.dropped = arena_array(&arena, bool, k.nr_lines);
	for (unsigned line = 0; line < k.nr_lines; line++)
		k.dropped[line] = ev->kept.dropped[line] || lines[line];
	/* The event's directory contains the parts that joined the event. */
	if (kept_count(&k) || store_pin_count_joined(ev->dir))
		err = drop(ev, &k, &arena, diag);
	else
		err = store_remove(s, ev, NULL, diag);
	arena_fini(&arena);
	return err;
}
