// SPDX-License-Identifier: GPL-2.0-only
/*
 * variables.c - the variables that can be seen at a place in the source.
 */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/similar.h"
#include "elf/dwarf/places_priv.h"
#include "elf/dwarf/values_priv.h"

enum { DEEPEST_SCOPE = 64 };

/* ---- names ---- */

static bool is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

/* @declared: a declaration of a variable that is defined elsewhere, and not the variable itself. */
static bool find_in(Dwarf_Die *scope, const char *name, bool declared, Dwarf_Die *ret)
{
	int err = dwarf_child(scope, ret);

	for (; !err; err = dwarf_siblingof(ret, ret)) {
		const char *is = is_variable(dwarf_tag(ret)) ? dwarf_diename(ret) : NULL;

		if (is && !strcmp(is, name) && dwarf_hasattr(ret, DW_AT_declaration) == declared)
			return true;
	}
	return false;
}

/* Moves @at to what it is a copy of. False: it is none. */
static bool to_origin(Dwarf_Die *at, unsigned *depth)
{
	Dwarf_Die copy = *at;

	*at = die_origin(at);
	return at->addr != copy.addr && ++*depth < DEEPEST_SCOPE;
}

/*
 * In @scope, or in what it is a copy of. A copy need not have all variables: the compiler leaves some out, and describes static ones once, in the
 * function itself. If only the copy were looked at, a global variable of the same name would be taken.
 */
static bool find_in_copy(Dwarf_Die *scope, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die at = *scope;
	unsigned depth = 0;

	do {
		if (find_in(&at, name, false, ret))
			return true;
	} while (to_origin(&at, &depth));
	return false;
}

/* An entry that completes @declared: in the unit (gcc), or in a namespace of it (clang). */
static bool find_completion(Dwarf_Die *scope, const Dwarf_Die *declared, unsigned depth, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Die die, of;
	int err = depth < DEEPEST_SCOPE ? dwarf_child(scope, &die) : 1;

	for (; !err; err = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) == DW_TAG_namespace && find_completion(&die, declared, depth + 1, ret))
			return true;
		if (!is_variable(dwarf_tag(&die)) || !dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attr), &of) || of.addr != declared->addr)
			continue;
		*ret = die;
		return true;
	}
	return false;
}

/* The definition of what is declared in a namespace or a class: there itself, or an entry of its own. */
static bool find_definition(Dwarf_Die *unit, const Dwarf_Die *declared, Dwarf_Die *ret)
{
	*ret = *declared;
	return dwarf_hasattr(ret, DW_AT_location) || dwarf_hasattr(ret, DW_AT_const_value) || find_completion(unit, declared, 0, ret);
}

/* @in: the namespaces and classes around @scope, each with "::" behind it. Outer ones may be missing in @name. */
static bool find_qualified(struct debug *d, Dwarf_Die *unit, Dwarf_Die *scope, const char *in, const char *name, unsigned depth, Dwarf_Die *ret)
{
	const char *own = debug_own_name(name);
	Dwarf_Die die;
	int err = depth < DEEPEST_SCOPE ? dwarf_child(scope, &die) : 1;

	for (; !err; err = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);
		const char *is = dwarf_diename(&die);

		if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type) {
			if (is && find_qualified(d, unit, &die, arena_printf(d->arena, "%s%s::", in, is), name, depth + 1, ret))
				return true;
		} else if (*in && is && (is_variable(tag) || tag == DW_TAG_member) && !strcmp(is, own) &&
			   name_ends_with(arena_printf(d->arena, "%s%s", in, is), name) && find_definition(unit, &die, ret)) {
			return true;
		}
	}
	return false;
}

/*
 * clang (14) describes a static variable of an inlined function below a function entry without a name, to which nothing refers. The variable
 * belongs to @function if its line is behind that of @function, and before the next function of the file. Returns how many such variables have
 * the name, and are declared before the place if this is a line.
 */
static unsigned find_statics(struct debug *d, const struct spot *s, Dwarf_Die *function, const char *name, Dwarf_Die *ret)
{
	unsigned start = die_line(function), end = 0, nr = 0;
	const char *file = die_file(function);

	unit_functions(d, s->unit);
	for (unsigned i = 0; file && start && i < s->unit->nr_functions; i++) {
		Dwarf_Die other = s->unit->functions[i].die, die;
		const char *in;
		unsigned line;

		if (dwarf_diename(&other) || !find_in(&other, name, false, &die))
			continue;
		in = die_file(&die);
		line = die_line(&die);
		if (!end)
			end = unit_next_function(d, s->unit, file, start);
		if (!in || strcmp(in, file) || line <= start || line >= end || (s->line > start && s->line < end && line > s->line))
			continue;
		*ret = die;
		nr++;
	}
	return nr;
}

