// SPDX-License-Identifier: GPL-2.0-only
/*
 * ast.c - small functions on the tree, and the tree as text.
 */
#include "lang/ast.h"

#include "cexpr/cexpr.h"
#include "lang/filter.h"
#include "lang/kind.h"
#include "lang/parse.h"
#include "lang/type_words.h"

bool name_is_ident(const char *s, size_t len)
{
	if (!len || char_is_digit(*s))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!char_is_alpha(s[i]) && !char_is_digit(s[i]) && s[i] != '_')
			return false;
	}
	return true;
}

bool type_is_dynamic(const struct type *type)
{
	switch (type->kind) {
	case TYPE_STRING:
	case TYPE_USTRING:
	case TYPE_SYMSTR:
	case TYPE_DENTRY:
	case TYPE_FILE:
	case TYPE_PATH:
	case TYPE_BLOCK:
	case TYPE_BUFFER:
		return true;
	default:
		return false;
	}
}

bool type_in_memory(const struct type *type)
{
	return type->kind == TYPE_BYTES || type->kind == TYPE_BLOCK || type->kind == TYPE_BUFFER;
}

bool type_is_number(const struct type *type)
{
	return !type_is_dynamic(type) && type->kind != TYPE_BYTES;
}

unsigned type_slot_size(const struct type *type)
{
	if (type_is_dynamic(type))
		return 4;		/* offset and length, 16 bits each */
	return type->kind == TYPE_NONE ? 8 : type->size;
}

bool def_reaches_args(const struct probe_def *def)
{
	const struct place *place = &def->place;

	if (def->kind == DEF_REMOVE || !place->symbol || def->probe == PROBE_EVENT)
		return false;
	if (def->probe == PROBE_UPROBE)		/* nothing keeps a program's parameters until the return */
		return def->kind == DEF_ENTRY && !place->off;
	if (place->pattern || def->probe == PROBE_TRACEPOINT)
		return true;
	return def->kind == DEF_RETURN || place->off == 0 || (place->off == 4 && !place->before);
}

const struct arg *def_value(const struct probe_def *def, unsigned n)
{
	if (n < def->nr_args)
		return &def->args[n];
	n -= def->nr_args;
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *length = def->args[i].type.length;

		if (length && !length->name_at.len && !n--)
			return length;
	}
	return NULL;
}

/* Prints an offset as the grammar requires it in front of a parenthesis: +8, -u16. */
static void offset_print(int64_t off, bool user, struct buf *out)
{
	buf_addc(out, off < 0 ? '-' : '+');
	if (user)
		buf_addc(out, 'u');
	buf_dec(out, off < 0 ? 0 - (uint64_t)off : (uint64_t)off);
}

static void memsym_print(const struct expr *expr, struct buf *out)
{
	buf_addc(out, '@');
	buf_adds(out, expr->name);
	if (expr->off)
		offset_print(expr->off, false, out);
}

/* A '->' or a sign behind the argument would belong to the cast. So an argument that ends with its own ->FIELD or @SYM+OFFS needs parentheses. */
static void cast_print(const struct expr *expr, struct buf *out)
{
	const struct expr *inner = expr->inner;
	bool encloses = inner->kind == EXPR_FIELD || inner->kind == EXPR_C || (inner->kind == EXPR_MEMSYM && inner->off);

	buf_addf(out, "(%s", expr->name);
	if (expr->member)
		buf_addf(out, ",%s", expr->member);
	buf_addc(out, ')');
	if (encloses)
		buf_addc(out, '(');
	expr_print(inner, out);
	if (encloses)
		buf_addc(out, ')');
}

void expr_print(const struct expr *expr, struct buf *out)
{
	switch (expr->kind) {
	case EXPR_REG:
		buf_addf(out, "%%%s", reg_name(expr->reg));
		break;
	case EXPR_STACK:
		buf_adds(out, "$stack");
		break;
	case EXPR_STACKN:
		buf_addf(out, "$stack%u", expr->n);
		break;
	case EXPR_RETVAL:
		buf_adds(out, "$retval");
		break;
	case EXPR_ELAPSED:
		buf_adds(out, "$elapsed");
		break;
	case EXPR_COMM:
		buf_adds(out, "$comm");
		break;
	case EXPR_TASK:
		buf_adds(out, "$current");
		break;
	case EXPR_ARG:
		buf_addf(out, "$arg%u", expr->n);
		break;
	case EXPR_ARGS:
		buf_adds(out, "$arg*");
		break;
	case EXPR_MEM:
		buf_adds(out, "@0x");
		buf_hex(out, expr->value);
		break;
	case EXPR_MEMSYM:
		memsym_print(expr, out);
		break;
	case EXPR_FILE:
		buf_adds(out, "@+0x");
		buf_hex(out, (uint64_t)expr->off);
		break;
	case EXPR_INDEXED:
		if (expr->reg != REG_COUNT)
			buf_addf(out, "%%%s", reg_name(expr->reg));
		buf_addf(out, ",%%%s,%u", reg_name(expr->index), expr->n);
		break;
	case EXPR_EVENT_FIELD:
		buf_addf(out, "$%s", expr->name);
		break;
	case EXPR_IMM:
		buf_addc(out, '\\');
		buf_sdec(out, (int64_t)expr->value);
		break;
	case EXPR_IMMSTR:
		buf_addf(out, "\\\"%s\"", expr->name);
		break;
	case EXPR_DEREF:
		offset_print(expr->off, expr->user, out);
		buf_addc(out, '(');
		expr_print(expr->inner, out);
		buf_addc(out, ')');
		break;
	case EXPR_VAR:
	case EXPR_C:
		buf_adds(out, expr->name);
		break;
	case EXPR_FIELD:
		expr_print(expr->inner, out);
		buf_adds(out, expr->arrow ? "->" : ".");
		buf_adds(out, expr->name);
		break;
	case EXPR_CAST:
		cast_print(expr, out);
		break;
	case EXPR_PERCPU:
		buf_adds(out, expr->reads ? "this_cpu_read(" : "this_cpu_ptr(");
		expr_print(expr->inner, out);
		buf_addc(out, ')');
		break;
	case EXPR_SUM:			/* kprobe_events has no syntax for it: see dialect_print_remarks() */
		expr_print(expr->inner, out);
		break;
	}
}

