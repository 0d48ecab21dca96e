// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions_program.c - lists the functions and the USDT markers of a program or a library.
 *
 * Names in definitions are the file's own, so those of C++ and Rust are mangled: each means one function. The readable name is in the comment.
 */
#include "cli/functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"
#include "elf/library.h"
#include "elf/markers.h"
#include "elf/program.h"
#include "trace/trace.h"

/* The parts of a word. */
struct wanted {
	const char *path;		/* as typed: lines repeat it */
	const char *provider;		/* of markers; NULL: functions are meant */
	const char *glob;		/* of functions' or markers' names */
};

/* As in definitions (set/definitions.c): with -p a bare name is a program if the process has it, else a module of the kernel. */
static bool process_has(const struct function_list *l, const char *word, size_t len)
{
	return l->pid && len && library_is_mapped(l->pid, arena_strndup(l->arena, word, len));
}

bool functions_is_program(const struct function_list *l, const char *word)
{
	const char *colon = strchr(word, ':'), *so = strstr(word, ".so"), *slash = strchr(word, '/');

	if (!colon)
		return slash;
	return (slash && slash < colon) || (so && so < colon) ||
	       process_has(l, word, (size_t)(colon - word));
}

/* The single ':' behind a marker's provider; "::" belongs to names of C++ and Rust. */
static const char *find_colon(const char *at)
{
	while ((at = strchr(at, ':')) && at[1] == ':')
		at += 2;
	return at;
}

static struct wanted split(struct arena *arena, const char *word)
{
	size_t len = strcspn(word, ":");
	struct wanted w = { .path = arena_strndup(arena, word, len), .glob = word[len] ? word + len + 1 : "" };
	const char *colon = find_colon(w.glob);

	if (colon) {
		w.provider = arena_strndup(arena, w.glob, (size_t)(colon - w.glob));
		w.glob = colon + 1;
	}
	if (!*w.glob)
		w.glob = "*";
	return w;
}

/* ---- functions ---- */

struct program_list {
	struct function_list *l;
	const struct wanted *wanted;
	struct program *program;
	const struct program_function *all;
	bool *shared;			/* for each: another one of them has the same name */
	size_t nr, nr_probed, nr_not;
};

static bool matches_function(void *ctx, const char *name)
{
	const struct wanted *w = ctx;

	return !fnmatch(w->glob, name, 0);
}

