// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines_function.c - definitions of functions that need debug information, although they name no line and no file: of functions that
 * are inlined somewhere, or everywhere.
 *
 * A probe at a function's symbol does not see the calls of its inlined copies. Where debug information is at hand, the definition
 * stands for them, too. Without it, nothing is read, and the definition means the symbol, as in the kernel.
 */
#include <errno.h>
#include <string.h>

#include "elf/dwarf/lines.h"
#include "elf/program.h"
#include "kernel/syms/ksyms.h"
#include "lang/kprobe.h"
#include "plan/debug_files.h"
#include "plan/expand.h"
#include "plan/user.h"

/* Has the definition one function, by its name alone? */
static bool is_plain(const struct probe_def *def)
{
	const struct place *place = &def->place;

	return (def->probe == PROBE_KPROBE || def->probe == PROBE_UPROBE) && def->dialect == DIALECT_KPROBE && place->symbol &&
	       !place->in_source && !place->pattern && !place->provider && !def->pair && !def->from_tree;
}

/* The same text, read as one of the source. NULL: it is none. */
static struct probe_def *as_source(struct arena *arena, const struct probe_def *def)
{
	struct probe_def *ret = NULL;
	struct diag ignored = { 0 };

	if (kprobe_parse_source(arena, def->text, def->probe == PROBE_UPROBE, &ret, &ignored))
		ret = NULL;
	diag_fini(&ignored);
	if (!ret)
		return NULL;
	ret->group = def->group;
	ret->event = def->event;
	ret->filter = def->filter;		/* it need not be in the text */
	ret->place.guessed = true;
	lines_copy_options(def, ret);
	return ret;
}

/* ---- functions without a symbol, or without names of parameters in BTF ---- */

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

static bool names_parameter(const struct probe_def *def)
{
	const struct arg *arg;

	for (unsigned i = 0; (arg = def_value(def, i)); i++) {
		if (expr_has(arg->expr, EXPR_VAR))
			return true;
	}
	return false;
}

struct probe_def *lines_of_function(struct arena *arena, const struct probe_def *def, const struct facts *facts)
{
	struct probe_def *ret;
	bool is_symbol;

	if (!is_plain(def) || def->place.before)
		return NULL;
	is_symbol = has_symbol(arena, def, facts);
	if (is_symbol && (def->probe != PROBE_KPROBE || def->kind != DEF_ENTRY || def->place.off || facts->attach || !names_parameter(def)))
		return NULL;
	ret = as_source(arena, def);
	if (ret)
		ret->place.is_symbol = is_symbol;
	return ret;
}

/* ---- functions that have inlined copies beside their symbol ---- */

/* A register or a word of the stack has a parameter only at the function's own entry. */
static bool is_portable(const struct arg *arg)
{
	const struct expr *e = expr_innermost(arg->expr);

	switch (e->kind) {
	case EXPR_REG:
	case EXPR_STACK:
	case EXPR_STACKN:
	case EXPR_INDEXED:
		return false;
	default:
		return true;
	}
}

/* Why the definition cannot stand for inlined copies; NULL: it can. */
static const char *trouble_of(const struct probe_def *def)
{
	const struct arg *arg;

	if (def->kind == DEF_RETURN)
		return "an inlined copy has no return";
	for (unsigned i = 0; (arg = def_value(def, i)); i++) {
		if (!is_portable(arg))
			return "a register or a word of the stack is an argument only at the function's own entry; use the argument's name";
	}
	return NULL;
}

/* The kernel's symbol of a definition whose function may have inlined copies; NULL: none. */
static const struct ksym *symbol_of(const struct probe_def *def, const struct facts *facts)
{
	const struct place *place = &def->place;
	const struct ksym *const *syms;

	if (!is_plain(def) || def->probe != PROBE_KPROBE || def->kind == DEF_REMOVE || place->off)
		return NULL;
	return ksyms_find(facts->ks, place->symbol, place->module, &syms) == 1 ? syms[0] : NULL;
}

static bool same_module(const struct ksym *a, const struct ksym *b)
{
	return a->module && b->module ? !strcmp(a->module, b->module) : a->module == b->module;
}

/* Asks once for all definitions whose symbols are in the same module as that of @first. */
static void ask_module(struct arena *arena, struct probe_def *const *defs, const struct ksym **syms, unsigned nr, unsigned first,
		       const struct facts *facts, struct inlined *ret)
{
	const struct ksym *one = syms[first];
	struct lines_query q = { .want = LINES_INLINED };
	const char **names = arena_array(arena, const char *, nr);
	unsigned *at = arena_array(arena, unsigned, nr);
	struct lines_answer a = { 0 };
	struct diag ignored = { 0 };
	const char *name;
	int fd;

	for (unsigned i = first; i < nr; i++) {
		if (!syms[i] || !same_module(syms[i], one))
			continue;
		names[q.nr_functions] = defs[i]->place.symbol;
		at[q.nr_functions++] = i;
	}
	q.functions = names;
	if (!debug_files_kernel(facts->debug_files, one->module, true, &fd, &name, &ignored) &&
	    !lines_ask(arena, fd, name, &q, 1, &a, &ignored)) {
		for (unsigned n = 0; n < q.nr_functions; n++) {
			struct inlined *i = &ret[at[n]];

			if (!a.inlined[n])
				continue;
			i->why_not = trouble_of(defs[at[n]]);
			i->def = i->why_not ? NULL : as_source(arena, defs[at[n]]);
			if (!i->why_not && !i->def)
				i->why_not = "an argument has C inside of +OFFSET(...)";
			if (!i->def)
				continue;
			i->def->place.is_symbol = true;
			i->def->place.module = one->module ? arena_strdup(arena, one->module) : NULL;
		}
	}
	/* It is no error that there is none; but a file that was named must be right. */
	for (unsigned n = 0; n < q.nr_functions; n++) {
		if (ignored.err && !one->module && debug_files_vmlinux(facts->debug_files))
			ret[at[n]].why_not = arena_strdup(arena, buf_str(&ignored.msg));
		syms[at[n]] = NULL;
	}
	diag_fini(&ignored);
}

struct inlined *lines_of_inlined(struct arena *arena, struct probe_def *const *defs, unsigned nr, const struct facts *facts)
{
	struct inlined *ret = arena_array(arena, struct inlined, nr);
	const struct ksym **syms = arena_array(arena, const struct ksym *, nr);

	if (!lines_is_known || !facts->debug_files || !facts->ks || facts->no_inline || facts->attach)
		return ret;
	for (unsigned i = 0; i < nr; i++)
		syms[i] = symbol_of(defs[i], facts);
	for (unsigned i = 0; i < nr; i++) {
		if (syms[i])
			ask_module(arena, defs, syms, nr, i, facts, ret);
	}
	return ret;
}
