// SPDX-License-Identifier: GPL-2.0-only
/*
 * definitions.c - the definitions of a run.
 */
#include "set/definitions.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/library.h"
#include "elf/maps.h"
#include "gen/tasks.h"
#include "lang/dialect.h"
#include "lang/filter.h"
#include "lang/kprobe.h"
#include "lang/listing.h"
#include "lang/trigger.h"
#include "plan/join.h"
#include "set/answers.h"

/* ---- '-:' lines ---- */

static bool listing_matches(const struct probe_def *removal, const struct probe_def *def)
{
	struct buf listing = { 0 };
	bool same = true;

	if (removal->nr_matches) {
		def_print(def, &listing);
		same = listing_begins(buf_str(&listing), removal->matches, removal->nr_matches);
	}
	buf_fini(&listing);
	return same;
}

static bool removes(const struct probe_def *removal, const struct probe_def *def)
{
	return (!removal->group || !strcmp(removal->group, def->group)) &&
	       (!removal->event || !strcmp(removal->event, def->event)) &&
	       listing_matches(removal, def);
}

static void add_removal(struct set *s, const struct probe_def *def)
{
	const struct probe_def **more = arena_array(&s->arena, const struct probe_def *, s->nr_removals + 1);

	if (s->nr_removals)
		memcpy(more, s->removals, s->nr_removals * sizeof(*more));
	more[s->nr_removals++] = def;
	s->removals = more;
}

bool definitions_remove(struct set *s, const struct probe_def *removal)
{
	unsigned nr = s->nr_probes, kept = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!removes(removal, s->probes[i].def))
			s->probes[kept++] = s->probes[i];
	}
	s->nr_probes = kept;
	return kept < nr;
}

/* The kernel does not compare the fields (6.12, kernel/trace/trace_events_synth.c, synth_event_match()). */
static bool removes_synthetic(const struct probe_def *removal, const struct synthetic_def *def)
{
	return (!removal->group || !strcmp(removal->group, SYNTHETIC_GROUP)) && (!removal->event || !strcmp(removal->event, def->name));
}

static bool remove_synthetics(struct set *s, const struct probe_def *removal)
{
	unsigned nr = s->nr_synthetics, kept = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!removes_synthetic(removal, s->synthetics[i]))
			s->synthetics[kept++] = s->synthetics[i];
	}
	s->nr_synthetics = kept;
	return kept < nr;
}

static int take_removal(struct set *s, const struct probe_def *def, struct diag *diag)
{
	int err;

	if (definitions_remove(s, def) | remove_synthetics(s, def))
		return 0;
	if (!s->host->explains) {
		add_removal(s, def);		/* means probes of others; whether they exist is checked later */
		return 0;
	}
	err = diag_at(diag, -ENOENT, def->event_at.len ? def->event_at : def->head_at,
		      "no earlier definition of this run matches this");
	diag_note(diag, "help: 'bprobe -r NAME' removes kept probes and probes of another bprobe");
	return err;
}

/* ---- names, where a dialect has no names or other rules for them ---- */

static bool name_taken(const struct set *s, const struct probe_def *def, const char *event)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!strcmp(s->probes[i].def->event, event) && !strcmp(s->probes[i].def->group, def->group))
			return true;
	}
	return false;
}

bool definitions_is_named(const struct probe_def *def)
{
	return def->dialect == DIALECT_KPROBE || def->event_at.len;
}

void definitions_number(struct arena *arena, struct probe_def *def, unsigned n)
{
	if (!def->unnumbered)
		def->unnumbered = def->event;
	def->event = arena_printf(arena, "%.*s_%u", LANG_MAX_EVENT_NAME - 11, def->unnumbered, n);
}

/* If the user could not name the event, it is not meant to be shared. */
static void make_name_unique(struct set *s, struct probe_def *def)
{
	for (unsigned n = 2; name_taken(s, def, def->event); n++)
		definitions_number(&s->arena, def, n);
}

/*
 * A v13 definition replaces the earlier v13 definition that has its event's name. Returns the replaced one, or NULL. Under
 * the rules of other dialects all probes of the event are meant.
 */
static const struct probe_def *drop_replaced(struct set *s, const struct probe_def *def)
{
	const struct probe_def *replaced = NULL;
	unsigned kept = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *before = s->probes[i].def;

		if (before->dialect == DIALECT_V13 && !strcmp(before->event, def->event) &&
		    !strcmp(before->group, def->group))
			replaced = before;
		else
			s->probes[kept++] = s->probes[i];
	}
	s->nr_probes = kept;
	return replaced;
}

