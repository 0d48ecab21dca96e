// SPDX-License-Identifier: GPL-2.0-only
/*
 * recordings_words.c - which words of --read are files.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "set/opts.h"
#include "stream/options.h"
#include "trace/recordings_priv.h"

/* The name of an event is a C identifier, that of a group may also have '-', and there is one '/' between them. */
bool recordings_is_file(const struct options *o, const struct word *word)
{
	return word == o->words || word->behind_verb || strchr(word->text, '.') || *word->text == '/';
}

/* NAME.0001.dat of NAME.dat, as -o NAME.dat --rotate writes them. */
static const char *part_path(struct arena *arena, const char *path, unsigned n)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	if (!dot || (slash && dot < slash))
		dot = path + strlen(path);
	return arena_printf(arena, "%.*s.%04u%s", (int)(dot - path), path, n, dot);
}

struct list {
	struct recordings_path *all;
	unsigned nr, size;
};

static void add(struct list *l, struct arena *arena, const char *path, const struct word *word)
{
	l->all = arena_grow(arena, l->all, l->nr, &l->size);
	l->all[l->nr++] = (struct recordings_path){ path, word };
}

/* Was the file completed before the other one? Then it is what an earlier --rotate has left. */
static bool is_older(const char *path, const char *than)
{
	struct stat a, b;

	if (stat(path, &a) || stat(than, &b))
		return false;
	return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec < b.st_mtim.tv_sec : a.st_mtim.tv_nsec < b.st_mtim.tv_nsec;
}

/* If the file itself is not there, its parts may be. */
static void add_word(struct list *l, struct arena *arena, const struct word *word)
{
	unsigned nr = l->nr;

	for (unsigned n = 1; access(word->text, F_OK); n++) {
		const char *path = part_path(arena, word->text, n);

		if (access(path, F_OK))
			break;
		if (n > 1 && is_older(path, l->all[l->nr - 1].path)) {
			fprintf(stderr, "bprobe: %s is older than the part before it, so it is of another recording: give its name to read it\n", path);
			break;
		}
		add(l, arena, path, word);
	}
	if (l->nr == nr)
		add(l, arena, word->text, word);
}

struct recordings_path *recordings_paths(const struct options *o, struct arena *arena, unsigned *ret_nr)
{
	struct list l = { 0 };

	for (unsigned i = 0; i < o->nr_words; i++) {
		if (recordings_is_file(o, &o->words[i]))
			add_word(&l, arena, &o->words[i]);
	}
	*ret_nr = l.nr;
	return l.all;
}
