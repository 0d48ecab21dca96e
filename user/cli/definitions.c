// SPDX-License-Identifier: GPL-2.0-only
/*
 * definitions.c - the definitions of a run.
 */
#include "cli/definitions.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lang/dialect.h"
#include "lang/filter.h"

/* Where a definition stands, for errors. */
struct origin {
	const char *file;
	unsigned line;
};

/* ---- '-:' lines ---- */

/* The words of @text, split at spaces: returns the @n-th (from 0), NULL behind the last. */
static const char *nth_word(const char *text, unsigned n, size_t *ret_len)
{
	for (;; n--) {
		text += strspn(text, " ");
		*ret_len = strcspn(text, " ");
		if (!*ret_len)
			return NULL;
		if (!n)
			return text;
		text += *ret_len;
	}
}

/* The words behind a '-:' name must begin the listing of the probe that is meant. */
static bool listing_matches(const struct probe_def *removal, const struct probe_def *def)
{
	struct buf listing = { 0 };
	bool same = true;

	def_print(def, &listing);
	for (unsigned i = 0; same && i < removal->nr_matches; i++) {
		size_t len;
		const char *word = nth_word(buf_str(&listing), i + 1, &len);
		const char *want = removal->matches[i].text;

		same = word && strlen(want) == len && !memcmp(word, want, len);
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

static void add_removal(struct session *s, const struct probe_def *def)
{
	const struct probe_def **more = arena_array(&s->arena, const struct probe_def *, s->nr_removals + 1);

	if (s->nr_removals)
		memcpy(more, s->removals, s->nr_removals * sizeof(*more));
	more[s->nr_removals++] = def;
	s->removals = more;
}

bool definitions_remove(struct session *s, const struct probe_def *removal)
{
	unsigned nr = s->nr_probes, kept = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!removes(removal, s->probes[i].def))
			s->probes[kept++] = s->probes[i];
	}
	s->nr_probes = kept;
	return kept < nr;
}

static int take_removal(struct session *s, const struct probe_def *def, struct diag *diag)
{
	int err;

	if (definitions_remove(s, def))
		return 0;
	if (s->opts->verb != VERB_EXPLAIN && !def->nr_matches) {
		add_removal(s, def);		/* of what others have; whether they have it is asked later */
		return 0;
	}
	err = diag_at(diag, -ENOENT, def->event_at.len ? def->event_at : def->head_at,
		      "no earlier definition of this run is meant by this");
	diag_note(diag, "help: 'bprobe -r NAME' removes kept probes, and those of another bprobe");
	return err;
}

/* ---- names, where a dialect has none or other rules for them ---- */

static bool name_taken(const struct session *s, const struct probe_def *def, const char *event)
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

/* Where no event could be named, none is meant to be shared. */
static void make_name_unique(struct session *s, struct probe_def *def)
{
	for (unsigned n = 2; name_taken(s, def, def->event); n++)
		definitions_number(&s->arena, def, n);
}

/*
 * In v13 a definition takes the place of the one of v13 that has its event's name: returns that, or NULL. Another
 * dialect's rules have it that all of an event's probes are meant.
 */
static const struct probe_def *drop_replaced(struct session *s, const struct probe_def *def)
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

static void take_probe(struct session *s, struct probe_def *def)
{
	if (s->nr_probes == s->size_probes) {
		unsigned size = s->size_probes ? s->size_probes * 2 : 16;
		struct probe *more = arena_array(&s->arena, struct probe, size);

		if (s->nr_probes)
			memcpy(more, s->probes, s->nr_probes * sizeof(*more));
		s->probes = more;
		s->size_probes = size;
	}
	s->probes[s->nr_probes++] = (struct probe){
		.def = def, .attached = ATTACHED_NONE, .saver = ATTACHED_NONE,
	};
}

/* What --filter says of @def. */
static int take_filter(struct session *s, const char *text, struct probe_def *def, struct diag *diag)
{
	const struct span all = { 0, (uint32_t)strlen(text) };

	if (!def || def->kind == DEF_REMOVE)
		return diag_set(diag, -EINVAL, "--filter wants a probe's definition in front of it");
	if (!def->filter)
		return filter_parse(&s->arena, text, all, &def->filter, diag);
	diag->text = def->text;
	return diag_at(diag, -EINVAL, def->filter->at, "the definition has this filter already, so --filter cannot give it one");
}

void definitions_add(struct session *s, struct probe_def *def)
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

/* @filter: what --filter says, or NULL */
static int take_text(struct session *s, const char *text, const char *filter, const struct origin *from,
		     struct diag *diag)
{
	struct probe_def *def = NULL;
	int err = dialect_parse(&s->arena, text, s->opts->dialect, &def, diag);

