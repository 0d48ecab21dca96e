// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_filter.c - a filter's names and values (6.12, kernel/trace/trace_events_filter.c, parse_pred()).
 */
#include "plan/filter_plan.h"

#include <errno.h>

#include "kernel/syms/ksyms.h"
#include "plan/plan.h"
#include "plan/resolver.h"

struct filter_resolver {
	const struct resolver *r;
	struct plan *plan;
	struct filter *filter;
};

/* ---- fields ---- */

/* The fields that every event has. An argument with the same name comes first. */
static const struct common {
	const char *name;
	enum filter_source source;
	uint8_t size;			/* 0: a string */
	bool is_signed;
	char kind;			/* 'r': only of return probes, 'p': only of others */
} commons[] = {
	{ "common_type", FILTER_TYPE, 2, false, 0 },
	{ "common_flags", FILTER_FLAGS, 1, false, 0 },
	{ "common_preempt_count", FILTER_COUNT, 1, false, 0 },
	{ "common_pid", FILTER_PID, 4, true, 0 },
	{ "__probe_ip", FILTER_PLACE, 8, false, 'p' },
	{ "__probe_func", FILTER_PLACE, 8, false, 'r' },
	{ "__probe_ret_ip", FILTER_CALLER, 8, false, 'r' },
	{ "CPU", FILTER_CPU, 4, true, 0 },
	{ "cpu", FILTER_CPU, 4, true, 0 },
	{ "common_cpu", FILTER_CPU, 4, true, 0 },
	{ "COMM", FILTER_COMM, 0, false, 0 },
	{ "comm", FILTER_COMM, 0, false, 0 },
};

static bool has_common(const struct common *c, const struct layout *l)
{
	return !c->kind || (!l->is_synthetic && c->kind == (l->is_return ? 'r' : 'p'));
}

/* If the unknown field is a parameter, adds a note: the user must make it an argument first. */
static bool note_parameter(const struct filter_resolver *fr, const struct filter_pred *pred)
{
	const struct filter_expr *expr = fr->filter->expr;
	const struct probe_def *def = fr->r->def;
	struct proto proto;
	bool found = false;

	if (fr->plan->layout.is_synthetic)
		return false;
	proto_find(fr->r, &proto);
	for (unsigned i = 0; proto.known && i < proto.nr_params; i++)
		found = found || !strcmp(proto.names[i], pred->field);
	if (found)
		diag_note(fr->r->diag, "help: %s is a parameter: add it to the arguments: %s %s if %.*s", pred->field,
			  def_source(fr->r->arena, def), pred->field, (int)expr->at.len, expr->text + expr->at.off);
	return found;
}

static int refuse_field(const struct filter_resolver *fr, const struct filter_pred *pred)
{
	const struct layout *l = &fr->plan->layout;
	struct diag *diag = fr->r->diag;
	struct buf names = { 0 };
	int err = diag_at(diag, -ENOENT, pred->field_at, "the event has no field '%s'", pred->field);

	if (!strcmp(pred->field, "stacktrace") || !strcmp(pred->field, "STACKTRACE")) {
		diag_note(diag, "help: bprobe records no stacks; the caller of a return probe is __probe_ret_ip.function");
		return err;
	}
	if (note_parameter(fr, pred))
		return err;
	for (unsigned i = 0; i < l->nr_fields; i++)
		buf_addf(&names, " %s", l->fields[i].name);
	for (unsigned i = 0; i < ARRAY_SIZE(commons); i++) {
		if (has_common(&commons[i], l))
			buf_addf(&names, " %s", commons[i].name);
	}
	diag_note(diag, "help: its fields are%s", buf_str(&names));
	buf_fini(&names);
	return err;
}

static int find_field(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	const struct layout *l = &fr->plan->layout;
	const char *text = pred->suffix == FILTER_USTRING ? arena_printf(fr->r->arena, FILTER_TEXT_PREFIX "%s", pred->field) : NULL;
	unsigned first = fr->filter->expr->text == fr->plan->def->text ? l->nr_fields : layout_all(l), nr = layout_all(l);

	for (unsigned i = l->nr_fields; text && i < nr; i++) {
		if (!strcmp(l->fields[i].name, text)) {
			leaf->source = FILTER_FIELD;
			leaf->field = &l->fields[i];
			leaf->index = i;
			return 0;
		}
	}
	/* The condition in an event probe's definition means the event's fields, and not arguments of the same names. */
	for (unsigned n = 0; n < (first < nr ? nr : l->nr_fields); n++) {
		unsigned i = first < nr ? (first + n) % nr : n;
		const struct layout_field *f = &l->fields[i];

		if (strcmp(f->name, pred->field))
			continue;
		leaf->source = FILTER_FIELD;
		leaf->field = f;
		leaf->index = i;
		leaf->size = type_is_number(&f->type) ? f->type.size : 0;
		leaf->is_signed = f->type.kind == TYPE_SIGNED;
		if (!f->type.count)
			return 0;
		diag_at(fr->r->diag, -EINVAL, pred->field_at, "'%s' is an array, and a filter compares single values",
			f->name);
		diag_note(fr->r->diag, "help: fetch the element as an argument of its own");
		return -EINVAL;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(commons); i++) {
		const struct common *c = &commons[i];

		if (strcmp(c->name, pred->field) || !has_common(c, l))
			continue;
		leaf->source = c->source;
		leaf->size = c->size;
		leaf->is_signed = c->is_signed;
		return 0;
	}
	return refuse_field(fr, pred);
}

