// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines_expand.c - the places that a line or a function of the source stands for, and what is fetched there for C expressions.
 *
 * Each place becomes a definition without debug information, in the kernel's own language: --explain shows it, and it means the
 * same on another machine with the same kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "elf/dwarf/lines.h"
#include "elf/file.h"
#include "elf/program.h"
#include "kernel/syms/ksyms.h"
#include "lang/kprobe.h"
#include "plan/debug_files.h"
#include "plan/expand.h"
#include "plan/source_text.h"
#include "plan/user.h"

struct expansion {
	struct arena *arena;
	const struct probe_def *def;
	const struct facts *facts;
	struct program *program;	/* NULL: the kernel's code */
	int fd;				/* of the debug information */
	const char *name;
	struct elf_file *file;		/* the same, if it was opened here */
	struct lines_answer answer;
	const struct arg *failed;	/* the first argument that cannot be fetched at a place */
	const struct lines_place *failed_at;
	const char *trouble;
	const char *near;
	struct diag *diag;
};

static bool is_text(const struct type *type)
{
	return (type->kind == TYPE_STRING || type->kind == TYPE_USTRING) && !type->count;
}

/* ---- the question ---- */

/* The function of a program has one symbol: another function of its name is not meant. */
static bool has_symbol(struct expansion *x)
{
	const struct place *place = &x->def->place;
	const struct program_function *f;

	return x->program && place->symbol && !place->file && !place->has_line && !place->lines_like &&
	       program_find(x->program, x->arena, place->symbol, &f) == 1;
}

static int find_file(struct expansion *x)
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

