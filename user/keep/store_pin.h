/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_pin.h - the files in a kept event's directory, by their names.
 *
 * For the store's own files. All functions return 0 or -errno without a message.
 */
#ifndef KEEP_STORE_PIN_H
#define KEEP_STORE_PIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "keep/store.h"

/* Reads the text in the map pinned at @path into @arena; and creates a map with such a text. */
int store_pin_text(struct arena *arena, const char *path, const char **ret);
int store_pin_info(const char *path, const char *text, size_t len);

/* Pins what watches where tasks run, if @c has it and @dir has not. -errno. */
int store_pin_watch(const char *dir, const struct channel *c);

#define STORE_RINGS	"rings"
int store_pin_channel(const char *dir, const struct channel *c);
int store_pin_open_channel(const char *dir, unsigned nr_probes, struct channel **ret);

/*
 * Pins the tables of @k's triggers that have maps. Opens those of trigger @number: -ENOENT, there are none. Unpins those that @k does not
 * have.
 */
int store_pin_tables(const char *dir, const struct kept *k);
int store_pin_open_table(const char *dir, unsigned number, struct count_table *ret);
int store_pin_drop_tables(const char *dir, const struct kept *k);

/* Pins the switches of @k, if it has any. */
int store_pin_switches(const char *dir, const struct kept *k);

/* Unpins what only some channels have, before another channel takes the place of the one in @dir. */
int store_pin_drop_channel(const char *dir);

/* The data that readers share: see struct store_use. */
int store_pin_state(const char *path, const struct channel *c);
int store_pin_map_state(const char *path, unsigned nr_probes, unsigned nr_cpus, struct store_use *ret);

/* Pins the programs of probe @i, and what attaches them if they are attached. */
int store_pin_probe(const char *dir, unsigned i, unsigned nr, const struct store_probe *p);

/*
 * Is the event in @dir enabled? A mark tells this. It is created when everything is attached, and removed before anything is
 * detached. If bprobe is killed in between, the event is disabled, with remains.
 */
bool store_pin_enabled(const char *dir);
int store_pin_mark_enabled(const char *dir);

/* Is something attached although the event's state does not say so? */
bool store_pin_has_remains(const char *dir);

/*
 * Opens the program of probe @i, or of its saver: a descriptor or -errno. The second function opens its link; -ENOENT: it is
 * not attached, or is attached by a perf event.
 */
int store_pin_open_program(const char *dir, unsigned i, bool saver);
int store_pin_open_link(const char *dir, unsigned i, bool saver);

/* Pins what attaches probe @i of @nr. */
int store_pin_attached(const char *dir, unsigned i, unsigned nr, bool saver, const struct attached *a);

/*
 * A directory within an event's directory. Its files will take the place of the others. It is complete when it has an info
 * file of its own; then the next bprobe finishes the replacement: store_replace.c. -ENOENT: it is not complete.
 */
#define STORE_NEXT	"+next"
int store_finish_replace(const char *dir);

/* Within an event's directory: a text that drops some of its definitions, and will take the place of info. See store_drop.c. */
#define STORE_DROP	"+info"
int store_finish_drop(const char *dir);

/* ... and a part that joined the event: this name followed by a number. */
#define STORE_JOIN	"+join"
unsigned store_pin_count_joined(const char *dir);

/* Detaches probe @i and unpins its programs. */
void store_pin_drop_probe(const char *dir, unsigned i);

/* Unpins everything that attaches a program. */
int store_pin_detach(const char *dir);

/* The same, but the caller closes what this adds to @later, and then it is detached. @ms: of one link. */
int store_pin_detach_later(const char *dir, struct detach *later, unsigned ms);

#endif
