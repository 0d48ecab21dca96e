// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_expand.c - the functions of a program that a pattern, or a name that several have, means, and the places of its markers.
 *
 * A marker's place becomes an offset in the file, and its arguments become what the kernel's own language can fetch there.
 */
#include <errno.h>
#include <string.h>

#include "elf/markers.h"
#include "elf/program.h"
#include "plan/expand.h"
#include "plan/patterns.h"
#include "plan/user.h"

static struct probe_def *at_function(struct arena *arena, const struct probe_def *def, const char *name)
{
	struct probe_def *one = arena_new(arena, struct probe_def);

	*one = *def;
	one->place.symbol = arena_strdup(arena, name);
	one->place.pattern = one->place.quoted = false;
	one->from_tree = true;
	return one;
}

/* One of several functions that have the same name in the file, too. */
static struct probe_def *at_offset(struct arena *arena, const struct probe_def *def, uint64_t off)
{
	struct probe_def *one = at_function(arena, def, def->place.symbol);

	one->place.symbol = NULL;
	one->place.addr = off;
	return one;
}

/* Functions that choose code when a program starts are not what their names mean. */
static bool can_be_probed(const struct probe_def *def, const struct program_function *f)
{
	return !f->is_ifunc && (def->kind == DEF_ENTRY || f->is_whole);
}

/* ---- markers ---- */

struct wanted {
	const char **providers, **names;
};

static bool matches_marker(void *ctx, const char *provider, const char *name)
{
	const struct wanted *w = ctx;

	return patterns_match(w->providers, provider) && patterns_match(w->names, name);
}

static struct expr *new_expr(struct arena *arena, enum expr_kind kind, struct span at)
{
	struct expr *e = arena_new(arena, struct expr);

	*e = (struct expr){ .kind = kind, .at = at, .name_at = at };
	return e;
}

static struct expr *deref(struct arena *arena, struct expr *inner, int64_t off)
{
	struct expr *e = new_expr(arena, EXPR_DEREF, inner->at);

	e->inner = inner;
	e->off = off;
	return e;
}

/* What the assembler's operand means in this language. */
static struct expr *operand_expr(struct arena *arena, const struct marker *m, const struct asm_operand *o, struct span at)
{
	struct expr *e;

	if (o->kind == ASM_CONSTANT) {
		e = new_expr(arena, EXPR_IMM, at);
		e->value = (uint64_t)o->value;
		return e;
	}
	if (o->has_reg && o->reg == REG_IP && o->kind == ASM_MEMORY && !o->has_index) {		/* a distance from the marker */
		e = new_expr(arena, EXPR_FILE, at);
		e->off = (int64_t)m->off + o->value;
		return e;
	}
	e = new_expr(arena, o->has_index ? EXPR_INDEXED : o->has_reg ? EXPR_REG : EXPR_MEM, at);
	e->reg = o->has_reg ? o->reg : REG_COUNT;
	e->index = o->index;
	e->n = o->scale;
	e->value = (uint64_t)o->value;
	return o->kind == ASM_REGISTER || e->kind == EXPR_MEM ? e : deref(arena, e, o->value);
}

/* The type that the marker gives its argument. A number of 8 bytes may be an address. */
static struct type operand_type(const struct marker_arg *a)
{
	struct type type = { .kind = a->is_signed ? TYPE_SIGNED : a->size == 8 ? TYPE_HEX : TYPE_UNSIGNED, .size = a->size };

	if (a->operand.kind == ASM_REGISTER && a->operand.shift)
		type = (struct type){ .kind = TYPE_BITFIELD, .size = 2, .bit_width = 8, .bit_off = a->operand.shift, .bit_signed = a->is_signed };
	return type;
}

/* The argument has its own width and sign, whatever type was typed: behind it in memory, or above it in the register, is something else. */
static void limit_to_own(const struct marker_arg *a, struct arg *arg)
{
	bool is_register = a->operand.kind == ASM_REGISTER;

	if (a->operand.kind == ASM_CONSTANT || !type_is_number(&arg->type) || arg->type.kind == TYPE_BITFIELD || arg->type.count ||
	    (arg->type.size <= a->size && !(is_register && a->operand.shift)))
		return;
	arg->own_bits = (uint8_t)(8 * (is_register && a->operand.bytes && a->operand.bytes < a->size ? a->operand.bytes : a->size));
	arg->own_off = is_register ? a->operand.shift : 0;
	arg->own_signed = a->is_signed;
}

