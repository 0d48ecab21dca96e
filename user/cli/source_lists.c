// SPDX-License-Identifier: GPL-2.0-only
/*
 * source_lists.c - lists lines of the source that can be probed, and the variables at a place.
 *
 * What is printed are definitions that bprobe takes. Behind '#' is the text of the line, or what the variables are. A line that
 * cannot be probed is a comment alone.
 */
#include "cli/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/functions.h"
#include "kernel/syms/ksyms.h"
#include "lang/kind.h"
#include "lang/kprobe.h"
#include "lang/legacy.h"
#include "lang/name.h"
#include "lang/place.h"
#include "plan/expand.h"
#include "plan/source_text.h"
#include "set/set.h"
#include "trace/trace.h"

/* A word of the command line. */
struct wanted {
	struct probe_def *def;
	const char *place;		/* as typed, without lines */
	unsigned from, to;		/* --lines: only these, if @to is not 0 */
	const char *owner;		/* "MODULE:", "PATH:" or "" */
	const char *name;		/* for events: of the function or file */
};

struct lister {
	struct set s;
	struct facts facts;
	const struct options *opts;
	struct diag diag;
};

/* ---- words ---- */

/* :FROM-TO at the end, which only lists have. */
static bool take_range(struct arena *arena, const char *word, struct wanted *w)
{
	const char *colon = strrchr(word, ':'), *dash = colon ? strchr(colon, '-') : NULL;
	uint64_t from, to;

	if (!dash || number_u64(colon + 1, (size_t)(dash - colon - 1), 10, &from) || number_u64(dash + 1, strlen(dash + 1), 10, &to) ||
	    from > to || to > UINT32_MAX)
		return false;
	w->place = arena_strndup(arena, word, (size_t)(colon - word));
	w->from = (unsigned)from;
	w->to = (unsigned)to;
	return true;
}

/* A function without MODULE: is looked for in the module that has it. */
static void find_module(struct lister *l, struct place *place)
{
	const struct ksym *const *syms;

	if (!place->path && !place->module && place->symbol && l->facts.ks && ksyms_find(l->facts.ks, place->symbol, NULL, &syms) == 1 &&
	    syms[0]->module)
		place->module = arena_strdup(&l->s.arena, syms[0]->module);
}

static int read_word(struct lister *l, const char *word, bool ranges, struct wanted *w)
{
	struct arena *arena = &l->s.arena;
	const char *base;
	struct place *place;
	int err;

	*w = (struct wanted){ .place = word, .owner = "" };
	if (ranges)
		take_range(arena, word, w);
	err = kprobe_parse_source(arena, arena_printf(arena, "p %s", w->place), false, &w->def, &l->diag);
	if (err)
		return err;
	place = &w->def->place;
	if (w->def->kind != DEF_ENTRY || w->def->nr_args || place->off || (ranges && (place->has_line || place->lines_like)))
		return diag_set(&l->diag, -EINVAL, ranges ? "'%s' is no function or file of the source; --lines takes FUNCTION, FUNCTION:FROM-TO, "
				"FILE or FILE:FROM-TO" : "'%s' is no place in the source; --vars takes FUNCTION, FUNCTION:LINE or FILE:LINE", word);
	if (!place->file && !place->symbol)
		return diag_set(&l->diag, -EINVAL, "'%s' is an address, and no place in the source", word);
	find_module(l, place);
	if (place->path || place->module)
		w->owner = arena_printf(arena, "%s:", place->path ? place->path : place->module);
	base = place->file ? strrchr(place->file, '/') : NULL;
	base = base ? base + 1 : place->file;
	w->name = place->symbol ? place->symbol : arena_strndup(arena, base, strcspn(base, "."));
	return 0;
}

/* The place as a definition has it, without the lines. */
static const char *place_text(struct lister *l, const struct wanted *w)
{
	const struct place *place = &w->def->place;

	if (place->symbol && place->file)
		return arena_printf(&l->s.arena, "%s%s@%s", w->owner, place->symbol, place->file);
	return arena_printf(&l->s.arena, "%s%s", w->owner, place->symbol ? place->symbol : place->file);
}

