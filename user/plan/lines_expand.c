// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines_expand.c - the places that a line or a function of the source stands for, and what is fetched there for C expressions.
 *
 * Each place becomes a definition without debug information, in the kernel's own language: --explain shows it, and it means the
 * same on another machine with the same kernel.
 */
#include <errno.h>
#include <string.h>

#include "elf/dwarf/lines.h"
#include "elf/file.h"
#include "elf/program.h"
#include "kernel/syms/ksyms.h"
#include "lang/kprobe.h"
#include "plan/debug_files.h"
#include "plan/expand.h"
#include "plan/user.h"

struct expansion {
	struct arena *arena;
	const struct probe_def *def;
	const struct facts *facts;
	struct program *program;	/* NULL: the kernel's code */
	int fd;				/* of the debug information */
	const char *name;
	struct lines_answer answer;
	const struct arg *failed;	/* the first argument that cannot be fetched at a place */
	const struct lines_place *failed_at;
	const char *trouble;
	struct diag *diag;
};

static bool is_text(const struct type *type)
{
	return (type->kind == TYPE_STRING || type->kind == TYPE_USTRING) && !type->count;
}

/* ---- the question ---- */

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

static bool is_list(const struct arg *arg)
{
	return arg->expr->kind == EXPR_C && *arg->expr->name == '$' && !arg->name_at.len && arg->type.kind == TYPE_NONE;
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

static int ask(struct expansion *x)
{
	const struct probe_def *def = x->def;
	struct lines_expr *exprs = arena_array(x->arena, struct lines_expr, def->nr_args);
	struct lines_query q = { .file = def->place.file, .function = def->place.symbol, .has_line = def->place.has_line,
				 .line = def->place.line, .off = def->place.off, .no_inline = x->facts->no_inline, .is_return = def->kind == DEF_RETURN,
				 .exprs = exprs };
	int err;

	if (x->program)
		q.segments = elf_file_segments(x->program->file, &q.nr_segments);
	for (unsigned i = 0; i < def->nr_args; i++) {
		q.lists |= is_list(&def->args[i]);
		if (def->args[i].expr->kind == EXPR_C && !is_list(&def->args[i]))
			exprs[q.nr_exprs++] = (struct lines_expr){ def->args[i].expr->name, is_text(&def->args[i].type) };
	}
	err = lines_ask(x->arena, x->fd, x->name, &q, &x->answer, x->diag);
	if (err) {
		x->diag->at = def->place.at;
		return err;
	}
	if (!x->answer.trouble && q.lists) {
		err = take_lists(x);
		return err ? err : ask(x);
	}
	if (!x->answer.trouble)
		return 0;
	err = diag_at(x->diag, -ENOENT, def->place.at, "%s", x->answer.trouble);
	if (x->answer.help)
		diag_note(x->diag, "help: %s", x->answer.help);
	return err;
}

/* ---- the answer ---- */

/* Several functions of the kernel have this name. This place is in the one at its own distance from the kernel's beginning. */
static bool add_address(struct expansion *x, const struct lines_place *p, struct buf *out)
{
	uint64_t start = ksyms_address(x->facts->ks, "_text"), text;
	struct elf_file *file;
	bool several, found;

	if (!start || elf_file_open(x->fd, &file))
		return false;
	found = elf_file_symbol(file, "_text", &text, &several);
	elf_file_close(file);
	if (found)
		buf_addf(out, "0x%llx", (unsigned long long)(p->addr - text + start));
	return found;
}

static bool add_place(struct expansion *x, const struct lines_place *p, struct buf *out)
{
	const struct place *place = &x->def->place;
	const struct ksym *const *syms;
	uint64_t off;

	if (x->program) {
		if (!elf_file_off(x->program->file, p->addr, &off))
			return false;
		buf_addf(out, "%s:0x%llx", place->path, (unsigned long long)off);
		return true;
	}
	if (x->facts->ks && !place->module && ksyms_find(x->facts->ks, p->symbol, NULL, &syms) > 1)
		return add_address(x, p, out);
	if (place->module)
		buf_addf(out, "%s:", place->module);
	buf_adds(out, p->symbol);
	if (p->off)
		buf_addf(out, "+%llu", (unsigned long long)p->off);
	return true;
}

static bool fails(struct expansion *x, const struct arg *arg, const struct lines_place *p, const char *trouble)
{
	if (!x->failed) {
		x->failed = arg;
		x->failed_at = p;
		x->trouble = trouble;
	}
	return false;
}

/* False: it cannot be fetched at this place. */
static bool add_args(struct expansion *x, const struct lines_place *p, struct buf *out)
{
	const struct lines_value *v = p->values;

	for (unsigned i = 0; i < x->def->nr_args; i++) {
		const struct arg *arg = &x->def->args[i];
		bool is_c = arg->expr->kind == EXPR_C;

		buf_addc(out, ' ');
		if (!arg->name_provisional)
			buf_addf(out, "%s=", arg->name);
		if (!is_c) {
			expr_print(arg->expr, out);
		} else if (!v->fetch) {
			return fails(x, arg, p, v->trouble);
		} else if (!*v->type && arg->type.kind == TYPE_NONE) {
			return fails(x, arg, p, "it is no number, so the type or a member must be said");
		} else {
			buf_adds(out, v->fetch);
		}
		if (arg->type.kind != TYPE_NONE) {
			buf_addc(out, ':');
			type_print(&arg->type, out);
		} else if (is_c) {
			buf_addf(out, ":%s", v->type);
		}
		v += is_c;
	}
	return true;
}

/* A variable of the kernel is fetched by its name: it must be the only one. */
static bool reads_one_symbol(struct expansion *x, const struct probe_def *one)
{
	const struct ksym *const *syms;

	for (unsigned i = 0; !x->program && x->facts->ks && i < one->nr_args; i++) {
		const struct expr *e = one->args[i].expr;

		while (e->inner)
			e = e->inner;
		if (e->kind == EXPR_MEMSYM && i < x->def->nr_args && x->def->args[i].expr->kind == EXPR_C &&
		    ksyms_find(x->facts->ks, e->name, NULL, &syms) > 1)
			return fails(x, &x->def->args[i], &x->answer.places[0], "several variables of the kernel have this name");
	}
	return true;
}

/* What the text of a definition does not say. */
static void copy_options(const struct probe_def *from, struct probe_def *to)
{
	to->unnumbered = from->unnumbered;
	to->stacks = from->stacks;
	to->trigger_stacks = from->trigger_stacks;
	to->triggers = from->triggers;
	to->wants_context = from->wants_context;
	to->pair = from->pair;
	to->ends_pair = from->ends_pair;
}

static bool has_symbol(struct arena *arena, const struct probe_def *def, const struct facts *facts)
{
	const struct ksym *const *syms;
	const struct program_function *f;
	struct program *program;
	struct diag ignored = { 0 };
	bool has;

	if (def->probe != PROBE_UPROBE)
		return !facts->ks || ksyms_find(facts->ks, def->place.symbol, def->place.module, &syms);
	has = user_program(def, facts, &program, &ignored) || program_find(program, arena, def->place.symbol, &f);
	diag_fini(&ignored);
	return has;
}

struct probe_def *lines_of_function(struct arena *arena, const struct probe_def *def, const struct facts *facts)
{
	const struct place *place = &def->place;
	bool is_program = def->probe == PROBE_UPROBE;
	struct probe_def *ret = NULL;
	struct diag ignored = { 0 };

	if ((def->probe != PROBE_KPROBE && !is_program) || def->dialect != DIALECT_KPROBE || !place->symbol || place->in_source ||
	    place->pattern || place->provider || place->before || def->pair || def->from_tree || has_symbol(arena, def, facts))
		return NULL;
	if (kprobe_parse_source(arena, def->text, is_program, &ret, &ignored))
		ret = NULL;
	diag_fini(&ignored);
	if (!ret)
		return NULL;
	ret->group = def->group;
	ret->event = def->event;
	ret->filter = def->filter;		/* it need not be in the text */
	ret->place.guessed = true;
	copy_options(def, ret);
	return ret;
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
	copy_options(def, one);
	*ret = one;
	return 0;
}

static int refuse_argument(struct expansion *x)
{
	if (!x->failed)
		return diag_at(x->diag, -ENOENT, x->def->place.at, "none of its places in %s is in code that can be probed", x->name);
	return diag_at(x->diag, -EINVAL, x->failed->expr->at, "'%s' cannot be fetched at %s+%llu: %s", x->failed->expr->name,
		       x->failed_at->symbol, (unsigned long long)x->failed_at->off, x->trouble);
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
	*ret = all;
	*ret_nr = nr;
	*ret_left_out = x.answer.nr - nr;
	return err;
}