static bool is_text(const struct type *type)
{
	return type->kind == TYPE_STRING || type->kind == TYPE_USTRING || type->kind == TYPE_BUFFER;
}

/* The expression with the marker's arguments in place of $argN. NULL: there is no such argument, for the reason *why. */
static struct expr *replace(struct arena *arena, const struct marker *m, const struct expr *e, const struct arg *arg, const char **why)
{
	struct expr *copy;

	if (e->kind == EXPR_ARG) {
		if (e->n > m->nr_args || m->args[e->n - 1].unsupported) {
			*why = e->n > m->nr_args ? arena_printf(arena, "it has %u arguments", m->nr_args) : m->args[e->n - 1].unsupported;
			return NULL;
		}
		copy = operand_expr(arena, m, &m->args[e->n - 1].operand, e->at);
		return e == arg->expr && is_text(&arg->type) && !arg->type.count ? deref(arena, copy, 0) : copy;
	}
	if (!e->inner)
		return (struct expr *)(uintptr_t)e;
	copy = arena_new(arena, struct expr);
	*copy = *e;
	copy->inner = replace(arena, m, e->inner, arg, why);
	return copy->inner ? copy : NULL;
}

static struct arg all_arg(struct arena *arena, const struct marker *m, unsigned n, struct span at)
{
	struct expr *e = new_expr(arena, EXPR_ARG, at);

	(void)m;
	e->n = n + 1;
	return (struct arg){ .name = arena_printf(arena, "arg%u", n + 1), .expr = e, .at = at, .body_at = at };
}

/* The length of a type at this place. False: it cannot be fetched. */
static bool replace_length(struct arena *arena, const struct marker *m, struct type *type, const char **why)
{
	struct arg *length;
	const struct expr *was;

	if (!type->length)
		return true;
	length = arena_new(arena, struct arg);
	*length = *type->length;
	was = length->expr;
	length->expr = replace(arena, m, was, length, why);
	if (length->expr && was->kind == EXPR_ARG && length->type.kind == TYPE_NONE)
		length->type = operand_type(&m->args[was->n - 1]);
	type->length = length;
	return length->expr;
}

/* The arguments of @def at this place. All of the marker's, if none was typed or with $arg*. NULL: one cannot be fetched. */
static const char *marker_args(struct arena *arena, const struct probe_def *def, const struct marker *m, struct probe_def *one)
{
	struct arg *typed = arena_array(arena, struct arg, def->nr_args + m->nr_args + 1);
	unsigned nr = 0;
	const char *why = NULL;

	for (unsigned i = 0; i < def->nr_args; i++) {
		if (def->args[i].expr->kind != EXPR_ARGS) {
			typed[nr++] = def->args[i];
			continue;
		}
		for (unsigned n = 0; n < m->nr_args; n++)
			typed[nr++] = all_arg(arena, m, n, def->args[i].at);
	}
	for (unsigned n = 0; !def->nr_args && n < m->nr_args; n++)
		typed[nr++] = all_arg(arena, m, n, def->place.at);
	if (nr > LANG_MAX_ARGS)
		return "it has too many arguments";
	for (unsigned i = 0; i < nr; i++) {
		const struct expr *was = typed[i].expr;

		typed[i].expr = replace(arena, m, was, &typed[i], &why);
		if (!typed[i].expr || !replace_length(arena, m, &typed[i].type, &why))
			return why;
		if (was->kind == EXPR_ARG && typed[i].type.kind == TYPE_NONE)
			typed[i].type = operand_type(&m->args[was->n - 1]);
		else if (was->kind == EXPR_ARG)
			limit_to_own(&m->args[was->n - 1], &typed[i]);
		typed[i].name_provisional = false;
	}
	one->args = typed;
	one->nr_args = nr;
	return NULL;
}

/* Events of a pattern have the markers' own names. */
static const char *event_name(struct arena *arena, const struct probe_def *def, const struct marker *m)
{
	char *name;

	if (def->event_at.len || !strpbrk(def->place.symbol, "*?[,"))
		return def->event;
	name = arena_printf(arena, "%s_%s", m->provider, m->name);
	if (strlen(name) > LANG_MAX_EVENT_NAME)
		name[LANG_MAX_EVENT_NAME] = '\0';
	for (char *c = name; *c; c++) {
		if (!name_is_ident(c, 1) && (*c < '0' || *c > '9'))
			*c = '_';
	}
	return name;
}