static void add_event(struct buf *out, const struct wanted *w, unsigned line, bool has_line)
{
	struct buf event = { 0 };

	buf_adds(&event, w->name);
	if (has_line)
		buf_addf(&event, w->def->place.symbol ? "_L%u" : "_%u", line);
	functions_add_event(out, 'p', buf_str(&event));
	buf_fini(&event);
}

/* ---- lines ---- */

static bool has_code(const struct lines_answer *a, unsigned line)
{
	unsigned low = 0, high = a->nr_lines;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (a->lines[mid] < line)
			low = mid + 1;
		else
			high = mid;
	}
	return low < a->nr_lines && a->lines[low] == line;
}

static const char *line_definition(struct lister *l, const struct wanted *w, unsigned shown)
{
	struct buf text = { 0 };
	const char *ret;

	add_event(&text, w, shown, true);
	buf_addf(&text, " %s:%u", place_text(l, w), shown);
	ret = arena_strdup(&l->s.arena, buf_str(&text));
	buf_fini(&text);
	return ret;
}

/* The text of a line may have anything in it; a terminal must not get it. */
static void print_text(const char *text)
{
	for (; *text; text++)
		putchar(*text == '\t' || ((unsigned char)*text >= ' ' && *text != 0x7f) ? *text : '?');
}

static void print_line(struct lister *l, const struct wanted *w, const struct lines_answer *a, const struct source_text *text, unsigned line,
		       int width)
{
	unsigned shown = line - a->base;
	bool is_there = line && line <= text->nr;

	if (has_code(a, line))
		printf("%-*s", is_there ? width : 0, line_definition(l, w, shown));
	else if (is_there)
		printf("%*s", width, "");
	else
		return;
	if (is_there) {
		fputs("  # ", stdout);
		print_text(text->lines[line - 1]);
	}
	putchar('\n');
}

static int list_lines(struct lister *l, const char *word)
{
	struct lines_answer a = { 0 };
	struct source_text text = { 0 };
	struct wanted w;
	unsigned first, last;
	int err = read_word(l, word, true, &w), missing, width;

	if (!err)
		err = lines_of_place(&l->s.arena, w.def, &l->facts, LINES_WITH_CODE, &a, &l->diag);
	if (err)
		return err;
	if (w.to && (w.from > a.lines[a.nr_lines - 1] - a.base || a.base + w.to < a.lines[0]))
		return diag_set(&l->diag, -ENOENT, "no line of %s from %u to %u has code; its lines with code are %u to %u", place_text(l, &w),
				w.from, w.to, a.lines[0] - a.base, a.lines[a.nr_lines - 1] - a.base);
	missing = source_text_read(&l->s.arena, a.path, l->opts->set.machine.source, &text);
	first = w.to ? a.base + w.from : a.base ? a.base : a.lines[0];
	last = w.to && w.to <= UINT32_MAX - a.base ? a.base + w.to : a.lines[a.nr_lines - 1];
	last = last < a.lines[a.nr_lines - 1] ? last : a.lines[a.nr_lines - 1];
	width = (int)strlen(line_definition(l, &w, last - a.base));
	for (unsigned line = first; line <= last && line <= text.nr; line++)
		print_line(l, &w, &a, &text, line, width);
	/* Without their text, those that have code are all that is known. */
	for (unsigned i = 0; i < a.nr_lines; i++) {
		if (a.lines[i] > text.nr && a.lines[i] >= first && a.lines[i] <= last)
			print_line(l, &w, &a, &text, a.lines[i], width);
	}
	if (missing && !l->opts->lines.quiet)
		fprintf(stderr, "bprobe: the text of the lines is not known: cannot read %s: %s; --source DIR names the directory of the sources\n",
			text.path, strerror(-missing));
	return 0;
}

/* ---- variables ---- */

static bool is_there(const struct lines_place *p, const char *name)
{
	for (unsigned i = 0; i < p->nr_variables; i++) {
		if (!p->variables[i].trouble && !strcmp(p->variables[i].name, name))
			return true;
	}
	return false;
}

static bool is_everywhere(const struct lines_answer *a, const char *name)
{
	for (unsigned i = 0; i < a->nr; i++) {
		if (!is_there(&a->places[i], name))
			return false;
	}
	return true;
}