/* Such a variable may be one of a block, and nothing says of which. So it is taken only if no other variable can be meant. */
static bool find_outside(struct debug *d, const struct spot *s, Dwarf_Die *function, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die unit = s->unit->die, other;
	bool outside = find_in(&unit, name, false, &other);
	unsigned nr = find_statics(d, s, function, name, ret);

	if (nr)
		return nr == 1 && !outside;
	*ret = other;
	return outside;
}

bool variable_is_unclear(struct debug *d, const struct spot *s, const char *name)
{
	Dwarf_Die function = spot_function(s), ignored;

	return !s->is_moved && !variable_find(d, s, name, &ignored) && find_statics(d, s, &function, name, &ignored);
}

/* From the innermost block out to the function that the place is in, which may be inlined; then the variables outside of functions. */
bool variable_find(struct debug *d, const struct spot *s, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die unit = s->unit->die, function = spot_function(s);

	if (strstr(name, "::"))
		return find_qualified(d, &unit, &unit, "", name, 0, ret);
	if (s->is_moved)
		return find_in(&unit, name, false, ret);
	for (unsigned i = s->nr; i-- > 0 && s->path[i].addr != function.addr;) {
		if (find_in_copy(&s->path[i], name, ret))
			return true;
	}
	return find_in_copy(&function, name, ret) || find_outside(d, s, &function, name, ret);
}

static void offer_all(struct similar *similar, const Dwarf_Die *scope)
{
	Dwarf_Die at = *scope, die;
	unsigned depth = 0;

	do {
		for (int err = dwarf_child(&at, &die); !err; err = dwarf_siblingof(&die, &die)) {
			const char *name = is_variable(dwarf_tag(&die)) ? dwarf_diename(&die) : NULL;

			if (name)
				similar_offer(similar, name, NULL);
		}
	} while (to_origin(&at, &depth));
}

const char *variable_similar(struct debug *d, const struct spot *s, const char *name)
{
	struct similar *similar = similar_new(d->arena, name, 1);
	Dwarf_Die unit = s->unit->die, function = s->function;
	const struct similar_name *best;
	bool is_inlined = false;

	for (unsigned i = s->is_moved ? 0 : s->nr; i-- > 0 && !is_inlined;) {
		offer_all(similar, &s->path[i]);
		is_inlined = dwarf_tag(&s->path[i]) == DW_TAG_inlined_subroutine;
	}
	if (!is_inlined && !s->is_moved)
		offer_all(similar, &function);
	offer_all(similar, &unit);
	return similar_best(similar, &best) ? best->name : NULL;
}

bool variable_find_declared(const struct spot *s, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die unit = s->unit->die;

	return find_in(&unit, name, true, ret);
}

/* Calls of a function have its parameters in this order. */
static bool find_nth(Dwarf_Die *scope, unsigned n, Dwarf_Die *ret)
{
	int err = dwarf_child(scope, ret);

	for (; !err; err = dwarf_siblingof(ret, ret)) {
		if (dwarf_tag(ret) == DW_TAG_formal_parameter && !--n)
			return true;
	}
	return false;
}

/* A parameter of a copy that the compiler left out has no entry in it, so the order is that of the function itself. */
bool variable_find_parameter(struct debug *d, const struct spot *s, unsigned n, Dwarf_Die *ret)
{
	Dwarf_Die function = spot_function(s), origin = die_origin(&function);
	const char *name;

	if (s->is_moved)
		return false;
	if (origin.addr == function.addr)
		return find_nth(&function, n, ret);
	if (!find_nth(&origin, n, ret))
		return false;
	name = dwarf_diename(ret);
	return name && variable_find(d, s, name, ret);
}

/* ---- types, as C writes them ---- */

enum { DEEPEST_TYPE = 32 };

static void add_type(Dwarf_Die *type, struct buf *out, unsigned depth);

static void add_inner(Dwarf_Die *type, struct buf *out, unsigned depth)
{
	Dwarf_Die inner;

	if (die_type(type, &inner))
		add_type(&inner, out, depth + 1);
	else
		buf_adds(out, "void");
}

static void add_named(const char *kind, Dwarf_Die *type, struct buf *out)
{
	const char *name = dwarf_diename(type);

	buf_addf(out, "%s%s", kind, name ? name : "{...}");
}

static uint64_t elements_of(Dwarf_Die *array)
{
	Dwarf_Die element;
	Dwarf_Word all, one;

	return die_type(array, &element) && !dwarf_aggregate_size(array, &all) && !dwarf_aggregate_size(&element, &one) && one ? all / one : 0;
}

/* const char *const: behind a pointer, and before anything else. */
static void add_qualified(const char *word, Dwarf_Die *type, struct buf *out, unsigned depth)
{
	Dwarf_Die inner;

	if (die_type(type, &inner) && dwarf_tag(&inner) == DW_TAG_pointer_type) {
		add_inner(type, out, depth);
		buf_adds(out, word);
		return;
	}
	buf_addf(out, "%s ", word);
	add_inner(type, out, depth);
}