	if (!err && filter)
		err = take_filter(s, filter, def, diag);

	if (!err && def && def->kind == DEF_REMOVE) {
		diag->text = def->text;
		err = take_removal(s, def, diag);
	} else if (!err && def) {
		definitions_add(s, def);
		s->probes[s->nr_probes - 1].file = from->file;
		s->probes[s->nr_probes - 1].line = from->line;
	}
	if (err) {
		diag->file = from->file;
		diag->line = from->line;
	}
	return err;
}

int definitions_read_file(const char *path, struct buf *out, struct diag *diag)
{
	enum { CHUNK = 65536 };
	bool is_stdin = !strcmp(path, "-");
	auto_fd own = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	int fd = is_stdin ? STDIN_FILENO : own;
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, buf_room(out, CHUNK), CHUNK)) > 0)
		out->len += (size_t)n;
	if (n < 0)
		return diag_set(diag, -errno, "cannot read %s: %s", is_stdin ? "standard input" : path,
				strerror(errno));
	buf_addc(out, '\0');
	if (strlen(out->data) + 1 < out->len)
		return diag_set(diag, -EINVAL, "%s has a NUL byte: it is no text", is_stdin ? "standard input" : path);
	return 0;
}

static int take_file(struct session *s, const char *path, struct diag *diag)
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

int definitions_read(struct session *s, struct diag *diag)
{
	static const struct origin command_line = { 0 };

	for (unsigned i = 0; i < s->opts->nr_words; i++) {
		const struct word *word = &s->opts->words[i];
		int err = word->is_file ? take_file(s, word->text, diag)
					: take_text(s, word->text, word->filter, &command_line, diag);

		if (err)
			return err;
	}
	if (!s->nr_probes && !s->nr_removals)
		return diag_set(diag, -EINVAL, "no definition is left to trace");
	return 0;
}

/* ---- events with several probes ---- */

static bool same_field(const struct layout_field *a, const struct layout_field *b)
{
	/* A bit-field counts as the number that holds it, as in the kernel's listing of fields. */
	enum type_kind x = a->type.kind == TYPE_BITFIELD ? TYPE_UNSIGNED : a->type.kind;
	enum type_kind y = b->type.kind == TYPE_BITFIELD ? TYPE_UNSIGNED : b->type.kind;

	return x == y && a->type.size == b->type.size && a->type.count == b->type.count &&
	       !strcmp(a->name, b->name);
}

/* @p is the later one of the two: the error is its. */
static int compare_layouts(const struct probe *first, const struct probe *p, struct diag *diag)
{
	const struct probe_def *def = p->plan->def;
	const struct layout *a = &first->plan->layout, *b = &p->plan->layout;

	if (a->is_return != b->is_return)
		return diag_at(diag, -EEXIST, def->head_at, "event %s/%s has a probe of the other kind already: "
			       "p and r cannot share one", def->group, def->event);
	for (unsigned i = 0; i < a->nr_fields && i < b->nr_fields; i++) {
		if (!same_field(&a->fields[i], &b->fields[i]))
			return diag_at(diag, -EEXIST, def->args[i].at, "the other probe of event %s/%s has another "
				       "name or type here", def->group, def->event);
	}
	if (a->nr_fields != b->nr_fields)
		return diag_at(diag, -EEXIST, def->head_at, "the other probe of event %s/%s has %u arguments, "
			       "this one %u", def->group, def->event, a->nr_fields, b->nr_fields);
	return 0;
}

/* A probe and its listing behind the head: the place and the arguments. */
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

/* The kernel does not compare MAXACTIVE either, which is in the head. */
static struct entry *sorted_entries(const struct session *s, struct arena *arena)
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

/*
 * @e against the one before it in its event, which has the same text if any has,
 * and against the event's first one that is resolved: waiting ones have no types.
 */
static int check_entry(const struct entry *before, const struct probe *resolved,
		       const struct entry *e, struct diag *diag)
{
	const struct probe *first = resolved && resolved < e->p ? resolved : e->p;
	const struct probe *later = first == e->p && resolved ? resolved : e->p;
	int err = 0;

	diag->text = later->def->text;
	diag->file = later->file;
	diag->line = later->line;
	if (resolved && e->p->plan)
		err = compare_layouts(first, later, diag);
	if (!err && !strcmp(before->text, e->text))
		err = diag_at(diag, -EEXIST, e->p->def->head_at, "exactly this probe is defined already");
	if (err)
		diag_note(diag, "help: give this one an event of its own: %s:NAME ...",
			  later->def->kind == DEF_RETURN ? "r" : "p");
	else
		diag->text = diag->file = NULL;
	return err;
}

int definitions_check_events(const struct session *s, struct diag *diag)
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