static void take_probe(struct set *s, struct probe_def *def)
{
	s->probes = arena_room(&s->arena, s->probes, s->nr_probes, &s->size_probes);
	s->probes[s->nr_probes++] = (struct probe){
		.def = def, .attached = ATTACHED_NONE, .saver = ATTACHED_NONE,
	};
}

/* Gives @def the filter of --filter. */
static int take_filter(struct set *s, const char *text, struct probe_def *def, struct diag *diag)
{
	const struct span all = { 0, (uint32_t)strlen(text) };

	if (!def || def->kind == DEF_REMOVE)
		return diag_set(diag, -EINVAL, "--filter wants a probe's definition before it");
	if (!def->filter)
		return filter_parse(&s->arena, text, all, &def->filter, diag);
	diag->text = def->text;
	return diag_at(diag, -EINVAL, def->filter->at, "the definition has this filter already, so --filter cannot give it one");
}

void definitions_add(struct set *s, struct probe_def *def)
{
	const struct probe_def *replaced = NULL;

	if (!definitions_is_named(def))
		make_name_unique(s, def);
	else if (def->dialect == DIALECT_V13)
		replaced = drop_replaced(s, def);
	take_probe(s, def);
	s->probes[s->nr_probes - 1].replaced = replaced;
}

/* ---- texts and files ---- */

/* Parses the triggers of --trigger. */
static int parse_triggers(struct set *s, const struct word *word, const struct trigger **ret, struct diag *diag)
{
	for (unsigned i = 0; word && i < word->nr_triggers; i++) {
		struct trigger *t;
		int err = trigger_parse(&s->arena, arena_strdup(&s->arena, word->triggers[i]), &t, diag);

		if (err)
			return err;
		t->order = s->nr_triggers++;
		*ret = t;
		ret = &t->next;
	}
	return 0;
}

/*
 * What @def needs for its triggers. The record of each hit has the stack, because whether stacktrace acts is known only when it is read.
 * -k shows it at all hits.
 */
static void serve_triggers(struct probe_def *def)
{
	bool acts = false, is_key = false;

	for (const struct trigger *t = def->triggers; t; t = t->next) {
		def->wants_context |= trigger_uses_field(t, "common_flags") || trigger_uses_field(t, "common_preempt_count");
		is_key |= trigger_uses_field(t, "common_stacktrace") || trigger_uses_field(t, "stacktrace");
		if (t->kind == TRIGGER_STACKTRACE)
			acts = !t->remove;
	}
	def->stacks &= ~def->trigger_stacks;
	def->trigger_stacks = acts || is_key ? 1u << STACK_KERNEL & ~def->stacks : 0;
	def->stacks |= def->trigger_stacks;
}

static int take_triggers(struct set *s, const struct word *word, struct probe_def *def, struct diag *diag)
{
	if (def->kind == DEF_REMOVE)
		return diag_set(diag, -EINVAL, "--trigger wants a probe's definition before it");
	if (parse_triggers(s, word, &def->triggers, diag))
		return diag->err;
	serve_triggers(def);
	return 0;
}

/* --count and the like are for all definitions. */
static int take_answer(struct set *s, struct probe_def *def, struct diag *diag)
{
	const char *text = answers_trigger(&s->arena, &s->opts->answers, def, s->nr_words > 1 || s->words[0].is_file);
	struct trigger *t;
	int err = trigger_parse(&s->arena, text, &t, diag);

	if (err)
		return err;
	t->hist->exact = true;
	def->triggers = t;
	serve_triggers(def);
	return 0;
}

/* Gives @def what options have said of it: the filter of --filter, and stacks. */
static int take_options(struct set *s, const struct word *word, struct probe_def *def, struct diag *diag)
{
	if (word->stacks && (!def || def->kind == DEF_REMOVE))
		return diag_set(diag, -EINVAL, "-k and -u want a probe's definition before them");
	if (word->stacks)
		def->stacks = word->stacks;
	/* Nobody records what programs map while kept probes record. */
	if (def && def->stacks & 1u << STACK_USER && s->host->stays)
		def->stacks ^= 1u << STACK_USER | 1u << STACK_USER_IDS;
	return word->filter ? take_filter(s, word->filter, def, diag) : 0;
}

/* ---- synthetic events ---- */

