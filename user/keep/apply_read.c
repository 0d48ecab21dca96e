// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply_read.c - reads files for --apply: which events they describe, and which of these are for this machine.
 */
#include "keep/apply_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/store.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms.h"
#include "lang/parse.h"
#include "run/modload.h"
#include "set/definitions.h"
#include "set/option.h"
#include "stream/options.h"

#define SUFFIX ".bprobe"

enum { NR_CONDITIONS = 4 };

/* What a block's settings say. */
struct settings {
	const char *filter;
	const char **triggers;
	unsigned nr_triggers, size_triggers;
	const char **options;
	unsigned nr_options, size_options;
	struct set_opts opts;
	unsigned stacks;
	bool disabled;
	const char *left_out;		/* an "except" that holds */
	bool asked[NR_CONDITIONS], held[NR_CONDITIONS];	/* asked: there is an "only" of this kind; held: one of these is true */
	const char *missed[NR_CONDITIONS];	/* ... why one does not */
};

struct reader {
	struct apply *a;
	struct arena *arena;
	struct apply_file *file;
	struct diag *diag;
};

static int refuse(struct reader *r, const struct apply_setting *s, struct span at, const char *why)
{
	r->diag->text = s->from.text;
	r->diag->file = r->file->path;
	r->diag->line = s->from.line;
	return diag_at(r->diag, -EINVAL, at, "%s", why);
}

/* ---- which machines ---- */

static const char *host_name(struct arena *arena)
{
	char name[256];

	if (gethostname(name, sizeof(name)))
		return "";
	name[sizeof(name) - 1] = '\0';
	return arena_strdup(arena, name);
}

/* -errno: the symbols cannot be read, so nobody knows. */
static int has_function(struct reader *r, const char *name)
{
	struct diag ignored = { 0 };
	const struct ksym *const *found;

	if (!r->a->ks && ksyms_load(NULL, &r->a->ks, &ignored))
		r->a->ks = NULL;
	diag_fini(&ignored);
	return !r->a->ks ? -ENODATA : ksyms_find(r->a->ks, name, NULL, &found) > 0;
}

struct condition {
	const char *name;
	/* Does it hold? 0 or 1; -EINVAL: @value has no meaning. *ret_is: what this machine is or has, from the arena. */
	int (*holds)(struct reader *r, const char *value, const char **ret_is);
	const char *wants;
};

static int is_kernel(struct reader *r, const char *value, const char **ret_is)
{
	unsigned now = release_running();
	struct apply_range range;

	*ret_is = arena_printf(r->arena, "this kernel is %u.%u", now >> 16, now >> 8 & 0xff);
	return apply_range_parse(value, &range) ? -EINVAL : now >= range.from && now <= range.to;
}

static int is_host(struct reader *r, const char *value, const char **ret_is)
{
	const char *name = host_name(r->arena);

	*ret_is = arena_printf(r->arena, "this host is %s", name);
	return !fnmatch(value, name, 0);
}

static int have_function(struct reader *r, const char *value, const char **ret_is)
{
	int found = has_function(r, value);

	*ret_is = found > 0 ? "this kernel has it" : "this kernel has none of this name";
	return found;
}

static int have_module(struct reader *r, const char *value, const char **ret_is)
{
	bool found = strchr(value, '/') ? false : modload_id(value) != 0;

	(void)r;
	*ret_is = found ? "it is loaded" : "it is not loaded";
	return found;
}

static const struct condition conditions[NR_CONDITIONS] = {
	{ "kernel", is_kernel, "a range of releases, such as 5.15-6.1, 6.12 or 5.10-" },
	{ "host", is_host, "a pattern of host names, such as web*" },
	{ "function", have_function, "the name of a kernel function" },
	{ "module", have_module, "the name of a kernel module" },
};

