// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines_question.c - what is asked of debug information for a definition of the source.
 */
#include "plan/lines_question.h"

#include <errno.h>
#include <string.h>

#include "elf/file.h"
#include "elf/program.h"
#include "plan/asked.h"
#include "plan/debug_files.h"
#include "plan/source_text.h"
#include "plan/user.h"

static bool is_text(const struct type *type)
{
	return (type->kind == TYPE_STRING || type->kind == TYPE_USTRING || type->kind == TYPE_BUFFER) && !type->count;
}

/* The function of a program has one symbol: another function of its name is not meant. */
static bool has_symbol(struct expansion *x)
{
	const struct place *place = &x->def->place;
	const struct program_function *f;

	return x->program && place->symbol && !place->file && !place->has_line && !place->lines_like &&
	       program_find(x->program, x->arena, place->symbol, &f) == 1;
}

int lines_find_file(struct expansion *x)
{
	const struct place *place = &x->def->place;
	int err;

	if (!lines_is_known)
		return diag_at(x->diag, -EOPNOTSUPP, place->at, "this bprobe was built without libdw, which reads debug information");
	if (x->def->probe == PROBE_UPROBE) {
		err = user_program(x->def, x->facts, &x->program, x->diag);
		if (err)
			return err;
		x->fd = program_debug_fd(x->program, place->guessed);
		x->name = x->program->shown;
		return 0;
	}
	if (!x->facts->debug_files)
		return diag_at(x->diag, -ENOENT, place->at, "'%s' needs debug information, and none is known here",
			       place->symbol ? place->symbol : place->file);
	err = debug_files_kernel(x->facts->debug_files, place->module, place->guessed, &x->fd, &x->name, x->diag);
	if (err)
		x->diag->at = place->at;
	return err;
}

/* $vars, $params, $arg* */
static bool is_list(const struct arg *arg)
{
	if (arg->expr->kind == EXPR_ARGS)
		return true;
	return arg->expr->kind == EXPR_C && *arg->expr->name == '$' && !arg->name_at.len && arg->type.kind == TYPE_NONE;
}

/*
 * What debug information is asked for @arg; NULL: nothing. A parameter by its number is at the entry of its function in a known
 * register, but where the function is inlined only debug information knows its place.
 */
const char *lines_asked_for(struct expansion *x, const struct arg *arg)
{
	const struct expr *e = expr_innermost(arg->expr);

	if (is_list(arg))
		return NULL;
	if (arg->expr->kind == EXPR_C)
		return arg->expr->name;
	return e->kind == EXPR_ARG && !x->def->place.has_line ? arena_printf(x->arena, "$arg%u", e->n) : NULL;
}

/* Is the variable there at all places? Then each place can have this field. */
static bool is_everywhere(const struct lines_answer *a, const char *name)
{
	for (unsigned i = 0; i < a->nr; i++) {
		const struct lines_place *p = &a->places[i];
		unsigned n = 0;

		while (n < p->nr_variables && strcmp(p->variables[n].name, name))
			n++;
		if (n == p->nr_variables)
			return false;
	}
	return true;
}

static bool is_typed(const struct probe_def *def, const char *name)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		if (!is_list(&def->args[i]) && !strcmp(def->args[i].name, name))
			return true;
	}
	return false;
}

static struct arg variable_arg(struct expansion *x, const struct arg *list, const char *name)
{
	struct expr *e = arena_new(x->arena, struct expr);

	*e = (struct expr){ .kind = EXPR_C, .at = list->expr->at, .name = name, .name_at = list->expr->at };
	return (struct arg){ .name = name, .expr = e, .at = list->at, .body_at = list->body_at };
}

static bool has_arg(const struct arg *args, unsigned nr, const char *name)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!strcmp(args[i].name, name))
			return true;
	}
	return false;
}

/* Puts the names of the variables in place of $vars and $params. */
static int take_lists(struct expansion *x)
{
	const struct probe_def *def = x->def;
	struct probe_def *named = arena_new(x->arena, struct probe_def);
	const struct lines_place *first = x->answer.nr ? &x->answer.places[0] : NULL;
	unsigned nr = 0, most = def->nr_args * (1 + (first ? first->nr_variables : 0));

	*named = *def;
	named->args = arena_array(x->arena, struct arg, most);
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];
		bool all = !strcmp(arg->expr->kind == EXPR_C ? arg->expr->name : "", "$vars");

		if (!is_list(arg)) {
			named->args[nr++] = *arg;
			continue;
		}
		for (unsigned n = 0; first && n < first->nr_variables; n++) {
			const struct lines_variable *v = &first->variables[n];

			if ((all || v->is_parameter) && is_everywhere(&x->answer, v->name) && !is_typed(def, v->name) &&
			    strlen(v->name) <= LANG_MAX_ARG_NAME && !has_arg(named->args, nr, v->name))
				named->args[nr++] = variable_arg(x, arg, v->name);
		}
	}
	named->nr_args = nr;
	if (nr > LANG_MAX_ARGS)
		return diag_at(x->diag, -E2BIG, def->place.at, "%u variables: a definition can have at most %d", nr, LANG_MAX_ARGS);
	x->def = named;
	return 0;
}

