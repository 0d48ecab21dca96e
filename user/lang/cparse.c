// SPDX-License-Identifier: GPL-2.0-only
/*
 * cparse.c - C expressions in definitions, and this CPU's variables.
 *
 * The words of C are those of cexpr/; what a name or a word of the kernel's language is, the parsers of expressions know.
 */
#include "lang/cparse.h"

#include <errno.h>
#include <string.h>

#include "cexpr/cexpr.h"
#include "lang/expr.h"
#include "lang/kind.h"
#include "lang/place.h"

/* ---- C ---- */

static int parse_word(void *ctx, struct cexpr *e)
{
	struct parse *p = ctx;
	struct expr *inner;
	int err = expr_parse_word(p, e->at, &inner);

	if (err)
		return err;
	if (inner->kind == EXPR_COMM || inner->kind == EXPR_IMMSTR)
		return diag_at(p->diag, -EINVAL, e->at, "'%s' is a text, and no number", span_quote(p, e->at));
	if (inner->kind == EXPR_ELAPSED)
		return diag_at(p->diag, -EINVAL, e->at, "$elapsed cannot be calculated with");
	e->word = inner;
	return 0;
}

/* A parameter of the function. At a place in the source debug information knows all names. */
static int take_name(struct parse *p, struct cexpr *e)
{
	struct expr *var;
	int err = place_takes_c(p) ? 0 : expr_require_args(p, e->at);

	if (!err && !place_takes_c(p) && !(kind_of(p->def->probe)->words & KIND_TYPES)) {
		err = diag_at(p->diag, -EINVAL, e->at, "the names of a program's parameters are not known, so '%s' cannot be fetched",
			      span_quote(p, e->at));
		diag_note(p->diag, "help: write $arg1 for the first parameter");
	}
	if (err)
		return err;
	var = arena_new(p->arena, struct expr);
	*var = (struct expr){ .kind = EXPR_VAR, .at = e->at, .name = e->name, .name_at = e->name_at };
	e->word = var;
	return 0;
}

/* The nodes are this file's own until the tree is handed out, so they can be changed. */
static int take_names(struct parse *p, const struct cexpr *e, bool *ret_any)
{
	int err = 0;

	*ret_any |= e->kind == CEXPR_WORD || e->kind == CEXPR_NAME;
	if (e->kind == CEXPR_NAME)
		err = take_name(p, (struct cexpr *)(uintptr_t)e);
	if (!err && e->inner)
		err = take_names(p, e->inner, ret_any);
	if (!err && e->right)
		err = take_names(p, e->right, ret_any);
	return err;
}

static int refuse(struct parse *p, const struct cexpr_text *t)
{
	int err = diag_at(p->diag, -EINVAL, t->at, "%s", t->msg);

	if (t->help)
		diag_note(p->diag, "help: %s", t->help);
	return err;
}

int cparse(struct parse *p, struct span at, struct expr **ret)
{
	struct cexpr_text t = { .arena = p->arena, .text = span_ptr(p, at), .len = at.len, .off = at.off, .word = parse_word, .ctx = p };
	struct expr *expr = arena_new(p->arena, struct expr);
	const struct cexpr *tree = cexpr_parse(&t);
	bool any = false;
	int err;

	if (!tree)
		return t.msg ? refuse(p, &t) : p->diag->err;
	err = take_names(p, tree, &any);
	if (!err && !any) {
		err = diag_at(p->diag, -EINVAL, at, "'%s' is a constant", span_quote(p, at));
		diag_note(p->diag, "help: a constant is written \\NUMBER");
	}
	if (err)
		return err;
	*expr = (struct expr){ .kind = EXPR_C, .at = at, .name = span_dup(p, at), .name_at = at, .tree = tree };
	*ret = expr;
	return 0;
}

/* The bytes of %REG. */
static uint32_t reg_length(const struct parse *p, struct span at)
{
	uint32_t i = 1;

	while (i < at.len && (char_is_alpha(span_ptr(p, at)[i]) || char_is_digit(span_ptr(p, at)[i])))
		i++;
	return i;
}

/* -(%REG) is a dereference whose offset was forgotten: there is nothing but one word of the kernel's, such as @SYM-OFFS. */
static bool is_deref_without_offset(const struct parse *p, struct span at)
{
	const char *text = span_ptr(p, at);

	if (!strchr("%@$", text[2]))
		return false;
	for (uint32_t i = 3; i < at.len; i++) {
		if (text[i] == ')')
			return i + 1 == at.len;
		if (!char_is_alpha(text[i]) && !char_is_digit(text[i]) && !strchr(text[2] == '@' ? "_+-:" : "_", text[i]))
			return false;
	}
	return true;
}

bool cparse_may_be(const struct parse *p, struct span at)
{
	if (percpu_begins(p, at))
		return span_find(p, at, ")") < at.len;
	if (at.len && *span_ptr(p, at) == '%' && !strchr(PARSE_SPACE "+-*&|^<>=![", span_ptr(p, at)[reg_length(p, at)]))
		return false;
	/* ((struct STRUCT *)ARG) is an address with a type: the kernel's casts need a field. */
	if (span_starts(p, at, "((") && span_find_last(p, at, ')') == at.len - 1)
		return true;
	if (span_starts(p, at, "-("))
		return at.len > 2 && !is_deref_without_offset(p, at);
	/* -x, but -8(...) and -u8(...) are dereferences. */
	if (at.len > 1 && *span_ptr(p, at) == '-' && (char_is_alpha(span_ptr(p, at)[1]) || strchr("_$%", span_ptr(p, at)[1])) &&
	    !(at.len > 2 && span_ptr(p, at)[1] == 'u' && char_is_digit(span_ptr(p, at)[2])))
		return true;
	return at.len && !strchr("@+\\\"", *span_ptr(p, at)) && !(*span_ptr(p, at) == '-' && span_find(p, at, "(") < at.len) &&
	       cexpr_looks_like_c(span_ptr(p, at), at.len);
}

bool cparse_is_number_cast(const struct parse *p, struct span at)
{
	return at.len && *span_ptr(p, at) == '(' && cexpr_casts_to_number(span_ptr(p, at), at.len);
}

/* ---- this CPU's variables ---- */

static const char ptr_call[] = "this_cpu_ptr(", read_call[] = "this_cpu_read(";

bool percpu_begins(const struct parse *p, struct span at)
{
	return span_starts(p, at, ptr_call) || span_starts(p, at, read_call);
}

int percpu_parse(struct parse *p, struct expr *expr)
{
	struct span at = expr->at, inside;
	bool reads = span_starts(p, at, read_call);
	int err;

	if (!(kind_of(p->def->probe)->words & KIND_SYMBOLS)) {
		err = diag_at(p->diag, -EINVAL, at, "a program has no variables of the kernel's CPUs");
		diag_note(p->diag, "help: '%s' is for probes of the kernel", span_quote(p, at));
		return err;
	}
	inside = span_tail(at, (uint32_t)strlen(reads ? read_call : ptr_call));
	if (*(span_ptr(p, at) + at.len - 1) != ')')
		return diag_at(p->diag, -EINVAL, span_end(at), "'%s' is not closed with ')'", span_quote(p, span_head(at, at.len - inside.len)));
	inside = span_head(inside, inside.len - 1);
	expr->kind = EXPR_PERCPU;
	expr->reads = reads;
	err = expr_parse(p, inside, &expr->inner);
	return err ? err : expr_check_deref(p, expr->inner, 1);
}
