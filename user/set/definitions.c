// SPDX-License-Identifier: GPL-2.0-only
/*
 * definitions.c - the definitions of a run.
 */
#include "set/definitions_priv.h"

#include <errno.h>
#include <string.h>

#include "elf/library.h"
#include "gen/tasks.h"
#include "lang/def_words.h"
#include "lang/dialect.h"
#include "lang/filter.h"
#include "lang/kprobe.h"

int definitions_take_filter(struct set *s, const char *text, const char *def_text, const struct filter_expr **filter, struct diag *diag)
{
	const struct span all = { 0, (uint32_t)strlen(text) };

	if (!*filter)
		return filter_parse(&s->arena, text, all, filter, diag);
	diag->text = def_text;
	return diag_at(diag, -EINVAL, (*filter)->at, "the definition has this filter already, so --filter cannot give it one");
}

/* Gives @def the filter of --filter. */
static int take_filter(struct set *s, const char *text, struct probe_def *def, struct diag *diag)
{
	if (!def || def->kind == DEF_REMOVE)
		return diag_set(diag, -EINVAL, "--filter wants a definition before it");
	return definitions_take_filter(s, text, def->text, &def->filter, diag);
}

/* Gives @def what options have said of it: the filter of --filter, and stacks. */
static int take_options(struct set *s, const struct word *word, struct probe_def *def, struct diag *diag)
{
	if (word->stacks && (!def || def->kind == DEF_REMOVE))
		return diag_set(diag, -EINVAL, "-k and -u want a probe's definition before them");
	if (word->stacks)
		def->stacks = word->stacks;
	/* User stacks of kept probes have build ids in place of addresses, because no bprobe runs to record what programs map. */
	if (def && def->stacks & 1u << STACK_USER && s->host->stays)
		def->stacks ^= 1u << STACK_USER | 1u << STACK_USER_IDS;
	return word->filter ? take_filter(s, word->filter, def, diag) : 0;
}

/* ---- programs by their bare names ---- */

/*
 * With -p, NAME:FUNCTION is a place in the program or library NAME if the process has mapped a file of this name. Else it is one in the
 * kernel's module NAME.
 */
static bool names_program(const struct set *s, const struct probe_def *def)
{
	const struct tasks_condition *pids = &s->opts->tasks.conditions[TASKS_PID][0];
	const char *name = def->place.module;

	if (def->kind == DEF_REMOVE || def->probe != PROBE_KPROBE || def->dialect != DIALECT_KPROBE || !name || !*name || !pids->nr)
		return false;
	return library_is_mapped(pids->numbers[0], name);
}

/* ---- --containers ---- */

static bool has_argument(const struct probe_def *def, const char *name)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		if (!strcmp(def->args[i].name, name))
			return true;
	}
	return false;
}

/* The text with one more argument: the number of the task's cgroup. So the definition says all that it does, also in lists and where it is kept. */
static const char *with_cgroup(struct set *s, const char *text)
{
	const struct parse p = { .arena = &s->arena, .text = text };
	struct def_words words = def_words_split(&p);
	uint32_t end = words.at[words.nr - 1].off + words.at[words.nr - 1].len;

	return arena_printf(&s->arena, "%.*s " LAYOUT_CGROUP "=$current->cgroups->dfl_cgrp->kn->id:u64%s%s", (int)end, text,
			    words.has_filter ? " if " : "", words.has_filter ? text + words.filter.off : "");
}

static int parse_text(struct set *s, const char *text, struct probe_def **ret, struct diag *diag)
{
	int err = dialect_parse(&s->arena, text, s->opts->dialect, ret, diag);

	return !err && *ret && names_program(s, *ret) ? kprobe_parse_program(&s->arena, text, ret, diag) : err;
}

static int parse_definition(struct set *s, const char *text, struct probe_def **ret, struct diag *diag)
{
	int err = parse_text(s, text, ret, diag);
	const struct probe_def *def = *ret;

	if (err || !s->opts->containers || !def || def->kind == DEF_REMOVE)
		return err;
	if (def->dialect != DIALECT_KPROBE) {
		diag->text = text;
		return diag_at(diag, -EINVAL, def->head_at, "--containers adds an argument in the language of kprobe_events, and this definition "
			       "is in another one (bprobe --translate)");
	}
	return has_argument(def, LAYOUT_CGROUP) ? 0 : parse_text(s, with_cgroup(s, text), ret, diag);
}