static bool is_text(const char *type)
{
	return !strcmp(type, "char *") || !strcmp(type, "const char *") || !strcmp(type, "const char *const");
}

/* Alone, some names would mean something else. */
static void add_variable(struct buf *out, const struct lines_variable *v)
{
	const struct parse p = { .text = v->name };
	size_t len = strlen(v->name);
	bool named = name_is_reserved(v->name) || legacy_is_word(&p, (struct span){ 0, (uint32_t)len });

	if (name_is_ident(v->name, len) && len <= LANG_MAX_ARG_NAME && !name_is_reserved(v->name))
		buf_addf(out, " %s%s%s%s", named ? v->name : "", named ? "=" : "", v->name, is_text(v->type) ? ":string" : "");
}

/* "struct file *file" */
static void print_variable(const struct lines_variable *v, const char *comma)
{
	size_t len = strlen(v->type);

	fputs(comma, stdout);
	print_text(v->type);
	printf("%s%s", len && v->type[len - 1] == '*' ? "" : " ", v->name);
}

static void print_place(const struct lines_place *p)
{
	const char *comma = "";

	printf("  # %s+0x%llx%s%s%s: ", p->symbol, (unsigned long long)p->off, *p->chain ? " (inlined: " : "", p->chain, *p->chain ? ")" : "");
	for (unsigned i = 0; i < p->nr_variables; i++) {
		if (p->variables[i].trouble)
			continue;
		print_variable(&p->variables[i], comma);
		comma = ", ";
	}
	puts(*comma ? "" : "no variables");
	for (unsigned i = 0; i < p->nr_variables; i++) {
		if (!p->variables[i].trouble)
			continue;
		print_variable(&p->variables[i], "  #   not ");
		printf(": %s\n", p->variables[i].trouble);
	}
}

static int list_variables(struct lister *l, const char *word)
{
	enum { SHOWN = 6 };
	struct lines_answer a = { 0 };
	struct buf text = { 0 };
	struct wanted w;
	int err = read_word(l, word, false, &w);

	if (!err)
		err = lines_of_place(&l->s.arena, w.def, &l->facts, LINES_PLACES, &a, &l->diag);
	if (err)
		return err;
	add_event(&text, &w, w.def->place.line, w.def->place.has_line);
	buf_addf(&text, " %s", place_text(l, &w));
	if (w.def->place.has_line)
		buf_addf(&text, ":%u", w.def->place.line);
	if (w.def->place.lines_like)
		buf_addf(&text, ";%s", w.def->place.lines_like);
	for (unsigned i = 0; i < a.places[0].nr_variables; i++) {
		if (is_everywhere(&a, a.places[0].variables[i].name))
			add_variable(&text, &a.places[0].variables[i]);
	}
	puts(buf_str(&text));
	buf_fini(&text);
	for (unsigned i = 0; i < a.nr && (i < SHOWN || l->opts->set.verbose); i++)
		print_place(&a.places[i]);
	if (a.nr > SHOWN && !l->opts->set.verbose)
		printf("  # and %u more places (-v prints them)\n", a.nr - SHOWN);
	return 0;
}

/* ---- all words ---- */

/* All words that can be listed are listed, even if others cannot. */
static int list_all(const struct options *opts, int (*list)(struct lister *l, const char *word))
{
	static const struct set_host host;		/* it only asks the kernel */
	struct lister l = { .opts = opts };
	int status = 0;
	bool opened;

	set_init(&l.s, &host, NULL, &opts->set);
	opened = !set_open_kernel(&l.s, &l.diag);
	if (!opened)
		status = report_error(&l.diag, EXIT_KERNEL);

	l.facts = set_facts(&l.s);
	for (unsigned i = 0; opened && i < opts->nr_words; i++) {
		int err = list(&l, opts->words[i].text);

		if (err)
			status = report_error(&l.diag, EXIT_BAD_DEFINITION);
		diag_fini(&l.diag);
	}
	set_close(&l.s);
	diag_fini(&l.diag);
	return status;
}

int lines_run(const struct options *opts)
{
	return list_all(opts, list_lines);
}

int vars_run(const struct options *opts)
{
	return list_all(opts, list_variables);
}