/* "only KIND VALUE", of which several of a kind mean any of them; "except KIND VALUE". */
static int take_condition(struct reader *r, const struct apply_setting *s, struct settings *to)
{
	bool except = *s->name == 'e';
	size_t len = strcspn(s->value, " \t");
	const char *value = s->value + len + strspn(s->value + len, " \t"), *is;
	unsigned i = 0;
	int holds;

	while (i < NR_CONDITIONS && (strlen(conditions[i].name) != len || memcmp(conditions[i].name, s->value, len)))
		i++;
	if (i == NR_CONDITIONS)
		return refuse(r, s, s->value_at.len ? s->value_at : s->name_at, "only and except want kernel, host, function or module, and then which");
	holds = *value ? conditions[i].holds(r, value, &is) : -EINVAL;
	if (holds == -ENODATA)
		return refuse(r, s, s->value_at, "the kernel's symbols cannot be read, so nobody knows whether it has this function");
	if (holds < 0)
		return refuse(r, s, s->value_at, arena_printf(r->arena, "%s wants %s", conditions[i].name, conditions[i].wants));
	if (except && holds)
		to->left_out = arena_printf(r->arena, "except %s %s: %s", conditions[i].name, value, is);
	if (except)
		return 0;
	to->asked[i] = true;
	to->held[i] |= holds;
	to->missed[i] = arena_printf(r->arena, "only %s %s: %s", conditions[i].name, value, is);
	return 0;
}

/* ---- settings ---- */

static const struct set_option *find_option(const char *name)
{
	for (unsigned i = 0; i < nr_set_options; i++) {
		if (set_options[i].kept && !strcmp(set_options[i].name, name))
			return &set_options[i];
	}
	return NULL;
}

static int refuse_unknown(struct reader *r, const struct apply_setting *s)
{
	static const char *const own[] = { "filter", "trigger", "disabled", "only", "except", "kernel-stack", "user-stack", "not" };
	const char **names = arena_array(r->arena, const char *, ARRAY_SIZE(own) + nr_set_options), *nearest;
	size_t nr = 0;

	for (; nr < ARRAY_SIZE(own); nr++)
		names[nr] = own[nr];
	for (unsigned i = 0; i < nr_set_options; i++) {
		if (set_options[i].kept)
			names[nr++] = set_options[i].name;
	}
	nearest = spell_nearest(s->name, names, nr);
	refuse(r, s, s->name_at, arena_printf(r->arena, "'%s' is no setting of an event", s->name));
	if (nearest)
		diag_note(r->diag, "help: did you mean %s?", nearest);
	else
		diag_note(r->diag, "help: settings are filter, trigger, disabled, only, except, and the options of --keep without their dashes");
	return -EINVAL;
}

static void add_text(struct reader *r, const char ***list, unsigned *nr, unsigned *size, const char *text)
{
	*list = arena_grow(r->arena, *list, *nr, size);
	(*list)[(*nr)++] = text;
}

/* "rate 100/s", "not comm sh": an option of --keep. */
static int take_kept_option(struct reader *r, const struct apply_setting *s, struct settings *to)
{
	bool inverted = !strcmp(s->name, "not");
	size_t len = inverted ? strcspn(s->value, " \t") : 0;
	const char *name = inverted ? arena_strndup(r->arena, s->value, len) : s->name;
	const char *value = inverted ? s->value + len + strspn(s->value + len, " \t") : s->value;
	const struct set_option *o = find_option(name);
	const char *arg = *value ? value : NULL;
	struct diag why = { 0 };
	int err;

	if (!o)
		return refuse_unknown(r, s);
	if (inverted && !o->selects)
		return refuse(r, s, s->value_at, "not is for settings that choose tasks, such as: not comm sh");
	if (!arg && o->has_arg == 1)
		return refuse(r, s, s->name_at, arena_printf(r->arena, "%s wants a value behind it", name));
	if (arg && !o->has_arg)
		return refuse(r, s, s->value_at, arena_printf(r->arena, "%s takes no value", name));
	err = set_option_take(o, r->arena, &to->opts, inverted, arg, &why);
	if (err)
		err = refuse(r, s, arg ? s->value_at : s->name_at, arena_strdup(r->arena, buf_str(&why.msg)));
	diag_fini(&why);
	if (inverted)
		add_text(r, &to->options, &to->nr_options, &to->size_options, SET_OPTION_NOT);
	add_text(r, &to->options, &to->nr_options, &to->size_options, set_option_word(o, r->arena, arg));
	return err;
}