static const struct expr *innermost(const struct expr *e)
{
	while (e->inner)
		e = e->inner;
	return e;
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
static const char *asked_for(struct expansion *x, const struct arg *arg)
{
	const struct expr *e = innermost(arg->expr);

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
	int err = lines_ask(x->arena, x->fd, x->name, q, ret, x->diag);

	if (err) {
		x->diag->at = place->at;
		return err;
	}
	if (!ret->trouble)
		return 0;
	err = diag_at(x->diag, -ENOENT, place->at, "%s", ret->trouble);
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

static int ask(struct expansion *x)
{
	const struct probe_def *def = x->def;
	struct lines_expr *exprs = arena_array(x->arena, struct lines_expr, def->nr_args);
	struct lines_query q = question(x);
	int err = def->place.lines_like ? take_pattern(x, &q) : 0;

	q.exprs = exprs;
	for (unsigned i = 0; i < def->nr_args; i++) {
		const char *text = asked_for(x, &def->args[i]);

		q.lists |= is_list(&def->args[i]);
		if (text)
			exprs[q.nr_exprs++] = (struct lines_expr){ text, def->args[i].expr->kind == EXPR_C && is_text(&def->args[i].type) };
	}
	if (!err)
		err = ask_query(x, &q, &x->answer);
	if (err || !q.lists)
		return err;
	err = take_lists(x);
	return err ? err : ask(x);
}

int lines_of_place(struct arena *arena, const struct probe_def *def, const struct facts *facts, enum lines_want want,
		   struct lines_answer *ret, struct diag *diag)
{
	struct expansion x = { .arena = arena, .def = def, .facts = facts, .diag = diag };
	struct lines_query q;
	int err = find_file(&x);

	if (err)
		return err;
	q = question(&x);
	if (def->place.lines_like)
		err = take_pattern(&x, &q);
	q.want = want;
	q.lists = q.describes = want == LINES_PLACES;
	return err ? err : ask_query(&x, &q, ret);
}

/* ---- the answer ---- */

/* The file with the debug information, which is also the one with the symbols. */
static struct elf_file *symbols_file(struct expansion *x)
{
	if (!x->file && elf_file_open(x->fd, &x->file))
		x->file = NULL;
	return x->file;
}

/* Do several functions of the kernel have the name? Without its symbols the file tells. */
static bool is_ambiguous(struct expansion *x, const char *symbol)
{
	const struct ksym *const *syms;
	uint64_t addr;
	bool several;

	if (x->facts->ks)
		return ksyms_find(x->facts->ks, symbol, NULL, &syms) > 1;
	return symbols_file(x) && elf_file_symbol(x->file, symbol, &addr, &several) && several;
}

/* A place in one of several functions of a name: the distance from the kernel's beginning, as perf probe writes it. */
static bool add_distance(struct expansion *x, const struct lines_place *p, struct buf *out)
{
	uint64_t text;
	bool several;

	if (!symbols_file(x) || !elf_file_symbol(x->file, "_text", &text, &several) || p->addr < text)
		return false;
	buf_addf(out, "_text+%llu", (unsigned long long)(p->addr - text));
	return true;
}

static bool add_place(struct expansion *x, const struct lines_place *p, struct buf *out)
{
	const struct place *place = &x->def->place;
	uint64_t off;

	if (x->program) {
		if (!elf_file_off(x->program->file, p->addr, &off))
			return false;
		buf_addf(out, "%s:0x%llx", place->path, (unsigned long long)off);
		return true;
	}
	if (!place->module && is_ambiguous(x, p->symbol))
		return add_distance(x, p, out);
	if (place->module)
		buf_addf(out, "%s:", place->module);
	buf_adds(out, p->symbol);
	if (p->off)
		buf_addf(out, "+%llu", (unsigned long long)p->off);
	return true;
}

static bool fails(struct expansion *x, const struct arg *arg, const struct lines_place *p, const char *trouble, const char *near)
{
	if (!x->failed) {
		x->failed = arg;
		x->failed_at = p;
		x->trouble = trouble;
		x->near = near;
	}
	return false;
}

/* @expr with @fetch in place of its innermost part. */
static void add_around(struct expansion *x, const struct expr *expr, const char *fetch, struct buf *out)
{
	struct expr *copy = arena_new(x->arena, struct expr), *e = copy;

	*copy = *expr;
	while (e->inner) {
		struct expr *inner = arena_new(x->arena, struct expr);

		*inner = *e->inner;
		e->inner = inner;
		e = inner;
	}
	*e = (struct expr){ .kind = EXPR_C, .name = fetch };
	expr_print(copy, out);
}

/* The value of one argument. False: it cannot be fetched at this place. */
static bool add_value(struct expansion *x, const struct arg *arg, const struct lines_value *v, const struct lines_place *p, struct buf *out)
{
	bool is_c = arg->expr->kind == EXPR_C;

	if (!v) {
		expr_print(arg->expr, out);
	} else if (!v->fetch) {
		return fails(x, arg, p, v->trouble, v->near);
	} else if (is_c && !*v->type && arg->type.kind == TYPE_NONE) {
		return fails(x, arg, p, "it is no number, so the type or a member must be said", NULL);
	} else if (is_c) {
		buf_adds(out, v->fetch);
	} else if (arg->expr->inner && *v->fetch == '\\') {
		return fails(x, arg, p, "it is an address that is a constant", NULL);
	} else {
		add_around(x, arg->expr, v->fetch, out);
	}
	if (arg->type.kind != TYPE_NONE) {
		buf_addc(out, ':');
		type_print(&arg->type, out);
	} else if (is_c || (v && !arg->expr->inner && *v->type)) {
		buf_addf(out, ":%s", v->type);
	}
	return true;
}

static bool add_args(struct expansion *x, const struct lines_place *p, struct buf *out)
{
	const struct lines_value *v = p->values;

	for (unsigned i = 0; i < x->def->nr_args; i++) {
		const struct arg *arg = &x->def->args[i];
		bool asked = asked_for(x, arg);

		buf_addc(out, ' ');
		if (!arg->name_provisional || asked)
			buf_addf(out, "%s=", arg->name);
		if (!add_value(x, arg, asked ? v : NULL, p, out))
			return false;
		v += asked;
	}
	return true;
}

/* --inline-chain: a text that is the same at each hit of the place. Blanks would end it. */
static void add_chain(struct expansion *x, const struct lines_place *p, struct buf *out)
{
	/* With \"":string around it, it is an argument. The innermost functions are the more telling ones. */
	const size_t room = LANG_MAX_ARG_TEXT - strlen("\\\"\":string"), len = strlen(p->chain);

	if (!x->facts->inline_chain)
		return;
	buf_addf(out, " inlined=\\\"%s", len > room ? "..." : "");
	for (const char *c = p->chain + (len > room ? len - room + 3 : 0); *c; c++)
		buf_addc(out, isalnum((unsigned char)*c) || strchr("_.$<>:~,*&()[]", *c) ? *c : '_');
	buf_adds(out, "\":string");
}

/* A variable of the kernel is fetched by its name: it must be the only one. */
static bool reads_one_symbol(struct expansion *x, const struct probe_def *one)
{
	const struct ksym *const *syms;

	for (unsigned i = 0; !x->program && x->facts->ks && i < one->nr_args; i++) {
		const struct expr *e = innermost(one->args[i].expr);

		if (e->kind == EXPR_MEMSYM && i < x->def->nr_args && x->def->args[i].expr->kind == EXPR_C &&
		    ksyms_find(x->facts->ks, e->name, NULL, &syms) > 1)
			return fails(x, &x->def->args[i], &x->answer.places[0], "several variables of the kernel have this name", NULL);
	}
	return true;
}

void lines_copy_options(const struct probe_def *from, struct probe_def *to)
{
	to->unnumbered = from->unnumbered;
	to->stacks = from->stacks;
	to->trigger_stacks = from->trigger_stacks;
	to->triggers = from->triggers;
	to->wants_context = from->wants_context;
	to->pair = from->pair;
	to->ends_pair = from->ends_pair;
}

/* NULL without an error: this place cannot have all arguments. */
static int make_definition(struct expansion *x, const struct lines_place *p, struct probe_def **ret)
{
	const struct probe_def *def = x->def;
	struct buf text = { 0 };
	struct probe_def *one = NULL;
	const char *copy;
	int err = 0;

	buf_addc(&text, def->kind == DEF_RETURN ? 'r' : 'p');
	if (def->maxactive)
		buf_addf(&text, "%u", def->maxactive);
	buf_addf(&text, ":%s/%s ", def->group, def->event);
	if (!add_place(x, p, &text) || !add_args(x, p, &text)) {
		buf_fini(&text);
		*ret = NULL;
		return 0;
	}
	add_chain(x, p, &text);
	def_print_filter(def, &text);
	copy = arena_strdup(x->arena, buf_str(&text));
	buf_fini(&text);
	err = x->program ? kprobe_parse_program(x->arena, copy, &one, x->diag) : kprobe_parse(x->arena, copy, &one, x->diag);
	if (err)
		return err;
	if (!reads_one_symbol(x, one)) {
		*ret = NULL;
		return 0;
	}
	lines_copy_options(def, one);
	*ret = one;
	return 0;
}

static int refuse_argument(struct expansion *x)
{
	if (!x->failed)
		return diag_at(x->diag, -ENOENT, x->def->place.at, "none of its places in %s is in code that can be probed", x->name);
	diag_at(x->diag, -EINVAL, x->failed->expr->at, "'%s' cannot be fetched at %s+%llu: %s", asked_for(x, x->failed),
		x->failed_at->symbol, (unsigned long long)x->failed_at->off, x->trouble);
	if (x->near)
		diag_note(x->diag, "help: it can be fetched at %s", x->near);
	return -EINVAL;
}

int lines_expand(struct arena *arena, const struct probe_def *def, const struct facts *facts, struct probe_def *const **ret,
		 unsigned *ret_nr, unsigned *ret_left_out, struct diag *diag)
{
	struct expansion x = { .arena = arena, .def = def, .facts = facts, .diag = diag };
	struct probe_def **all;
	unsigned nr = 0;
	int err = find_file(&x);

	if (!err)
		err = ask(&x);
	if (err)
		return err;
	all = arena_array(arena, struct probe_def *, x.answer.nr);
	for (unsigned i = 0; !err && i < x.answer.nr; i++) {
		err = make_definition(&x, &x.answer.places[i], &all[nr]);
		nr += !err && all[nr];
	}
	if (!err && !nr)
		err = refuse_argument(&x);
	elf_file_close(x.file);
	*ret = all;
	*ret_nr = nr;
	*ret_left_out = x.answer.nr - nr;
	return err;
}