static int add_synthetic(struct set *s, struct synthetic_def *def, struct diag *diag)
{
	struct synthetic_def **more = arena_array(&s->arena, struct synthetic_def *, s->nr_synthetics + 1);

	for (unsigned i = 0; i < s->nr_synthetics; i++) {
		if (!strcmp(s->synthetics[i]->name, def->name)) {
			diag->text = def->text;
			return diag_at(diag, -EEXIST, def->name_at, "there is a synthetic event '%s' already", def->name);
		}
		more[i] = s->synthetics[i];
	}
	more[s->nr_synthetics++] = def;
	s->synthetics = more;
	return 0;
}

static int take_synthetic(struct set *s, const char *text, const struct word *word, struct diag *diag)
{
	struct synthetic_def *def;
	int err;

	text = arena_strdup(&s->arena, text);		/* a line of a file ends with the file */
	err = synthetic_parse(&s->arena, text, &def, diag);
	if (!err && s->host->stays && word && word->nr_triggers) {
		diag->text = text;
		diag_at(diag, -EOPNOTSUPP, def->name_at, "a kept synthetic event has no triggers");
		diag_note(diag, "help: only a running bprobe makes such events: give it the definition and the triggers together");
		err = -EOPNOTSUPP;
	}
	if (!err && word && word->filter)
		err = diag_set(diag, -EINVAL, "--filter is for probes, and '%s' has none; its triggers take 'if'", def->name);
	if (!err && word && word->stacks)
		err = diag_set(diag, -EINVAL, "-k and -u are for probes, and '%s' has none", def->name);
	if (!err)
		err = parse_triggers(s, word, &def->triggers, diag);
	return err ? err : add_synthetic(s, def, diag);
}

static bool has_synthetic(const struct set *s, const char *name)
{
	for (unsigned i = 0; i < s->nr_synthetics; i++) {
		if (!strcmp(s->synthetics[i]->name, name))
			return true;
	}
	return false;
}

/* Adds the kept synthetic events that these triggers make and that no definition of this run describes. */
static int add_kept_synthetics(struct set *s, const struct trigger *t, struct diag *diag)
{
	for (; t; t = t->next) {
		for (unsigned i = 0; t->hist && i < t->hist->nr_actions; i++) {
			const char *name = t->hist->actions[i].synthetic, *text;
			struct synthetic_def *def;

			text = name && !has_synthetic(s, name) && s->host->find_synthetic ?
			       s->host->find_synthetic(s->host_ctx, &s->arena, name) : NULL;
			if (text && (synthetic_parse(&s->arena, text, &def, diag) || add_synthetic(s, def, diag)))
				return diag->err;
		}
	}
	return 0;
}

static int find_kept_synthetics(struct set *s, struct diag *diag)
{
	unsigned nr_typed = s->nr_synthetics;
	int err = 0;

	for (unsigned i = 0; !err && i < s->nr_probes; i++)
		err = add_kept_synthetics(s, s->probes[i].def->triggers, diag);
	for (unsigned i = 0; !err && i < nr_typed; i++)
		err = add_kept_synthetics(s, s->synthetics[i]->triggers, diag);
	return err;
}

/* ---- programs by their bare names ---- */

struct mapped {
	const char *name;
	bool found;
};

static void look_at_map(void *ctx, const struct user_map *m)
{
	struct mapped *mapped = ctx;
	const char *slash = strrchr(m->path, '/'), *file = slash ? slash + 1 : m->path;

	mapped->found = mapped->found || !strcmp(file, mapped->name) || library_begins(file, mapped->name);
}

/*
 * With -p, NAME:FUNCTION is a place in the program or library NAME if the process has mapped a file of this name. Else it is one in the
 * kernel's module NAME.
 */
static bool names_program(const struct set *s, const struct probe_def *def)
{
	const struct tasks_condition *pids = &s->opts->tasks.conditions[TASKS_PID][0];
	struct mapped mapped = { .name = def->place.module };

	if (def->kind == DEF_REMOVE || def->probe != PROBE_KPROBE || def->dialect != DIALECT_KPROBE || !mapped.name || !*mapped.name || !pids->nr)
		return false;
	maps_read(pids->numbers[0], look_at_map, &mapped);
	return mapped.found;
}

static int parse_definition(struct set *s, const char *text, struct probe_def **ret, struct diag *diag)
{
	int err = dialect_parse(&s->arena, text, s->opts->dialect, ret, diag);

	return !err && *ret && names_program(s, *ret) ? kprobe_parse_program(&s->arena, text, ret, diag) : err;
}