/* A setting that has one value, or none, is given once; those that choose tasks add up. */
static int refuse_again(struct reader *r, const struct apply_block *b, unsigned nr)
{
	const struct apply_setting *s = &b->settings[nr];
	const struct set_option *o = find_option(s->name);

	for (unsigned i = 0; i < nr; i++) {
		const struct apply_setting *before = &b->settings[i];
		bool same = !strcmp(before->name, s->name);

		if (same && ((o && !o->selects) || !strcmp(s->name, "disabled") || !strcmp(before->value, s->value)))
			return refuse(r, s, s->name_at, arena_printf(r->arena, "%s is set in line %u already", s->name, before->from.line));
	}
	return 0;
}

static int take_setting(struct reader *r, const struct apply_setting *s, struct settings *to)
{
	bool flag = !strcmp(s->name, "disabled") || !strcmp(s->name, "kernel-stack") || !strcmp(s->name, "user-stack");

	if (flag && *s->value)
		return refuse(r, s, s->value_at, arena_printf(r->arena, "%s takes no value", s->name));
	if (!strcmp(s->name, "disabled")) {
		to->disabled = true;
	} else if (flag) {
		to->stacks |= 1u << (*s->name == 'k' ? STACK_KERNEL : STACK_USER);
	} else if (!strcmp(s->name, "only") || !strcmp(s->name, "except")) {
		return take_condition(r, s, to);
	} else if (!strcmp(s->name, "filter") || !strcmp(s->name, "trigger")) {
		if (!*s->value)
			return refuse(r, s, s->name_at, arena_printf(r->arena, "%s wants a value behind it", s->name));
		if (*s->name == 't')
			add_text(r, &to->triggers, &to->nr_triggers, &to->size_triggers, s->value);
		else if (to->filter)
			return refuse(r, s, s->name_at, "there is a filter already: join the two with && or ||");
		else
			to->filter = s->value;
	} else {
		return take_kept_option(r, s, to);
	}
	return 0;
}

static int read_settings(struct reader *r, const struct apply_block *b, struct settings *ret)
{
	int err = 0;

	*ret = (struct settings){ .opts = { .dialect = DIALECT_KPROBE, .machine = r->a->opts->set.machine } };
	for (unsigned i = 0; !err && i < b->nr_settings; i++) {
		err = refuse_again(r, b, i);
		if (!err)
			err = take_setting(r, &b->settings[i], ret);
	}
	for (unsigned i = 0; i < NR_CONDITIONS && !ret->left_out; i++)
		ret->left_out = ret->asked[i] && !ret->held[i] ? ret->missed[i] : NULL;
	return err;
}

/* ---- events ---- */

const struct wanted *apply_find(const struct apply *a, const char *group, const char *event)
{
	for (unsigned i = 0; i < a->nr_files; i++) {
		for (unsigned n = 0; n < a->files[i].nr_events; n++) {
			const struct wanted *w = &a->files[i].events[n];

			if (!strcmp(w->group, group) && !strcmp(w->event, event))
				return w;
		}
	}
	return NULL;
}

/* Only the definitions are read. */
static const struct set_host host = { .stays = true, .explains = true };

static int refuse_twice(struct reader *r, const struct apply_line *line, const struct wanted *before)
{
	r->diag->text = line->text;
	r->diag->file = r->file->path;
	r->diag->line = line->line;
	diag_at(r->diag, -EEXIST, (struct span){ 0, (uint32_t)strlen(line->text) }, "%s/%s is described already, at %s:%u", before->group,
		before->event, before->from.file, before->from.line);
	diag_note(r->diag, "help: all definitions of an event stand in one block, one below the other");
	return -EEXIST;
}