/* Why @m cannot be probed as @def wants; NULL: *ret is the definition for it. */
static const char *at_marker(struct arena *arena, const struct probe_def *def, const struct program *program, const struct marker *m,
			     struct probe_def **ret)
{
	struct probe_def *one = arena_new(arena, struct probe_def);
	const char *why = m->refusal;

	*one = *def;
	/* What a process has mapped is found by its name: the path in /proc/PID/maps is not right behind the root of a container. */
	one->place = (struct place){ .path = program->pid ? def->place.path : program->shown, .provider = m->provider, .addr = m->off,
				     .ref_ctr = m->semaphore, .at = def->place.at, .owner_at = def->place.owner_at, .off_at = def->place.symbol_at };
	one->event = event_name(arena, def, m);
	one->from_tree = true;
	if (!why)
		why = marker_args(arena, def, m, one);
	*ret = one;
	return why;
}

static int no_marker(const struct probe_def *def, const struct program *program, struct diag *diag)
{
	const struct place *place = &def->place;

	diag->text = def->text;
	diag_at(diag, -ENOENT, place->symbol_at, "%s has no marker %s:%s", program->shown, place->provider, place->symbol);
	diag_note(diag, "help: bprobe --functions '%s:*:*' lists its markers (USDT)", place->path);
	return -ENOENT;
}

static int expand_markers(struct arena *arena, const struct probe_def *def, struct program *program, struct expanded *ret,
			  struct diag *diag)
{
	struct wanted w = { patterns_split(arena, def->place.provider), patterns_split(arena, def->place.symbol) };
	const struct marker *m;
	size_t n = markers_match(program, arena, matches_marker, &w, &m);
	struct probe_def **all = arena_array(arena, struct probe_def *, n);
	const char *why = NULL;
	unsigned nr = 0;

	if (!n)
		return no_marker(def, program, diag);
	for (size_t i = 0; i < n; i++) {
		const char *this = at_marker(arena, def, program, &m[i], &all[nr]);

		nr += !this;
		why = why ? why : this;
	}
	*ret = (struct expanded){ .defs = all, .nr = nr, .left_out = (unsigned)n - nr };
	if (nr)
		return 0;
	diag->text = def->text;
	return diag_at(diag, -EOPNOTSUPP, def->place.symbol_at, "the marker %s:%s cannot be probed: %s", m->provider, m->name, why);
}

/* The functions that are called @def's name, if they are several: constructors, destructors, overloads, instances. */
static size_t find_several(struct arena *arena, const struct probe_def *def, struct program *program, const struct program_function **ret)
{
	const struct place *place = &def->place;
	size_t n = place->symbol && !place->pattern && !place->provider && !place->off ? program_find(program, arena, place->symbol, ret) : 0;

	return n > 1 ? n : 0;
}

bool user_names_several(struct arena *arena, const struct probe_def *def, const struct facts *facts)
{
	const struct program_function *f;
	struct program *program;
	struct diag ignored = { 0 };
	bool several = def->probe == PROBE_UPROBE && !def->place.in_source && !user_program(def, facts, &program, &ignored) &&
		       find_several(arena, def, program, &f);

	diag_fini(&ignored);
	return several;
}

/* Probes at functions of the same name in the file need their offsets. */
static struct probe_def *at_one(struct arena *arena, const struct probe_def *def, const struct program_function *all, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++) {
		if (k != i && !strcmp(all[k].name, all[i].name))
			return at_offset(arena, def, all[i].off);
	}
	return at_function(arena, def, all[i].name);
}

int user_expand(struct arena *arena, const struct probe_def *def, const struct facts *facts, struct expanded *ret, struct diag *diag)
{
	const struct program_function *f;
	struct program *program;
	struct probe_def **all;
	unsigned nr = 0;
	size_t n;
	int err = user_program(def, facts, &program, diag);

	if (err)
		return err;
	if (def->place.provider)
		return expand_markers(arena, def, program, ret, diag);
	if (def->place.pattern)
		n = program_match(program, arena, patterns_match, patterns_split(arena, def->place.symbol), &f);
	else
		n = find_several(arena, def, program, &f);
	all = arena_array(arena, struct probe_def *, n);
	for (size_t i = 0; i < n; i++) {
		if (can_be_probed(def, &f[i]))
			all[nr++] = def->place.pattern ? at_function(arena, def, f[i].name) : at_one(arena, def, f, n, i);
	}
	if (!nr)
		return user_no_function(arena, def, program, diag);
	*ret = (struct expanded){ .defs = all, .nr = nr, .left_out = (unsigned)n - nr };
	return 0;
}