static int compare_names(const void *a, const void *b)
{
	const struct program_function *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Static functions of several source files can have the same name. Then the name means none of them. */
static void find_shared(struct program_list *p)
{
	const struct program_function **by_name = arena_array(p->l->arena, const struct program_function *, p->nr);

	p->shared = arena_array(p->l->arena, bool, p->nr);
	for (size_t i = 0; i < p->nr; i++)
		by_name[i] = &p->all[i];
	if (p->nr)
		qsort(by_name, p->nr, sizeof(*by_name), compare_names);
	for (size_t i = 1; i < p->nr; i++) {
		if (!strcmp(by_name[i]->name, by_name[i - 1]->name))
			p->shared[by_name[i] - p->all] = p->shared[by_name[i - 1] - p->all] = true;
	}
}

/* Why it cannot be probed, until @why is used again; NULL: it can. */
static const char *refusal(struct program_list *p, const struct program_function *f, struct diag *why)
{
	const char *doubt;

	diag_fini(why);
	if (f->is_ifunc)
		return "it only chooses, when a program starts, which code its calls run (IFUNC)";
	return program_boundary(p->program, f->off, &doubt, why) ? buf_str(&why->msg) : NULL;
}

/* The name that people read; "": it is the one in the file. */
static const char *readable(struct arena *arena, const char *name)
{
	struct buf text = { 0 };
	const char *copy = "";

	if (demangle_may(name) && demangle(name, &text))
		copy = arena_strdup(arena, buf_str(&text));
	buf_fini(&text);
	return copy;
}

static void add_facts(struct buf *out, const struct program_function *f)
{
	buf_addf(out, "  # 0x%" PRIx64, f->off);
	if (f->size)
		buf_addf(out, ", %" PRIu64 " byte%s", f->size, f->size == 1 ? "" : "s");
}

/* The event's name: of C++ and Rust functions without parameters, of several with one name with the offset. */
static void add_event(struct buf *out, const struct program_function *f, bool shared)
{
	struct buf event = { 0 };

	if (!demangle_may(f->name) || !demangle_short(f->name, &event))
		buf_adds(&event, f->name);
	if (shared)
		buf_addf(&event, "_%" PRIx64, f->off);
	functions_add_event(out, 'p', buf_str(&event));
	buf_fini(&event);
}

static void print_function(struct program_list *p, const struct program_function *f, bool shared)
{
	const char *name = readable(p->l->arena, f->name);
	struct buf *out = &p->l->line;

	buf_reset(out);
	add_event(out, f, shared);
	if (shared)
		buf_addf(out, " %s:0x%" PRIx64, p->wanted->path, f->off);
	else
		buf_addf(out, " %s:%s", p->wanted->path, f->name);
	add_facts(out, f);
	if (*name || shared)
		buf_addf(out, ": %s%s", *name ? name : f->name, shared ? ", a name that several have" : "");
	puts(buf_str(out));
}

/* As a comment, so that what is listed can be traced as it is. */
static void print_refused(struct program_list *p, const struct program_function *f, const char *why)
{
	const char *name = readable(p->l->arena, f->name);
	struct buf *out = &p->l->line;

	buf_reset(out);
	buf_addf(out, "# %s:%s", p->wanted->path, *name ? name : f->name);
	add_facts(out, f);
	buf_addf(out, ": %s", why);
	puts(buf_str(out));
}

static void print_functions(struct program_list *p)
{
	struct diag why = { 0 };

	find_shared(p);
	for (size_t i = 0; i < p->nr; i++) {
		const char *reason = refusal(p, &p->all[i], &why);

		p->nr_not += !!reason;
		if (reason)
			print_refused(p, &p->all[i], reason);
		else
			print_function(p, &p->all[i], p->shared[i]);
	}
	diag_fini(&why);
}

static void print_summary(const struct program_list *p)
{
	bool whole;

	fflush(stdout);
	program_functions(p->program, &whole);
	functions_print_number(p->nr - p->nr_not, "function");
	fprintf(stderr, " of %s can be probed", p->program->shown);
	if (p->nr_not)
		fprintf(stderr, "; %zu cannot", p->nr_not);
	fputc('\n', stderr);
	if (!whole)
		fputs("bprobe: the file has only the names that it exports: it is stripped, and there is no debug file for it\n", stderr);
}

static int no_function(struct program_list *p, struct diag *diag)
{
	const char *similar[PROGRAM_SIMILAR];
	bool whole = false, pattern = strpbrk(p->wanted->glob, "*?[");
	size_t nr = program_functions(p->program, &whole), found = 0;

	diag_set(diag, -ENOENT, nr ? "no function of %s matches '%s'" : "%s has no names of functions, so none matches '%s'", p->program->shown,
		 p->wanted->glob);
	if (!pattern)
		found = program_similar(p->program, p->l->arena, p->wanted->glob, similar);
	for (size_t i = 0; i < found; i++)
		diag_note(diag, "%s %s", i ? "     " : "help:", similar[i]);
	if (!found)
		diag_note(diag, "help: a pattern can have * ? and [...] as in file names; names of C++ and Rust are matched without parameters");
	if (!whole)
		diag_note(diag, "      only names that it exports are known: it is stripped, and there is no debug file for it (build id %s)",
			  program_build_id(p->program) ? program_build_id(p->program) : "none");
	return EXIT_BAD_DEFINITION;
}

static int list_functions(struct program_list *p, struct diag *diag)
{
	struct wanted w = *p->wanted;

	p->nr = program_match(p->program, p->l->arena, matches_function, &w, &p->all);
	if (!p->nr)
		return no_function(p, diag);
	print_functions(p);
	print_summary(p);
	return 0;
}

/* ---- markers ---- */

static bool matches_marker(void *ctx, const char *provider, const char *name)
{
	const struct wanted *w = ctx;

	return !fnmatch(w->provider, provider, 0) && !fnmatch(w->glob, name, 0);
}

static bool same_marker(const struct marker *a, const struct marker *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

/* Why argument @n (from 0) of a marker cannot be fetched at one of its @nr places; NULL: it can at all of them. */
static const char *unfetchable(const struct marker *m, size_t nr, unsigned n)
{
	for (size_t i = 0; i < nr; i++) {
		if (n >= m[i].nr_args)
			return "not all of its places have it";
		if (m[i].args[n].unsupported)
			return m[i].args[n].unsupported;
	}
	return NULL;
}

static void add_marker_args(struct buf *out, const struct marker *m, size_t nr)
{
	for (unsigned i = 0; i < m->nr_args; i++) {
		if (!unfetchable(m, nr, i))
			buf_addf(out, " arg%u=$arg%u", i + 1, i + 1);
	}
}

static void add_marker_types(struct buf *out, const struct marker *m, size_t nr)
{
	for (unsigned i = 0; i < m->nr_args; i++) {
		const char *why = unfetchable(m, nr, i);

		buf_addf(out, "%sarg%u ", i ? ", " : "", i + 1);
		if (why)
			buf_addf(out, "(cannot be fetched: %s)", why);
		else
			buf_addf(out, "%c%u", m->args[i].is_signed ? 's' : 'u', m->args[i].size * 8);
	}
	if (!m->nr_args)
		buf_adds(out, "no arguments");
}

/* @nr places of one marker. Their arguments are the same, but are elsewhere at each. */
static void print_marker(struct program_list *p, const struct marker *m, size_t nr)
{
	struct buf *out = &p->l->line;
	const char *why = NULL;

	for (size_t i = 0; i < nr && !why; i++)
		why = m[i].refusal;
	buf_reset(out);
	if (why) {
		buf_adds(out, "#");
	} else {
		struct buf event = { 0 };

		buf_addf(&event, "%s_%s", m->provider, m->name);
		functions_add_event(out, 'p', buf_str(&event));
		buf_fini(&event);
	}
	buf_addf(out, " %s:%s:%s", p->wanted->path, m->provider, m->name);
	add_marker_args(out, m, nr);
	buf_adds(out, "  # ");
	add_marker_types(out, m, nr);
	if (nr > 1)
		buf_addf(out, ", at %zu places", nr);
	if (m->semaphore)
		buf_adds(out, ", with a counter");
	if (why)
		buf_addf(out, ": cannot be probed: %s", why);
	puts(buf_str(out));
	p->nr_probed += !why;
	p->nr_not += !!why;
}

static int no_marker(const struct program_list *p, struct diag *diag)
{
	struct wanted any = { .provider = "*", .glob = "*" };
	const struct marker *all;
	size_t nr = markers_match(p->program, p->l->arena, matches_marker, &any, &all);

	diag_set(diag, -ENOENT, "no marker of %s matches '%s:%s'", p->program->shown, p->wanted->provider, p->wanted->glob);
	if (nr)
		diag_note(diag, "help: --functions '%s:*:*' lists its markers", p->wanted->path);
	else
		diag_note(diag, "help: it has no markers (USDT); for functions: --functions '%s:GLOB'", p->wanted->path);
	return EXIT_BAD_DEFINITION;
}

static int list_markers(struct program_list *p, struct diag *diag)
{
	struct wanted w = *p->wanted;
	const struct marker *all;
	size_t nr = markers_match(p->program, p->l->arena, matches_marker, &w, &all), same;

	if (!nr)
		return no_marker(p, diag);
	for (size_t i = 0; i < nr; i += same) {
		for (same = 1; i + same < nr && same_marker(&all[i], &all[i + same]);)
			same++;
		print_marker(p, &all[i], same);
	}
	fflush(stdout);
	functions_print_number(p->nr_probed, "marker");
	fprintf(stderr, " of %s can be probed", p->program->shown);
	if (p->nr_not)
		fprintf(stderr, "; %zu cannot", p->nr_not);
	fputc('\n', stderr);
	return 0;
}

int functions_list_program(struct function_list *l, const char *word, struct diag *diag)
{
	struct wanted wanted = split(l->arena, word);
	struct program_list p = { .l = l, .wanted = &wanted };
	int status;

	/* What cannot be opened is a place that does not exist, as in a definition. */
	if (program_open(l->arena, wanted.path, l->pid, &p.program, diag))
		return EXIT_BAD_DEFINITION;
	status = wanted.provider ? list_markers(&p, diag) : list_functions(&p, diag);
	program_close(p.program);
	return status;
}