/* ---- values ---- */

static uint64_t cut(uint64_t n, unsigned size)
{
	return size < 8 ? n & ((1ull << 8 * size) - 1) : n;
}

/* The low @size bytes of @n, extended to 64 bits, with the sign if @is_signed. */
static uint64_t extend(uint64_t n, unsigned size, bool is_signed)
{
	unsigned spare = 64 - 8 * size;

	n <<= spare;
	return is_signed ? (uint64_t)((int64_t)n >> spare) : n >> spare;
}

static bool is_char(const struct filter_leaf *leaf)
{
	return leaf->source == FILTER_FIELD && leaf->field->type.kind == TYPE_CHAR;
}

/* Is the text compared with the one that a line has for the field? */
static bool has_text(const struct filter_leaf *leaf)
{
	enum type_show show = leaf->source == FILTER_FIELD ? leaf->field->type.show : SHOW_PLAIN;

	return show != SHOW_PLAIN && show != SHOW_BIG_ENDIAN;
}

static bool is_equality(const struct filter_pred *pred)
{
	return pred->op == FILTER_EQ || pred->op == FILTER_NE;
}

/* The record has an address as the network has it: 127.0.0.1 is compared as 0x0100007f. Only equality and & do not mind. */
static int take_ip4(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	int err;

	if ((is_equality(pred) || pred->op == FILTER_AND) && !pred->minus && pred->number <= UINT32_MAX) {
		leaf->test = FILTER_COMPARE;
		leaf->value = __builtin_bswap32((uint32_t)pred->number);
		return 0;
	}
	err = diag_at(fr->r->diag, -EINVAL, pred->value_at, "'%s' is an address of 32 bits: it is compared with == != and &",
		      pred->field);
	diag_note(fr->r->diag, "help: write a text, as in %s == \"127.0.0.1\", or 0x7f000001", pred->field);
	return err;
}

static int take_number(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	struct diag *diag = fr->r->diag;
	int err;

	if (!leaf->size) {
		bool bytes = leaf->source == FILTER_FIELD && leaf->field->type.kind == TYPE_BUFFER;

		err = diag_at(diag, -EINVAL, pred->value_at, bytes ? "'%s' is a buffer, and no number" : has_text(leaf) ?
			      "'%s' is an address, and no number" : "'%s' is a string", pred->field);
		diag_note(diag, "help: compare it with a text in quotes");
		return err;
	}
	if (has_text(leaf) && leaf->field->type.show == SHOW_IP4)
		return take_ip4(fr, pred, leaf);
	if (pred->minus && !leaf->is_signed) {
		err = diag_at(diag, -EINVAL, pred->value_at, "'%s' is unsigned: it is never below 0", pred->field);
		diag_note(diag, "help: fetch it with a signed type, such as s%u", 8 * leaf->size);
		return err;
	}
	if (!pred->minus && leaf->is_signed && pred->number > INT64_MAX)
		return diag_at(diag, -ERANGE, pred->value_at, "this is larger than any signed number of 64 bits");
	leaf->test = FILTER_COMPARE;
	leaf->value = cut(pred->minus ? 0 - pred->number : pred->number, leaf->size);
	return 0;
}

static int take_char(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	int err;

	if (pred->quote == '\'' && pred->len == 1 && pred->op != FILTER_GLOB) {
		leaf->test = FILTER_COMPARE;
		leaf->value = (unsigned char)*pred->text;
		return 0;
	}
	err = diag_at(fr->r->diag, -EINVAL, pred->value_at, "'%s' is one character", pred->field);
	diag_note(fr->r->diag, "help: compare it with a number or one character in single quotes, as in %s == '/'",
		  pred->field);
	return err;
}

/* Names have the bits of their bit-field; the record has the number that they are. */
static void extend_sign(struct filter_leaf *leaf)
{
	unsigned bits = layout_bits(leaf->field), size = 8 * leaf->size;
	uint64_t sign = 1ull << (bits - 1);

	if (!leaf->field->bit_signed || bits >= size)
		return;
	leaf->value = (leaf->value ^ sign) - sign;
	if (size < 64)
		leaf->value &= (1ull << size) - 1;
}