static bool tree_any(const struct cexpr *e, bool (*each)(void *ctx, const struct expr *e), void *ctx)
{
	if (!e)
		return false;
	if (e->word && expr_any(e->word, each, ctx))
		return true;
	return tree_any(e->inner, each, ctx) || tree_any(e->right, each, ctx);
}

bool expr_any(const struct expr *expr, bool (*each)(void *ctx, const struct expr *e), void *ctx)
{
	for (const struct expr *e = expr; e; e = e->inner) {
		if (each(ctx, e) || tree_any(e->tree, each, ctx))
			return true;
	}
	return false;
}

static bool is_kind(void *ctx, const struct expr *e)
{
	return e->kind == *(const enum expr_kind *)ctx;
}

bool expr_has(const struct expr *expr, enum expr_kind kind)
{
	return expr_any(expr, is_kind, &kind);
}

static void length_print(const struct arg *length, struct buf *out)
{
	buf_addc(out, '(');
	expr_print(length->expr, out);
	if (length->type.kind != TYPE_NONE) {
		buf_addc(out, ':');
		type_print(&length->type, out);
	}
	buf_addc(out, ')');
}

void type_print(const struct type *type, struct buf *out)
{
	switch (type->kind) {
	case TYPE_NONE:
		break;
	case TYPE_BITFIELD:
		buf_addf(out, "%sb%u@%u/%u", type->bit_signed ? "s" : "", type->bit_width, type->bit_off, type->size * 8);
		break;
	default:
		buf_adds(out, type_word_of(type)->name);
		break;
	}
	if (type->enum_name)
		buf_addf(out, "(%s)", type->enum_name);
	if (type->bytes)
		buf_addf(out, "(%u)", type->bytes);
	else if (type->length)
		length_print(type->length, out);
	if (type->until_null)
		buf_adds(out, "[*]");
	else if (type->count)
		buf_addf(out, "[%u]", type->count);
}

/*
 * A provisional name is not printed, because that would fix a name that BTF
 * decides. A name that is too long for NAME= is not printed either: only a
 * variable can have such a name.
 */
static bool arg_prints_name(const struct arg *arg)
{
	return !arg->name_provisional && strlen(arg->name) <= LANG_MAX_ARG_NAME;
}

/* kprobe_events has no other spelling of casts than its own. */
static bool prints_tree(const struct probe_def *def, const struct arg *arg)
{
	for (const struct expr *e = arg->expr; e; e = e->inner) {
		if (e->like_c)
			return true;
	}
	return def->from_tree || arg->expr->kind == EXPR_ARGS;
}

static void arg_print(const struct probe_def *def, const struct arg *arg, struct buf *out)
{
	if (arg_prints_name(arg)) {
		buf_adds(out, arg->name);
		buf_addc(out, '=');
	}
	if (!prints_tree(def, arg)) {
		buf_add(out, def->text + arg->body_at.off, arg->body_at.len);
		return;
	}
	expr_print(arg->expr, out);
	if (arg->type.kind != TYPE_NONE) {
		buf_addc(out, ':');
		type_print(&arg->type, out);
	}
}

static void remove_print(const struct probe_def *def, struct buf *out)
{
	buf_adds(out, "-:");
	if (def->group) {
		buf_adds(out, def->group);
		buf_addc(out, '/');
	}
	if (def->event)
		buf_adds(out, def->event);
	for (unsigned i = 0; i < def->nr_matches; i++) {
		buf_addc(out, ' ');
		buf_adds(out, def->matches[i].text);
	}
}

void def_print(const struct probe_def *def, struct buf *out)
{
	const struct kind *kind = kind_of(def->probe);

	if (def->kind == DEF_REMOVE) {
		remove_print(def, out);
		return;
	}
	buf_addc(out, kind->letters[def->kind == DEF_RETURN]);
	if (def->maxactive)
		buf_dec(out, def->maxactive);
	buf_addf(out, ":%s/%s ", def->group, def->event);
	kind->print(&def->place, out);
	if (def->kind == DEF_RETURN && kind->marks_return)
		buf_adds(out, "%return");
	for (unsigned i = 0; i < def->nr_args; i++) {
		buf_addc(out, ' ');
		arg_print(def, &def->args[i], out);
	}
}

void def_print_filter(const struct probe_def *def, struct buf *out)
{
	if (!def->filter)
		return;
	buf_adds(out, " if ");
	filter_print(def->filter, out);
}

const char *def_source(struct arena *arena, const struct probe_def *def)
{
	size_t len = strlen(def->text);

	if (def->filter && def->filter->text == def->text) {	/* the filter is in the text, not from --filter */
		len = def->filter->at.off;
		while (len && strchr(PARSE_SPACE, def->text[len - 1]))
			len--;
		len -= MIN(len, strlen("if"));
	}
	while (len && strchr(PARSE_SPACE, def->text[len - 1]))
		len--;
	return arena_strndup(arena, def->text, len);
}
