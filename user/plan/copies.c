// SPDX-License-Identifier: GPL-2.0-only
/*
 * copies.c - the copies of a function that the compiler made.
 *
 * BTF does not tell the parameters of a copy. pahole (1.25 and newer) lists a function of which there are only copies, if no parameter
 * is in an unexpected register. But a parameter at the end that the copy does not get any more is listed, too, and its register has any
 * value. Only debug information says what a copy gets: then the definition is one of the source (lines_function.c).
 */
#include "plan/copies.h"

#include <errno.h>
#include <string.h>

#include "kernel/btf/kbtf.h"
#include "kernel/ksyscall.h"
#include "kernel/syms/ksyms.h"
#include "lang/parse.h"

static const struct {
	const char *word;
	enum copy_kind kind;
} suffixes[] = {
	{ "llvm", COPY_RENAMED }, { "constprop", COPY_CONSTPROP }, { "isra", COPY_ISRA }, { "part", COPY_PART }, { "cold", COPY_COLD },
};

static enum copy_kind kind_of_word(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (strlen(suffixes[i].word) == len && !memcmp(suffixes[i].word, word, len))
			return suffixes[i].kind;
	}
	return COPY_NONE;
}

enum copy_kind copy_kind_of(const char *symbol, const char *name)
{
	size_t len = strlen(name);
	enum copy_kind ret = COPY_NONE;

	if (!len || strncmp(symbol, name, len) || symbol[len] != '.')
		return COPY_NONE;
	for (const char *at = symbol + len; *at;) {
		size_t word = strcspn(++at, ".");
		enum copy_kind kind = kind_of_word(at, word);

		if (kind == COPY_NONE && (!word || strspn(at, "0123456789") < word))
			return COPY_NONE;		/* another kind of name: foo.slowpath */
		ret = MAX(ret, kind);
		at += word;
	}
	return ret;
}

const char *copy_says(struct arena *arena, enum copy_kind kind, const char *name)
{
	switch (kind) {
	case COPY_RENAMED:
		return arena_printf(arena, "%s with another name", name);
	case COPY_CONSTPROP:
		return arena_printf(arena, "a copy of %s for some of its callers, which may have other parameters", name);
	case COPY_ISRA:
		return arena_printf(arena, "a copy of %s, which may have other parameters, and return nothing", name);
	case COPY_PART:
		return arena_printf(arena, "a part of %s, which the rest of it calls", name);
	default:
		return arena_printf(arena, "a part of %s, which it jumps to, and no function", name);
	}
}

/* ---- what the definition asks for ---- */

/* May the value differ from copy to copy? Registers and the stack have the parameters. */
static bool is_dependent(void *ctx, const struct expr *e)
{
	(void)ctx;
	switch (e->kind) {
	case EXPR_RETVAL:
	case EXPR_ELAPSED:
	case EXPR_COMM:
	case EXPR_TASK:
	case EXPR_MEM:
	case EXPR_MEMSYM:
	case EXPR_IMM:
	case EXPR_IMMSTR:
	case EXPR_DEREF:
	case EXPR_FIELD:
	case EXPR_CAST:
	case EXPR_SUM:
	case EXPR_PERCPU:
		return false;
	default:
		return true;
	}
}

static bool asks_for(const struct probe_def *def, bool retval)
{
	const struct arg *arg;

	for (unsigned i = 0; (arg = def_value(def, i)); i++) {
		if (retval ? expr_has(arg->expr, EXPR_RETVAL) : expr_any(arg->expr, is_dependent, NULL))
			return true;
	}
	return false;
}

/* Why @def does not stand for this copy; NULL: it does. */
static const char *trouble(struct arena *arena, const struct probe_def *def, enum copy_kind kind, bool no_value)
{
	if (kind < COPY_PART && no_value)
		return arena_printf(arena, "a copy of %s, which returns nothing (void), so it has no $retval", def->place.symbol);
	if (kind == COPY_RENAMED)
		return NULL;
	if (kind < COPY_PART && !asks_for(def, false) && !(kind == COPY_ISRA && asks_for(def, true)))
		return NULL;
	return copy_says(arena, kind, def->place.symbol);
}

