// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines_expand.c - the places that a line or a function of the source stands for, and what is fetched there for C expressions.
 *
 * Each place becomes a definition without debug information, in the kernel's own language: --explain shows it, and it means the
 * same on another machine with the same kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "elf/program.h"
#include "kernel/syms/ksyms.h"
#include "lang/kprobe.h"
#include "plan/expand.h"
#include "plan/lines_question.h"

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

static bool fails(struct expansion *x, const struct arg *arg, const struct lines_place *p, const char *trouble, const struct lines_value *v)
{
	if (!x->failed) {
		x->failed = arg;
		x->failed_at = p;
		x->trouble = trouble;
		x->near = v ? v->near : NULL;
		x->similar = v ? v->similar : NULL;
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

/* What is known of @arg at this place; NULL: it was not asked for. */
static const struct lines_value *value_of(struct expansion *x, const struct lines_place *p, const struct arg *arg)
{
	const struct lines_value *v = p->values;
	const struct arg *other;

	for (unsigned i = 0; (other = def_value(x->def, i)); i++) {
		bool asked = lines_asked_for(x, other);

		if (other == arg)
			return asked ? v : NULL;
		v += asked;
	}
	return NULL;
}

static bool add_value(struct expansion *x, const struct arg *arg, const struct lines_value *v, const struct lines_place *p, struct buf *out);

/* ":TYPE", with what stands for its length. */
static bool add_type(struct expansion *x, const struct arg *arg, const struct lines_place *p, struct buf *out)
{
	const struct arg *length = arg->type.length;
	struct type bare = arg->type;
	bool ok;

	buf_addc(out, ':');
	if (!length || length->name_at.len) {
		type_print(&arg->type, out);
		return true;
	}
	bare.length = NULL;
	type_print(&bare, out);
	buf_addc(out, '(');
	ok = add_value(x, length, value_of(x, p, length), p, out);
	buf_addc(out, ')');
	return ok;
}

/* The value of one argument, or of a length. False: it cannot be fetched at this place. */
static bool add_value(struct expansion *x, const struct arg *arg, const struct lines_value *v, const struct lines_place *p, struct buf *out)
{
	bool is_c = arg->expr->kind == EXPR_C;

	if (!v) {
		expr_print(arg->expr, out);
	} else if (!v->fetch) {
		return fails(x, arg, p, v->trouble, v);
	} else if (is_c && !*v->type && arg->type.kind == TYPE_NONE) {
		return fails(x, arg, p, "it is no number, so the type or a member must be said", NULL);
	} else if (is_c) {
		buf_adds(out, v->fetch);
	} else if (arg->expr->inner && *v->fetch == '\\') {
		return fails(x, arg, p, "it is an address that is a constant", NULL);
	} else {
		add_around(x, arg->expr, v->fetch, out);
	}
	if (arg->type.kind != TYPE_NONE)
		return add_type(x, arg, p, out);
	if (is_c || (v && !arg->expr->inner && *v->type))
		buf_addf(out, ":%s", v->type);
	return true;
}

static bool add_args(struct expansion *x, const struct lines_place *p, struct buf *out)
{
	for (unsigned i = 0; i < x->def->nr_args; i++) {
		const struct arg *arg = &x->def->args[i];

		buf_addc(out, ' ');
		if (!arg->name_provisional || lines_asked_for(x, arg))
			buf_addf(out, "%s=", arg->name);
		if (!add_value(x, arg, value_of(x, p, arg), p, out))
			return false;
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

static bool is_shared(void *ctx, const struct expr *e)
{
	const struct ksym *const *syms;

	return e->kind == EXPR_MEMSYM && ksyms_find(ctx, e->name, NULL, &syms) > 1;
}

/* A variable of the kernel is fetched by its name: it must be the only one. */
static bool reads_one_symbol(struct expansion *x, const struct probe_def *one)
{
	for (unsigned i = 0; !x->program && x->facts->ks && i < one->nr_args; i++) {
		if (i < x->def->nr_args && x->def->args[i].expr->kind == EXPR_C && expr_any(one->args[i].expr, is_shared, (void *)(uintptr_t)x->facts->ks))
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
	diag_at(x->diag, -EINVAL, x->failed->expr->at, "'%s' cannot be fetched at %s+%llu: %s", lines_asked_for(x, x->failed),
		x->failed_at->symbol, (unsigned long long)x->failed_at->off, x->trouble);
	if (x->similar)
		diag_note(x->diag, "help: did you mean %s?", x->similar);
	if (x->near)
		diag_note(x->diag, "help: it can be fetched at %s", x->near);
	return -EINVAL;
}

static const char *why_left_out(struct expansion *x)
{
	return x->failed ? arena_printf(x->arena, "'%s' cannot be fetched: %s", lines_asked_for(x, x->failed), x->trouble) : NULL;
}

static int by_copy(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Places of one copy of the function: one pass of it may go through several of them. Sorts the copies. */
static unsigned nr_repeated(uint64_t *copies, unsigned nr)
{
	unsigned ret = 0;

	if (nr)
		qsort(copies, nr, sizeof(*copies), by_copy);
	for (unsigned i = 0; i < nr; i++)
		ret += copies[i] && ((i && copies[i - 1] == copies[i]) || (i + 1 < nr && copies[i + 1] == copies[i]));
	return ret;
}

int lines_expand(struct arena *arena, const struct probe_def *def, const struct facts *facts, struct expanded *ret, struct diag *diag)
{
	struct expansion x = { .arena = arena, .def = def, .facts = facts, .diag = diag };
	struct probe_def **all;
	uint64_t *copies;
	unsigned nr = 0;
	int err = lines_find_file(&x);

	if (!err)
		err = lines_ask_places(&x);
	if (err)
		return err;
	all = arena_array(arena, struct probe_def *, x.answer.nr);
	copies = arena_array(arena, uint64_t, x.answer.nr);
	for (unsigned i = 0; !err && i < x.answer.nr; i++) {
		err = make_definition(&x, &x.answer.places[i], &all[nr]);
		copies[nr] = x.answer.places[i].copy;
		nr += !err && all[nr];
	}
	if (!err && !nr)
		err = refuse_argument(&x);
	elf_file_close(x.file);
	*ret = (struct expanded){ .defs = all, .nr = nr, .left_out = x.answer.nr - nr, .why_left_out = why_left_out(&x),
				  .nr_repeated = nr_repeated(copies, nr), .files = x.answer.files, .nr_files = x.answer.nr_files };
	return err;
}
