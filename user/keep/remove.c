// SPDX-License-Identifier: GPL-2.0-only
/*
 * remove.c - removes probes, both kept ones and those of running bprobes.
 */
#include "keep/remove.h"

#include <errno.h>

#include "keep/kept_verbs.h"
#include "lang/listing.h"
#include "registry/registry.h"
#include "set/set.h"
#include "stream/options.h"

/* "NAME WORD ...", as it is typed behind '-:'. */
static const char *text_of(const struct removal *which, struct arena *arena)
{
	struct buf text = { 0 };
	const char *ret;

	buf_adds(&text, which->name);
	for (unsigned i = 0; i < which->nr_words; i++)
		buf_addf(&text, " %s", which->words[i].text);
	ret = arena_strdup(arena, buf_str(&text));
	buf_fini(&text);
	return ret;
}

/* Both are always tried, so that an error with kept probes does not keep those of running bprobes alive. */
static int remove_both(const struct options *opts, const struct removal *which, struct diag *diag)
{
	struct diag second = { 0 };
	struct arena arena = { 0 };
	int kept = kept_remove(opts, which, diag);
	int running = registry_remove(NULL, text_of(which, &arena), kept < 0 ? &second : diag);

	if (kept < 0 && running < 0)
		diag_note(diag, "%s", buf_str(&second.msg));
	diag_fini(&second);
	arena_fini(&arena);
	return kept < 0 ? kept : running < 0 ? running : kept + running;
}

/* -r means the same with or without '-:' or '!p:' in front of a name. */
static const char *behind_head(const char *text)
{
	const char *colon = *text == '!' ? strchr(text, ':') : NULL;

	return !strncmp(text, "-:", 2) ? text + 2 : colon ? colon + 1 : text;
}

/* The names of all events that -r removes as a whole. */
static const char *const *whole_events(struct arena *arena, const struct options *opts, unsigned *ret_nr)
{
	const char **names = arena_array(arena, const char *, opts->nr_words);

	*ret_nr = 0;
	for (unsigned i = 0; i < opts->nr_words; i++) {
		struct removal which = { 0 };

		which.words = listing_words(arena, behind_head(opts->words[i].text), &which.name, &which.nr_words);
		if (!which.nr_words)
			names[(*ret_nr)++] = which.name;
	}
	return names;
}

static int remove_word(const struct options *opts, const char *text, struct diag *diag)
{
	struct arena arena = { 0 };
	struct removal which = { 0 };
	int n;

	which.also = whole_events(&arena, opts, &which.nr_also);

	which.words = listing_words(&arena, behind_head(text), &which.name, &which.nr_words);
	n = remove_both(opts, &which, diag);
	if (!n)
		n = diag_set(diag, -ENOENT, "no probe is called '%s'%s%s, neither kept nor of a running bprobe; 'bprobe -l' lists "
			     "all probes", which.name, which.nr_words ? " and is on " : "",
			     which.nr_words ? text_of(&which, &arena) + strlen(which.name) + 1 : "");
	arena_fini(&arena);
	return n;
}

/* Every name is tried, so that one wrong name does not keep the others alive. */
int remove_run(const struct options *opts)
{
	static const struct removal all = { .name = "*" };
	struct diag diag = { 0 };
	int status = 0;

	if (opts->all_tasks && remove_both(opts, &all, &diag) < 0)
		status = report_error(&diag, EXIT_KERNEL);
	diag_fini(&diag);
	for (unsigned i = 0; i < opts->nr_words; i++) {
		if (remove_word(opts, opts->words[i].text, &diag) < 0)
			status = report_error(&diag, diag.err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
		diag_fini(&diag);
	}
	return status;
}

static int nothing_meant(const struct probe_def *def, const char *name, struct diag *diag)
{
	struct span at = def->event_at.len ? def->event_at : def->head_at;

	diag->text = def->text;
	if (def->nr_matches) {
		struct span first = def->matches[0].at, last = def->matches[def->nr_matches - 1].at;

		at = (struct span){ first.off, last.off + last.len - first.off };
		diag_at(diag, -ENOENT, at, "event '%s' has no such probe: not in this run, not kept, not in a running bprobe",
			name);
	} else {
		diag_at(diag, -ENOENT, at, "no probe is called '%s', neither of this run nor kept nor of a running bprobe", name);
	}
	diag_note(diag, "help: 'bprobe -l' lists all probes%s",
		  def->nr_matches ? "; the words after the name must be the same as there" : "");
	return -ENOENT;
}

/* The name of an event as '-:' gives it: "GROUP/EVENT", "GROUP/" or "EVENT". */
static const char *removed_name(struct arena *arena, const struct probe_def *def)
{
	return arena_printf(arena, "%s%s%s", def->group ? def->group : "", def->group ? "/" : "", def->event ? def->event : "");
}

static const char *const *whole_definitions(struct arena *arena, const struct set *s, unsigned *ret_nr)
{
	const char **names = arena_array(arena, const char *, s->nr_removals);

	*ret_nr = 0;
	for (unsigned i = 0; i < s->nr_removals; i++) {
		if (!s->removals[i]->nr_matches)
			names[(*ret_nr)++] = removed_name(arena, s->removals[i]);
	}
	return names;
}

int remove_definitions(const struct options *opts, const struct set *s, struct diag *diag)
{
	struct arena arena = { 0 };
	unsigned nr_also;
	const char *const *also = whole_definitions(&arena, s, &nr_also);
	int n = 1;

	for (unsigned i = 0; n >= 0 && i < s->nr_removals; i++) {
		const struct probe_def *def = s->removals[i];
		const struct removal which = {
			.name = removed_name(&arena, def), .words = def->matches, .nr_words = def->nr_matches, .also = also, .nr_also = nr_also,
		};

		n = remove_both(opts, &which, diag);
		if (!n)
			n = nothing_meant(def, which.name, diag);
	}
	arena_fini(&arena);
	return n < 0 ? n : 0;
}