/* @word: the word of the command line that it is; NULL: it is a line of a file */
static int take_text(struct set *s, const char *text, const struct word *word, const struct origin *from,
		     struct diag *diag)
{
	bool synthetic = synthetic_is(text) && (s->opts->dialect == DIALECT_DETECT || s->opts->dialect == DIALECT_KPROBE);
	struct probe_def *def = NULL;
	int err = synthetic ? take_synthetic(s, text, word, diag) : parse_definition(s, text, &def, diag);

	if (!err && word && !synthetic)
		err = take_options(s, word, def, diag);
	if (!err && def && word && word->nr_triggers)
		err = take_triggers(s, word, def, diag);
	if (!err && def && def->kind != DEF_REMOVE && s->opts->answers.wanted)
		err = take_answer(s, def, diag);
	if (!err && def && def->kind == DEF_REMOVE) {
		diag->text = def->text;
		err = take_removal(s, def, diag);
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

/*
 * Many times the limit of a definition (LANG_MAX_LINE), and of all definitions of a machine. So a device or a pipe that
 * never ends is detected while it is read.
 */
enum { LONGEST_LINE = 64 << 10, LONGEST_FILE = 256 << 20 };

/* Checks the text after @done. *line and *line_len describe the incomplete last line. */
static int check_text(const struct buf *text, size_t done, unsigned *line, size_t *line_len, struct diag *diag)
{
	const char *at = text->data + done, *end = text->data + text->len;

	if (memchr(at, '\0', (size_t)(end - at)))
		return diag_set(diag, -EINVAL, "it has a NUL byte, so it is not text");
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		*line_len += (size_t)((newline ? newline : end) - at);
		if (*line_len > LONGEST_LINE)
			return diag_set(diag, -E2BIG, "line %u has more than %d bytes, so it is not a definition", *line,
					LONGEST_LINE);
		*line_len = newline ? 0 : *line_len;
		*line += newline != NULL;
		at = newline ? newline + 1 : end;
	}
	return text->len > LONGEST_FILE ? diag_set(diag, -E2BIG, "it has more than %d bytes", LONGEST_FILE) : 0;
}

static int read_text(int fd, struct buf *out, struct diag *diag)
{
	enum { CHUNK = 65536 };
	unsigned line = 1;
	size_t line_len = 0;
	int err = 0;

	while (!err) {
		ssize_t n = fd < 0 ? -1 : read(fd, buf_room(out, CHUNK), CHUNK);

		if (n < 0)
			return diag_set(diag, -errno, "%s", strerror(errno));
		if (!n)
			break;
		out->len += (size_t)n;
		err = check_text(out, out->len - (size_t)n, &line, &line_len, diag);
	}
	buf_addc(out, '\0');
	return err;
}

int definitions_read_file(const char *path, struct buf *out, struct diag *diag)
{
	bool is_stdin = !strcmp(path, "-");
	auto_fd own = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	struct diag why = { 0 };
	int err = read_text(is_stdin ? STDIN_FILENO : own, out, &why);

	if (err)
		diag_set(diag, err, "cannot read %s: %s", is_stdin ? "standard input" : path, buf_str(&why.msg));
	diag_fini(&why);
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
	static const struct origin command_line = { 0 };

	for (unsigned i = 0; i < s->nr_words; i++) {
		const struct word *word = &s->words[i];
		int err = word->is_file ? take_file(s, word->text, diag)
					: take_text(s, word->text, word, &command_line, diag);

		if (err && !word->is_file) {
			note_quotes(s, i, diag);
			advise_count(s, i, diag);
		}
		if (err)
			return err;
	}
	if (!s->nr_probes && !s->nr_removals && !(s->host->stays && s->nr_synthetics))
		return diag_set(diag, -EINVAL, "no definition is left to trace");
	return find_kept_synthetics(s, diag);
}

/* ---- events with several probes ---- */

/* A probe and the part of its listing behind the head: the place and the arguments. */
struct entry {
	const struct probe *p;
	const char *text;
};

static int compare_events(const struct entry *x, const struct entry *y)
{
	int diff = strcmp(x->p->def->event, y->p->def->event);

	return diff ? diff : strcmp(x->p->def->group, y->p->def->group);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int diff = compare_events(x, y);

	if (!diff)
		diff = strcmp(x->text, y->text);
	return diff ? diff : x->p < y->p ? -1 : x->p > y->p;
}

/* The head holds MAXACTIVE, which the kernel does not compare either. */
static struct entry *sorted_entries(const struct set *s, struct arena *arena)
{
	struct entry *entries = arena_array(arena, struct entry, s->nr_probes);
	struct buf listing = { 0 };

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const char *place;