/* What the place of the definition means, without what is wanted there. */
static struct lines_query question(struct expansion *x)
{
	const struct place *place = &x->def->place;
	struct lines_query q = { .file = place->file, .function = place->symbol, .has_line = place->has_line, .line = place->line,
				 .off = place->off, .no_inline = x->facts->no_inline, .is_return = x->def->kind == DEF_RETURN,
				 .is_symbol = place->is_symbol || has_symbol(x) };

	if (x->program) {
		q.segments = elf_file_segments(x->program->file, &q.nr_segments);
		q.program_fd = x->program->fd;
	}
	return q;
}

static int ask_query(struct expansion *x, const struct lines_query *q, struct lines_answer *ret)
{
	const struct place *place = &x->def->place;
	int err = asked_ask(x->facts->asked, x->arena, x->fd, x->name, q, ret, x->diag);

	if (err == -EAGAIN)
		return err;
	if (err) {
		x->diag->at = place->at;
		return err;
	}
	if (!ret->trouble)
		return 0;
	err = diag_at(x->diag, ret->is_known ? -ENXIO : -ENOENT, place->at, "%s", ret->trouble);
	if (ret->help)
		diag_note(x->diag, "help: %s", ret->help);
	return err;
}

/* Finds the lines whose text matches the pattern. */
static int take_pattern(struct expansion *x, struct lines_query *q)
{
	const struct place *place = &x->def->place;
	struct lines_query all = *q;
	struct lines_answer a = { 0 };
	struct source_text text;
	unsigned *numbers, nr = 0;
	int err;

	all.want = LINES_WITH_CODE;
	err = ask_query(x, &all, &a);
	if (err)
		return err;
	err = source_text_read(x->arena, a.path, x->facts->source, &text);
	if (err) {
		diag_at(x->diag, err, place->like_at, "cannot read %s, whose text the pattern is for: %s", text.path, strerror(-err));
		diag_note(x->diag, "help: name the directory of the sources: --source DIR");
		return err;
	}
	numbers = arena_array(x->arena, unsigned, a.nr_lines);
	for (unsigned i = 0; i < a.nr_lines; i++) {
		unsigned line = a.lines[i];

		if (line && line <= text.nr && source_text_matches(x->arena, text.lines[line - 1], place->lines_like))
			numbers[nr++] = line;
	}
	if (!nr) {
		diag_at(x->diag, -ENOENT, place->like_at, "no line with code matches '%s' in %s", place->lines_like, text.path);
		diag_note(x->diag, "help: the pattern is for all of the line, without its blanks; * stands for any text");
		return -ENOENT;
	}
	q->numbers = numbers;
	q->nr_numbers = nr;
	return 0;
}

int lines_ask_places(struct expansion *x)
{
	const struct probe_def *def = x->def;
	struct lines_expr *exprs = arena_array(x->arena, struct lines_expr, 2 * def->nr_args);
	const struct arg *arg;
	struct lines_query q = question(x);
	int err = def->place.lines_like ? take_pattern(x, &q) : 0;

	q.exprs = exprs;
	for (unsigned i = 0; (arg = def_value(def, i)); i++) {
		const char *text = lines_asked_for(x, arg);

		q.lists |= is_list(arg);
		if (text)
			exprs[q.nr_exprs++] = (struct lines_expr){ text, arg->expr->kind == EXPR_C && is_text(&arg->type) };
	}
	if (!err)
		err = ask_query(x, &q, &x->answer);
	if (err || !q.lists)
		return err;
	err = take_lists(x);
	return err ? err : lines_ask_places(x);
}

int lines_of_place(struct arena *arena, const struct probe_def *def, const struct facts *facts, enum lines_want want,
		   struct lines_answer *ret, struct diag *diag)
{
	struct expansion x = { .arena = arena, .def = def, .facts = facts, .diag = diag };
	struct lines_query q;
	int err = lines_find_file(&x);

	if (err)
		return err;
	q = question(&x);
	if (def->place.lines_like)
		err = take_pattern(&x, &q);
	q.want = want;
	q.lists = q.describes = want == LINES_PLACES;
	return err ? err : ask_query(&x, &q, ret);
}

void lines_prepare(struct arena *arena, struct probe_def *const *defs, unsigned nr, const struct facts *facts)
{
	bool *done = arena_array(arena, bool, nr);

	if (!facts->asked || !lines_is_known)
		return;
	do {
		asked_collect(facts->asked);
		for (unsigned i = 0; i < nr; i++) {
			struct diag ignored = { 0 };
			struct expansion x = { .arena = arena, .def = defs[i], .facts = facts, .diag = &ignored };

			/* What is an error is one again when the definition is expanded. */
			done[i] = done[i] || lines_find_file(&x) || lines_ask_places(&x) != -EAGAIN;
			diag_fini(&ignored);
		}
	} while (asked_answer(facts->asked));
}