/* The event of this block that has the name; a new one if there is none. */
static struct wanted *wanted_of(struct reader *r, unsigned first, const char *group, const char *event)
{
	struct apply_file *f = r->file;

	for (unsigned i = first; i < f->nr_events; i++) {
		if (!strcmp(f->events[i].group, group) && !strcmp(f->events[i].event, event))
			return &f->events[i];
	}
	f->events = arena_grow(r->arena, f->events, f->nr_events, &f->size_events);
	f->events[f->nr_events] = (struct wanted){ .group = group, .event = event };
	return &f->events[f->nr_events++];
}

/*
 * Parses one definition as --keep would, with the settings of its block. @triggers: it gets the triggers, which are given once for each
 * event. *ret lives as long as @r->a. -errno with @diag.
 */
static int parse_one(struct reader *r, const struct apply_line *line, const struct settings *with, bool triggers, struct word *word,
		     struct set **ret)
{
	struct apply *a = r->a;
	struct set *s = arena_new(r->arena, struct set);

	*word = (struct word){ .text = line->text, .filter = with->filter, .stacks = with->stacks,
			       .triggers = triggers ? with->triggers : NULL, .nr_triggers = triggers ? with->nr_triggers : 0,
			       .from = { r->file->path, line->line } };
	set_init(s, &host, NULL, arena_new(r->arena, struct set_opts));
	*(struct set_opts *)s->opts = with->opts;
	a->sets = arena_grow(r->arena, a->sets, a->nr_sets, &a->size_sets);
	a->sets[a->nr_sets++] = s;
	*ret = s;
	return set_parse(s, word, 1, r->diag);
}

static int refuse_removal(struct reader *r, const struct apply_line *line)
{
	r->diag->text = line->text;
	r->diag->file = r->file->path;
	r->diag->line = line->line;
	diag_at(r->diag, -EINVAL, (struct span){ 0, (uint32_t)strlen(line->text) }, "--apply takes no '-:' line");
	diag_note(r->diag, "help: what no file describes is removed");
	return -EINVAL;
}

static int refuse_synthetic(struct reader *r, const struct apply_line *line)
{
	r->diag->text = line->text;
	r->diag->file = r->file->path;
	r->diag->line = line->line;
	return diag_at(r->diag, -EINVAL, (struct span){ 0, (uint32_t)strlen(line->text) },
		       "a synthetic event has no probes, so it takes no settings but only and except");
}

static void add_definition(struct reader *r, struct wanted *w, const struct word *word, const struct set *s)
{
	struct word *words = arena_array(r->arena, struct word, w->nr_words + 1);
	struct probe_def **defs = arena_array(r->arena, struct probe_def *, w->nr_words + 1);

	for (unsigned i = 0; i < w->nr_words; i++) {
		words[i] = w->words[i];
		defs[i] = w->defs[i];
	}
	words[w->nr_words] = *word;
	defs[w->nr_words++] = s->nr_probes ? s->probes[0].def : NULL;
	w->words = words;
	w->defs = defs;
}

static int add_line(struct reader *r, const struct apply_line *line, const struct settings *with, unsigned first)
{
	const struct wanted *before;
	const char *group, *event;
	struct wanted *w;
	struct word word;
	struct set *s;
	int err;

	if (!strncmp(line->text, "-:", 2))
		return refuse_removal(r, line);
	err = parse_one(r, line, with, false, &word, &s);
	if (err)
		return err;
	group = s->nr_probes ? s->probes[0].def->group : SYNTHETIC_GROUP;
	event = s->nr_probes ? s->probes[0].def->event : s->synthetics[0]->name;
	if (s->nr_synthetics && (with->nr_options || with->disabled || s->synthetics[0]->triggers))
		return refuse_synthetic(r, line);
	before = apply_find(r->a, group, event);
	if (before && !(before >= r->file->events + first && before < r->file->events + r->file->nr_events))
		return refuse_twice(r, line, before);
	w = wanted_of(r, first, group, event);
	err = parse_one(r, line, with, !w->nr_words, &word, &s);
	if (err)
		return err;
	if (!w->nr_words) {
		w->from = word.from;
		w->triggers = s->nr_probes ? s->probes[0].def->triggers : NULL;
		w->synthetic = s->nr_synthetics ? s->synthetics[0] : NULL;
		w->options = with->options;
		w->nr_options = with->nr_options;
		w->opts = with->opts;
		w->disabled = with->disabled;
		w->left_out = with->left_out;
	}
	add_definition(r, w, &word, s);
	return 0;
}