		buf_reset(&listing);
		def_print(s->probes[i].def, &listing);
		place = strchr(buf_str(&listing), ' ');
		entries[i] = (struct entry){ &s->probes[i], arena_strdup(arena, place ? place : "") };
	}
	buf_fini(&listing);
	qsort(entries, s->nr_probes, sizeof(*entries), compare_entries);
	return entries;
}

/* ---- their triggers ---- */

static int compare_probes(const void *a, const void *b)
{
	const struct probe *const *x = a, *const *y = b;
	int diff = strcmp((*x)->def->event, (*y)->def->event);

	if (!diff)
		diff = strcmp((*x)->def->group, (*y)->def->group);
	return diff ? diff : *x < *y ? -1 : *x > *y;
}

static int compare_triggers(const void *a, const void *b)
{
	const struct trigger *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* All triggers of these probes in the order in which they were typed. --count and the like have given each the same one. */
static const struct trigger *all_triggers(struct set *s, struct probe *const *probes, unsigned nr)
{
	struct trigger *all;
	unsigned nr_all = 0;

	for (unsigned i = 0; i < nr; i++) {
		for (const struct trigger *t = probes[i]->def->triggers; t; t = t->next)
			nr_all++;
	}
	if (!nr_all || s->opts->answers.wanted)
		return probes[0]->def->triggers;
	all = arena_array(&s->arena, struct trigger, nr_all);
	nr_all = 0;
	for (unsigned i = 0; i < nr; i++) {
		for (const struct trigger *t = probes[i]->def->triggers; t; t = t->next)
			all[nr_all++] = *t;
	}
	qsort(all, nr_all, sizeof(*all), compare_triggers);
	for (unsigned i = 0; i < nr_all; i++)
		all[i].next = i + 1 < nr_all ? &all[i + 1] : NULL;
	return all;
}

void definitions_share_triggers(struct set *s)
{
	struct probe **probes = arena_array(&s->arena, struct probe *, s->nr_probes);
	bool any = false;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		probes[i] = &s->probes[i];
		any |= s->probes[i].def->triggers != NULL;
	}
	if (!any)
		return;
	qsort(probes, s->nr_probes, sizeof(struct probe *), compare_probes);
	for (unsigned i = 0, nr; i < s->nr_probes; i += nr) {
		const struct trigger *shared;

		nr = 1;
		while (i + nr < s->nr_probes && !strcmp(probes[i]->def->event, probes[i + nr]->def->event) &&
		       !strcmp(probes[i]->def->group, probes[i + nr]->def->group))
			nr++;
		if (nr == 1)
			continue;
		shared = all_triggers(s, probes + i, nr);
		for (unsigned k = 0; k < nr; k++) {
			probes[i + k]->def->triggers = shared;
			serve_triggers(probes[i + k]->def);
		}
	}
}

/* ---- checks ---- */

/*
 * Checks @e against the previous entry of its event; if any entry has the same text, it is this one. Also checks @e against
 * the event's first resolved probe: waiting probes have no types.
 */
static int check_entry(const struct entry *before, const struct probe *resolved,
		       const struct entry *e, struct diag *diag)
{
	const struct probe *first = resolved && resolved < e->p ? resolved : e->p;
	const struct probe *later = first == e->p && resolved ? resolved : e->p;
	int err = 0;

	diag->text = later->def->text;
	diag->file = later->from.file;
	diag->line = later->from.line;
	if (resolved && e->p->plan)
		err = join_check(&first->plan->layout, later->plan, diag);
	/* Two probes of one pattern have the same text. */
	if (!err && !probe_follows(e->p) && !strcmp(before->text, e->text))
		err = diag_at(diag, -EEXIST, e->p->def->head_at, "the same probe is defined already");
	if (err)
		diag_note(diag, "help: give this probe another event name: %s:NAME ...",
			  later->def->kind == DEF_RETURN ? "r" : "p");
	else
		diag->text = diag->file = NULL;
	return err;
}

int definitions_check_events(const struct set *s, struct diag *diag)
{
	struct arena arena = { 0 };
	struct entry *entries = sorted_entries(s, &arena);
	const struct probe *resolved = NULL;
	int err = 0;

	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		if (!i || compare_events(&entries[i - 1], &entries[i]))
			resolved = NULL;
		else
			err = check_entry(&entries[i - 1], resolved, &entries[i], diag);
		if (!resolved && entries[i].p->plan)
			resolved = entries[i].p;
	}
	arena_fini(&arena);
	return err;
}
