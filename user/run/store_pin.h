/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_pin.h - what lies in a kept event's directory, by its names.
 *
 * For the store's own files. All return 0 or -errno without words.
 */
#ifndef RUN_STORE_PIN_H
#define RUN_STORE_PIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "run/store.h"

/* The text in the map pinned at @path, in @arena; and a map with it. */
int store_pin_text(struct arena *arena, const char *path, const char **ret);
int store_pin_info(const char *path, const char *text, size_t len);

int store_pin_channel(const char *dir, const struct channel *c);
int store_pin_open_channel(const char *dir, unsigned nr_probes, struct channel **ret);

/* What readers tell each other: see struct store_use. */
int store_pin_state(const char *path, const struct channel *c);
int store_pin_map_state(const char *path, unsigned nr_probes, unsigned nr_cpus, struct store_use *ret);

/* The programs of probe @i, and what attaches them if they are. */
int store_pin_probe(const char *dir, unsigned i, unsigned nr, const struct store_probe *p);

/*
 * Is the event in @dir enabled? Told by a mark that is made when everything is attached, and gone before anything is
 * detached: who is killed in between leaves it disabled, with remains.
 */
bool store_pin_enabled(const char *dir);
int store_pin_mark_enabled(const char *dir);

/* Is something attached that the event's state does not tell of? */
bool store_pin_has_remains(const char *dir);

/* The program of probe @i, or of its saver: a descriptor, or -errno. And its link; -ENOENT: it is not attached, or by an event. */
int store_pin_open_program(const char *dir, unsigned i, bool saver);
int store_pin_open_link(const char *dir, unsigned i, bool saver);

/* Pins what attaches probe @i of @nr. */
int store_pin_attached(const char *dir, unsigned i, unsigned nr, bool saver, const struct attached *a);

/*
 * Within an event's directory, what will take the place of the rest. When its own info is there it is whole, and whoever comes
 * next finishes: store_replace.c. -ENOENT: it is not whole.
 */
#define STORE_NEXT	"+next"
int store_finish_replace(const char *dir);

/* Within an event's directory: a text that drops some of its definitions, and will take the place of info. store_drop.c */
#define STORE_DROP	"+info"
int store_finish_drop(const char *dir);

/* ... and what joined the event: this with a number. */
#define STORE_JOIN	"+join"
unsigned store_pin_count_joined(const char *dir);

/* Detaches probe @i and unpins its programs. */
void store_pin_drop_probe(const char *dir, unsigned i);

/* Unpins all that attaches anything. */
int store_pin_detach(const char *dir);

#endif