/* The value of a name of errno, enum or syscall, which is compared as a number. */
static int take_name(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	const char *similar;
	int err;

	leaf->test = FILTER_COMPARE;
	if (names_value(leaf->field->names, pred->text, pred->len, &leaf->value)) {
		extend_sign(leaf);
		return 0;
	}
	if (leaf->field->type.show == SHOW_SYSCALL && !leaf->field->names->nr)	/* --explain without the kernel's memory */
		return 0;
	err = diag_at(fr->r->diag, -ENOENT, pred->value_at, "'%s' has no value called '%s'", pred->field, pred->text);
	similar = names_similar(fr->r->arena, leaf->field->names, pred->text);
	if (similar)
		diag_note(fr->r->diag, "help: did you mean %s?", similar);
	return err;
}

static int take_string(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	struct arena *arena = fr->r->arena;
	bool negates = pred->op == FILTER_GLOB && pred->len && *pred->text == '!';
	struct glob_element *elements;
	struct glob_segment *segment;
	struct glob *same;

	if (is_char(leaf))
		return take_char(fr, pred, leaf);
	if (has_text(leaf) && leaf->field->names && is_equality(pred))
		return take_name(fr, pred, leaf);
	leaf->by_text = has_text(leaf);
	if (leaf->by_text)
		leaf->size = 0;
	if (leaf->size)
		return diag_at(fr->r->diag, -EINVAL, pred->value_at, "'%s' is a number", pred->field);
	if (pred->op != FILTER_EQ && pred->op != FILTER_NE && pred->op != FILTER_GLOB)
		return diag_at(fr->r->diag, -EINVAL, pred->op_at, "texts are compared with == != and ~");
	leaf->negated ^= negates;
	leaf->test = pred->op == FILTER_GLOB ? FILTER_LIKE : FILTER_SAME;
	if (leaf->test == FILTER_LIKE) {
		leaf->glob = glob_parse(arena, pred->text + negates, pred->len - negates);
		return 0;
	}
	elements = arena_array(arena, struct glob_element, pred->len);
	for (uint32_t i = 0; i < pred->len; i++)
		elements[i] = (struct glob_element){ .kind = GLOB_LITERAL, .byte = (unsigned char)pred->text[i] };
	segment = arena_new(arena, struct glob_segment);
	*segment = (struct glob_segment){ elements, pred->len };
	same = arena_new(arena, struct glob);
	*same = (struct glob){ .segments = segment, .nr = 1, .min_len = pred->len };
	leaf->glob = same;
	return 0;
}

static int refuse_function(const struct filter_resolver *fr, const struct filter_pred *pred)
{
	int err = diag_at(fr->r->diag, -ENOENT, pred->value_at, "this kernel has no function '%.*s'",
			  (int)pred->value_at.len, fr->filter->expr->text + pred->value_at.off);
	const struct ksym *similar[3];
	size_t nr = pred->operand == FILTER_WORD ? ksyms_similar(fr->r->ks, pred->text, similar, ARRAY_SIZE(similar)) : 0;

	for (size_t i = 0; i < nr; i++)
		diag_note(fr->r->diag, "%s %s", i ? "     " : "help:", similar[i]->name);
	return err;
}

/* The first symbol called @name, or MODULE:NAME. 0: there is none. */
static uint64_t symbol_address(const struct filter_resolver *fr, const char *name)
{
	const char *colon = strchr(name, ':');
	const char *module = colon ? arena_strndup(fr->r->arena, name, (size_t)(colon - name)) : NULL;
	const struct ksym *const *syms;

	return ksyms_find(fr->r->ks, colon ? colon + 1 : name, module, &syms) ? syms[0]->addr : 0;
}

static int take_function(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	struct filter_range *range = arena_new(fr->r->arena, struct filter_range);
	const struct ksym *sym;
	uint64_t addr = pred->number, size = 0;

	if (leaf->size != 8)
		return diag_at(fr->r->diag, -EINVAL, pred->field_at, "'%s' is not an address", pred->field);
	leaf->test = FILTER_IN;
	leaf->ranges = range;
	leaf->nr_ranges = 1;
	if (!fr->r->ks || ksyms_hidden(fr->r->ks)) {
		if (fr->r->facts->explains)
			return 0;
		return diag_at(fr->r->diag, -EOPNOTSUPP, pred->value_at,
			       "the kernel hides where its functions are (kernel.kptr_restrict)");
	}
	if (pred->operand == FILTER_WORD)
		addr = symbol_address(fr, pred->text);
	sym = addr ? ksyms_lookup(fr->r->ks, addr, &size) : NULL;
	if (!sym || !size)
		return refuse_function(fr, pred);
	*range = (struct filter_range){ sym->addr, sym->addr + size - 1 };
	return 0;
}