/* An error in a filter or a trigger stands in the line of that, not in the definition's. */
static void find_line(struct reader *r, const struct apply_block *b)
{
	for (unsigned i = 0; r->diag->text && i < b->nr_settings; i++) {
		if (!strcmp(r->diag->text, b->settings[i].value))
			r->diag->line = b->settings[i].from.line;
	}
}

static int add_block(struct reader *r, const struct apply_block *b)
{
	unsigned first = r->file->nr_events;
	struct settings with;
	int err = read_settings(r, b, &with);

	for (unsigned i = 0; !err && i < b->nr_definitions; i++) {
		err = add_line(r, &b->definitions[i], &with, first);
		if (err)
			find_line(r, b);
	}
	return err;
}

/* ---- files ---- */

/* What is in a directory must be a file: a pipe there might never end. */
static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static int read_file(struct apply *a, const char *path)
{
	struct reader r = { .a = a, .arena = &a->sel.arena };
	struct apply_block *blocks;
	struct diag diag = { 0 };
	struct buf text = { 0 };
	unsigned nr = 0;
	int err;

	a->files = arena_grow(&a->sel.arena, a->files, a->nr_files, &a->size_files);
	r.file = &a->files[a->nr_files++];
	r.diag = &diag;
	*r.file = (struct apply_file){ .path = strcmp(path, "-") ? arena_strdup(r.arena, path) : "standard input" };
	err = definitions_read_file(path, &text, &diag);
	if (!err) {
		err = apply_text_parse(r.arena, buf_str(&text), &blocks, &nr, &diag);
		diag.file = err ? r.file->path : NULL;
	}
	for (unsigned i = 0; !err && i < nr; i++)
		err = add_block(&r, &blocks[i]);
	r.file->err = err;
	if (err)
		report_error(&diag, 0);
	buf_fini(&text);
	diag_fini(&diag);
	return err ? EXIT_BAD_DEFINITION : 0;
}

static int is_ours(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return *e->d_name != '.' && len > strlen(SUFFIX) && !strcmp(e->d_name + len - strlen(SUFFIX), SUFFIX);
}

static int cannot_read(const char *path)
{
	struct diag diag = { 0 };
	int status;

	diag_set(&diag, -errno, "cannot read %s: %s", path, strerror(errno));
	status = report_error(&diag, EXIT_BAD_DEFINITION);
	diag_fini(&diag);
	return status;
}

static int refuse_kind(const char *path)
{
	struct diag diag = { 0 };
	int status;

	diag_set(&diag, -EINVAL, "%s is no regular file", path);
	status = report_error(&diag, EXIT_BAD_DEFINITION);
	diag_fini(&diag);
	return status;
}

static int read_directory(struct apply *a, const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, is_ours, alphasort), status = 0;

	if (n < 0)
		return cannot_read(path);
	for (int i = 0; i < n; i++) {
		const char *file = arena_printf(&a->sel.arena, "%s/%s", path, names[i]->d_name);
		int one = is_file(file) ? read_file(a, file) : refuse_kind(file);

		status = one ? one : status;
		free(names[i]);
	}
	free(names);
	return status;
}

int apply_read(struct apply *a, const char *path)
{
	struct stat st;

	if (strcmp(path, "-") && stat(path, &st))
		return cannot_read(path);
	return strcmp(path, "-") && S_ISDIR(st.st_mode) ? read_directory(a, path) : read_file(a, path);
}