static void add_type(Dwarf_Die *type, struct buf *out, unsigned depth)
{
	int tag = dwarf_tag(type);
	Dwarf_Die inner;

	if (depth > DEEPEST_TYPE) {
		buf_adds(out, "...");
		return;
	}
	switch (tag) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		if (die_type(type, &inner) && dwarf_tag(&inner) == DW_TAG_subroutine_type) {
			add_inner(&inner, out, depth);
			buf_adds(out, " (*)()");
			return;
		}
		add_inner(type, out, depth);
		if (!out->len || out->data[out->len - 1] != '*')	/* a name can be empty */
			buf_addc(out, ' ');
		buf_adds(out, tag == DW_TAG_pointer_type ? "*" : tag == DW_TAG_reference_type ? "&" : "&&");
		return;
	case DW_TAG_const_type:
		add_qualified("const", type, out, depth);
		return;
	case DW_TAG_volatile_type:
		add_qualified("volatile", type, out, depth);
		return;
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		add_inner(type, out, depth);
		return;
	case DW_TAG_array_type:
		add_inner(type, out, depth);
		if (elements_of(type))
			buf_addf(out, "[%" PRIu64 "]", elements_of(type));
		else
			buf_adds(out, "[]");
		return;
	case DW_TAG_structure_type:
		add_named("struct ", type, out);
		return;
	case DW_TAG_class_type:
		add_named("class ", type, out);
		return;
	case DW_TAG_union_type:
		add_named("union ", type, out);
		return;
	case DW_TAG_enumeration_type:
		add_named("enum ", type, out);
		return;
	default:
		add_named("", type, out);
	}
}

static const char *type_text(struct debug *d, Dwarf_Die *variable)
{
	struct buf text = { 0 };
	const char *ret;

	add_inner(variable, &text, 0);
	ret = arena_strdup(d->arena, buf_str(&text));
	buf_fini(&text);
	return ret;
}

/* ---- lists ---- */

static bool is_listed(const struct lines_place *p, const char *name)
{
	for (unsigned i = 0; i < p->nr_variables; i++) {
		if (!strcmp(p->variables[i].name, name))
			return true;
	}
	return false;
}

static void add_variable(struct debug *d, struct lines_place *p, const struct lines_variable *v)
{
	p->variables = arena_grow(d->arena, p->variables, p->nr_variables, &p->size_variables);
	p->variables[p->nr_variables++] = *v;
}

/* Go calls a result ~r0, and what it has moved to the heap &p: nobody can ask for these. */
static bool is_askable(const char *name)
{
	return !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$")];
}

/* A name means the innermost variable that has it, so its value is asked for as a user's would be. */
static void list_variable(struct debug *d, const struct spot *s, const struct lines_query *q, Dwarf_Die *die, struct lines_place *p)
{
	const char *name = dwarf_diename(die);
	struct lines_expr expr = { .text = name };
	struct lines_variable v = { .name = name, .is_parameter = dwarf_tag(die) == DW_TAG_formal_parameter };
	struct lines_value value;

	if (!name || !is_askable(name) || is_listed(p, name))
		return;
	value = value_find(d, s, q, &expr);
	v.trouble = !value.fetch ? value.trouble : *value.type ? NULL : "it is no number: name a member, or a type";
	if (v.trouble && !q->describes)
		return;
	v.name = arena_strdup(d->arena, name);
	v.type = q->describes ? type_text(d, die) : NULL;
	add_variable(d, p, &v);
}

/* Also those of what @scope is a copy of: a copy need not have all variables (find_in_copy()). */
static void list_scope(struct debug *d, const struct spot *s, const struct lines_query *q, const Dwarf_Die *scope, int tag, struct lines_place *p)
{
	Dwarf_Die at = *scope, die;
	unsigned depth = 0;

	do {
		for (int err = dwarf_child(&at, &die); !err; err = dwarf_siblingof(&die, &die)) {
			if (dwarf_tag(&die) == tag)
				list_variable(d, s, q, &die, p);
		}
	} while (to_origin(&at, &depth));
}

static void list_tag(struct debug *d, const struct spot *s, const struct lines_query *q, int tag, struct lines_place *p)
{
	Dwarf_Die function = s->function;

	if (s->is_moved)
		return;
	for (unsigned i = s->nr; i-- > 0;) {
		list_scope(d, s, q, &s->path[i], tag, p);
		if (dwarf_tag(&s->path[i]) == DW_TAG_inlined_subroutine)
			return;
	}
	list_scope(d, s, q, &function, tag, p);
}

void variables_list(struct debug *d, const struct spot *s, const struct lines_query *q, struct lines_place *p)
{
	list_tag(d, s, q, DW_TAG_formal_parameter, p);
	list_tag(d, s, q, DW_TAG_variable, p);
}