/*
 * The test is "is one of", except for == with several CPUs: one value cannot be equal to several CPUs, but it can be
 * equal to a single one.
 */
static int take_cpus(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	unsigned cpus = fr->r->facts->nr_cpus;
	bool single = pred->nr_ranges == 1 && pred->ranges->first == pred->ranges->last;

	if (!leaf->size)
		return diag_at(fr->r->diag, -EINVAL, pred->value_at, "'%s' is a string", pred->field);
	for (unsigned i = 0; i < pred->nr_ranges; i++) {
		if (cpus && pred->ranges[i].last >= cpus)
			return diag_at(fr->r->diag, -EINVAL, pred->value_at, "this machine has CPUs 0 to %u", cpus - 1);
	}
	leaf->test = FILTER_IN;
	leaf->ranges = pred->ranges;
	leaf->nr_ranges = pred->op == FILTER_AND || single ? pred->nr_ranges : 0;
	return 0;
}

static int resolve_leaf(const struct filter_resolver *fr, const struct filter_pred *pred, struct filter_leaf *leaf)
{
	int err = find_field(fr, pred, leaf);

	if (err)
		return err;
	if (pred->suffix == FILTER_USTRING && leaf->size)
		return diag_at(fr->r->diag, -EINVAL, pred->suffix_at, "'%s' is a number, and .ustring is for strings",
			       pred->field);
	leaf->negated ^= pred->op == FILTER_NE;
	leaf->op = pred->op == FILTER_NE ? FILTER_EQ : pred->op;
	if (pred->suffix == FILTER_FUNCTION)
		return take_function(fr, pred, leaf);
	switch (pred->operand) {
	case FILTER_STRING:
		return take_string(fr, pred, leaf);
	case FILTER_CPUS:
		return take_cpus(fr, pred, leaf);
	default:
		return take_number(fr, pred, leaf);
	}
}

/* ---- the tree ---- */

/* @negated: the condition is true if @node is false. The length of the text limits the tree's depth. */
static int resolve_node(const struct filter_resolver *fr, const struct filter_node *node, bool negated,
			struct filter_cond **ret)
{
	struct filter_cond *cond = arena_new(fr->r->arena, struct filter_cond), **last = &cond->child;
	int err = 0;

	*ret = cond;
	switch (node->kind) {
	case FILTER_NOT:
		return resolve_node(fr, node->child, !negated, ret);
	case FILTER_PRED:
		cond->leaf = arena_new(fr->r->arena, struct filter_leaf);
		*cond->leaf = (struct filter_leaf){ .pred = node->pred, .negated = negated };
		fr->filter->leaves[fr->filter->nr_leaves++] = cond->leaf;
		return resolve_leaf(fr, node->pred, cond->leaf);
	default:
		cond->joint = (node->kind == FILTER_ALL) != negated ? FILTER_BOTH : FILTER_EITHER;
		for (const struct filter_node *child = node->child; child && !err; child = child->next) {
			err = resolve_node(fr, child, negated, last);
			last = &(*last)->next;
		}
		return err;
	}
}

int filter_resolve(const struct resolver *r, struct plan *plan)
{
	struct filter_resolver fr = { .r = r, .plan = plan };
	const struct filter_expr *expr = plan->def->filter;
	int err;

	fr.filter = arena_new(r->arena, struct filter);
	fr.filter->expr = expr;
	fr.filter->leaves = arena_array(r->arena, struct filter_leaf *, expr->at.len / 3 + 1);	/* the shortest leaf is a<1 */
	r->diag->text = expr->text;
	err = resolve_node(&fr, expr->root, false, &fr.filter->root);
	if (err)
		return err;
	r->diag->text = plan->def->text;
	plan->filter = fr.filter;
	return 0;
}

/* ---- the tests ---- */

static bool compare(enum filter_op op, bool is_signed, uint64_t a, uint64_t b)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case FILTER_LT:
		return less;
	case FILTER_LE:
		return less || a == b;
	case FILTER_GT:
		return !less && a != b;
	case FILTER_GE:
		return !less;
	case FILTER_AND:
		return (a & b) != 0;
	default:
		return a == b;
	}
}

bool filter_number_passes(const struct filter_leaf *leaf, uint64_t n)
{
	if (leaf->test == FILTER_COMPARE)
		return compare(leaf->op, leaf->is_signed, n, extend(leaf->value, leaf->size, leaf->is_signed));
	n = cut(n, leaf->size);
	for (unsigned i = 0; i < leaf->nr_ranges; i++) {
		if (n >= leaf->ranges[i].first && n <= leaf->ranges[i].last)
			return true;
	}
	return false;
}

bool filter_text_passes(const struct filter_leaf *leaf, const char *text, uint32_t len)
{
	return glob_matches(leaf->glob, text, len);
}