/* ---- words and files ---- */

/* @word: the word of the command line that it is; NULL: it is a line of a file */
static int take_text(struct set *s, const char *text, const struct word *word, const struct origin *from,
		     struct diag *diag)
{
	bool synthetic = synthetic_is(text) && (s->opts->dialect == DIALECT_DETECT || s->opts->dialect == DIALECT_KPROBE);
	struct probe_def *def = NULL;
	int err = synthetic ? definitions_take_synthetic(s, text, word, diag) : parse_definition(s, text, &def, diag);

	if (!err && word && !synthetic)
		err = take_options(s, word, def, diag);
	if (!err && def && word && word->nr_triggers)
		err = definitions_take_triggers(s, word, def, diag);
	if (!err && def && def->kind != DEF_REMOVE && s->opts->answers.wanted)
		err = definitions_take_answer(s, def, diag);
	if (!err && def && def->kind == DEF_REMOVE) {
		diag->text = def->text;
		err = definitions_take_removal(s, def, diag);
	} else if (!err && def) {
		definitions_add(s, def);
		s->probes[s->nr_probes - 1].from = *from;
	}
	if (err) {
		diag->file = from->file;
		diag->line = from->line;
	}
	return err;
}

static int take_file(struct set *s, const char *path, struct diag *diag)
{
	struct origin from = { .file = strcmp(path, "-") ? path : "standard input" };
	struct buf text = { 0 };
	int err = definitions_read_file(path, &text, diag);

	for (char *line = text.data; !err && *line;) {
		char *end = line + strcspn(line, "\n");
		bool more = *end;

		*end = '\0';
		from.line++;
		err = take_text(s, line, NULL, &from, diag);
		line = end + more;
	}
	buf_fini(&text);
	return err;
}

/* Does it begin like a definition? */
static bool is_head(const char *text)
{
	return ((*text == 'p' || *text == 'r') && (!text[1] || strchr(": \t", text[1]) || (text[1] >= '0' && text[1] <= '9'))) ||
	       (*text == '-' && text[1] == ':');
}

/*
 * Word @i is no definition. If it forms a definition together with the words beside it, the shell has split that definition:
 * then @diag says so, and shows how to write it.
 */
static void note_quotes(struct set *s, unsigned i, struct diag *diag)
{
	struct probe_def *def = NULL;
	struct diag ignored = { 0 };
	struct buf text = { 0 };
	unsigned first = i, nr = 0;

	while (first && !is_head(s->words[first].text) && !s->words[first - 1].is_file)
		first--;
	do
		buf_addf(&text, "%s%s", nr ? " " : "", s->words[first + nr].text);
	while (++nr, first + nr < s->nr_words && !s->words[first + nr].is_file && !is_head(s->words[first + nr].text));
	if (nr > 1 && is_head(s->words[first].text) && !dialect_parse(&s->arena, buf_str(&text), s->opts->dialect, &def, &ignored)) {
		if (first == i)
			buf_reset(&diag->notes);
		diag_note(diag, "help: %s in quotes: '%s'", first == i ? "write the whole definition" :
			  "if this word belongs to the definition before it, write both", buf_str(&text));
	}
	diag_fini(&ignored);
	buf_fini(&text);
}

/* --count pid: an option whose argument may be missing has it behind a '='. */
static void advise_count(const struct set *s, unsigned i, struct diag *diag)
{
	const struct answers *a = &s->opts->answers;
	const char *word = s->words[i].text;

	if (a->count && !*a->count && a->count_word == i && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz_0123456789,.")])
		diag_note(diag, "help: did you mean --count=%s?", word);
}

int definitions_read(struct set *s, struct diag *diag)
{
	for (unsigned i = 0; i < s->nr_words; i++) {
		const struct word *word = &s->words[i];
		int err = word->is_file ? take_file(s, word->text, diag)
					: take_text(s, word->text, word, &word->from, diag);

		if (err && !word->is_file && !word->from.file) {
			note_quotes(s, i, diag);
			advise_count(s, i, diag);
		}
		if (err)
			return err;
	}
	if (!s->nr_probes && !s->nr_removals && !(s->host->stays && s->nr_synthetics))
		return diag_set(diag, -EINVAL, "no definition is left to trace");
	return definitions_find_synthetics(s, diag);
}