/* ---- the symbols ---- */

static bool names_function(const struct probe_def *def)
{
	const struct place *place = &def->place;

	return (def->probe == PROBE_KPROBE || def->probe == PROBE_FPROBE) && def->kind != DEF_REMOVE && place->symbol && !place->pattern &&
	       !place->in_source && !place->addr && !place->off && !place->before && !strchr(place->symbol, '.') &&
	       !ksyscall_bare_name(place->symbol);
}

/* Is $retval asked for, and does the function return nothing? */
static bool returns_nothing(const struct probe_def *def, const struct facts *facts)
{
	struct kbtf_func func;
	struct kbtf_type type = { 0 };

	if (!asks_for(def, true) || !facts->btf || kbtf_find_func(facts->btf, def->place.symbol, def->place.module, &func))
		return false;
	kbtf_describe(func.ret, &type);
	return type.kind == KBTF_VOID;
}

struct search {
	struct arena *arena;
	const struct probe_def *def;
	struct copies *found;
	unsigned size;
	bool no_value;			/* $retval is asked for, and the function returns nothing */
};

/* Several functions may have copies with the same name: then the name alone means none of them, and says so. */
static bool is_known(const struct copies *c, const char *name)
{
	for (unsigned i = 0; i < c->nr; i++) {
		if (!strcmp(c->all[i].name, name))
			return true;
	}
	return false;
}

static void look_at(struct search *s, const struct ksym *sym)
{
	enum copy_kind kind = ksym_is_function(sym) ? copy_kind_of(sym->name, s->def->place.symbol) : COPY_NONE;

	if (kind == COPY_NONE || is_known(s->found, sym->name))
		return;
	s->found->all = arena_grow(s->arena, s->found->all, s->found->nr, &s->size);
	s->found->all[s->found->nr++] = (struct copy){ .name = arena_strdup(s->arena, sym->name), .kind = kind,
						       .why_not = trouble(s->arena, s->def, kind, s->no_value) };
}

/* The kernel's own: where names are sorted, only those that begin so are looked at. */
static void search_kernel(struct search *s, const struct ksyms *ks)
{
	const char *prefix = arena_printf(s->arena, "%s.", s->def->place.symbol);
	struct buf numbers = { 0 };

	if (ksyms_find_begins(ks, &prefix, 1, &numbers)) {
		const size_t *at = (const size_t *)(const void *)numbers.data;

		for (size_t i = 0; i < numbers.len / sizeof(*at); i++)
			look_at(s, ksyms_at(ks, at[i]));
	} else {
		for (size_t i = 0; i < ksyms_own_count(ks); i++)
			look_at(s, ksyms_at(ks, i));
	}
	buf_fini(&numbers);
}

static void search_modules(struct search *s, const struct ksyms *ks, const char *module)
{
	for (size_t i = 0; i < ksyms_count(ks); i++) {
		const struct ksym *sym = ksyms_at(ks, i);

		if (sym->module && (!module || !strcmp(sym->module, module)))
			look_at(s, sym);
	}
}

/* Parts that a function jumps to say nothing about the function: nearly each has one. */
static void drop_cold(struct copies *c)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < c->nr; i++) {
		if (c->all[i].kind != COPY_COLD)
			c->all[nr++] = c->all[i];
	}
	if (nr || c->has_own)
		c->nr = nr;
}

void copies_find(struct arena *arena, const struct probe_def *def, const struct facts *facts, struct copies *ret)
{
	struct copies c = { 0 };
	struct search s = { .arena = arena, .def = def, .found = &c };
	const struct place *place = &def->place;
	const struct ksym *const *syms;
	size_t n;

	*ret = c;
	if (!facts->ks || !names_function(def))
		return;
	s.no_value = returns_nothing(def, facts);
	n = ksyms_find(facts->ks, place->symbol, place->is_vmlinux ? "vmlinux" : place->module, &syms);
	for (size_t i = 0; i < n; i++)
		c.has_own |= ksym_is_function(syms[i]);
	if (n > 1 || (n && !c.has_own))	/* there is no telling whose the copies are, or they are of no function */
		return;
	if (place->module || (n && syms[0]->module))
		search_modules(&s, facts->ks, n ? syms[0]->module : place->module);
	else
		search_kernel(&s, facts->ks);
	if (!c.nr && !n && !place->module && !place->is_vmlinux)
		search_modules(&s, facts->ks, NULL);
	drop_cold(&c);
	for (unsigned i = 0; i < c.nr; i++)
		c.nr_taken += !c.all[i].why_not;
	*ret = c;
}

/* ---- the definitions ---- */

/* The type of what NAME returns, where none was typed: BTF does not have it of a copy, and all of an event have the same types. */
static void take_type(const struct kbtf_func *func, struct arg *arg)
{
	struct kbtf_type type;

	if (arg->expr->kind != EXPR_RETVAL || arg->type.kind != TYPE_NONE)
		return;
	kbtf_describe(func->ret, &type);
	if (type.kind == KBTF_INT && type.size <= 8)
		arg->type = (struct type){ .kind = type.is_signed ? TYPE_SIGNED : TYPE_UNSIGNED, .size = (uint8_t)type.size };
	else if (type.kind == KBTF_ENUM)
		arg->type = (struct type){ .kind = TYPE_SIGNED, .size = (uint8_t)type.size };
}

static struct probe_def *copy_def(struct arena *arena, const struct probe_def *def, const char *name, const struct facts *facts)
{
	struct probe_def *one = arena_new(arena, struct probe_def);
	struct kbtf_func func;

	*one = *def;
	one->place.symbol = name;
	one->from_tree = true;
	if (!def->nr_args || !facts->btf || kbtf_find_func(facts->btf, def->place.symbol, def->place.module, &func))
		return one;
	one->args = arena_array(arena, struct arg, def->nr_args);
	memcpy(one->args, def->args, def->nr_args * sizeof(*def->args));
	for (unsigned i = 0; i < def->nr_args; i++)
		take_type(&func, &one->args[i]);
	return one;
}

int copies_expand(struct arena *arena, const struct probe_def *def, const struct facts *facts, struct expanded *ret, struct diag *diag)
{
	struct probe_def **defs;
	struct copies c;
	unsigned nr = 0;

	(void)diag;
	copies_find(arena, def, facts, &c);
	defs = arena_array(arena, struct probe_def *, c.nr + 1);
	if (c.has_own)
		defs[nr++] = copy_def(arena, def, def->place.symbol, facts);
	for (unsigned i = 0; i < c.nr; i++) {
		if (!c.all[i].why_not)
			defs[nr++] = copy_def(arena, def, c.all[i].name, facts);
	}
	*ret = (struct expanded){ .defs = defs, .nr = nr, .left_out = c.nr - c.nr_taken, .why_left_out = copies_left_out(arena, &c) };
	return 0;
}

const char *copies_left_out(struct arena *arena, const struct copies *c)
{
	struct buf text = { 0 };
	const char *ret;

	for (enum copy_kind kind = COPY_RENAMED; kind <= COPY_COLD; kind++) {
		const char *why = NULL;

		for (unsigned i = 0; i < c->nr; i++) {
			if (c->all[i].kind != kind || !c->all[i].why_not)
				continue;
			buf_addf(&text, "%s%s", why ? ", " : text.len ? "; " : "", c->all[i].name);
			why = c->all[i].why_not;
		}
		if (why)
			buf_addf(&text, ": %s", why);
	}
	ret = text.len ? arena_strdup(arena, buf_str(&text)) : NULL;
	buf_fini(&text);
	return ret;
}
