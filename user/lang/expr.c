// SPDX-License-Identifier: GPL-2.0-only
/*
 * expr.c - what an argument fetches.
 *
 * Parses from the outside to the inside, as the kernel does: a dereference parses
 * the text between its first '(' and the last ')'. The length of an expression
 * limits the depth (LANG_MAX_ARG_TEXT).
 */
#include "lang/expr.h"

#include <errno.h>

#include "arch/regs.h"
#include "base/number.h"
#include "lang/cast.h"
#include "lang/cparse.h"
#include "lang/kind.h"
#include "lang/place.h"
#include "lang/reg.h"
#include "lang/var.h"

static int parse_any(struct parse *p, struct span at, struct expr **ret);

unsigned expr_steps(const struct expr *expr)
{
	switch (expr->kind) {
	case EXPR_MEM:
	case EXPR_FILE:
		return 2;		/* the address, the read */
	case EXPR_MEMSYM:
		return 3;		/* the symbol, its address, the read */
	case EXPR_DEREF:
	case EXPR_SUM:
	case EXPR_PERCPU:
		return expr_steps(expr->inner) + 1;
	case EXPR_FIELD:		/* a '.' only changes the offset of its '->' */
		return expr_steps(expr->inner) + (expr->arrow ? 1 : 0);
	case EXPR_CAST:			/* only changes the offset of the '->' behind it */
		return expr_steps(expr->inner);
	default:
		return 1;
	}
}

int expr_require_args(struct parse *p, struct span at)
{
	int err;

	if (def_reaches_args(p->def))
		return 0;
	if (p->def->probe == PROBE_EVENT) {
		err = diag_at(p->diag, -EINVAL, at, "'%s' cannot be fetched", span_quote(p, at));
		diag_note(p->diag, "help: a field of the event is written $%s", span_quote(p, at));
		return err;
	}
	if (p->def->probe == PROBE_UPROBE) {
		err = diag_at(p->diag, -EINVAL, at, "'%s' is known only at the entry of a program's function that is given by name",
			      span_quote(p, at));
		if (p->def->kind == DEF_RETURN)
			diag_note(p->diag, "help: nothing keeps it until the function returns; write p instead of r");
		else
			diag_note(p->diag, "help: fetch a register there, as in %s", REG_NAME_FIRST);
		return err;
	}
	err = diag_at(p->diag, -EINVAL, at,
		      "'%s' is known only at the entry or return of a function that is given by name",
		      span_quote(p, at));
	if (p->def->place.symbol)
		diag_note(p->diag, "help: %s is inside a function; fetch registers there, as in %s",
			  span_quote(p, p->def->place.at), REG_NAME_FIRST);
	else
		diag_note(p->diag, "help: write the function's name instead of its address; where several have it, NAME@ADDRESS");
	return err;
}

static int refuse_registers(struct parse *p, struct span at)
{
	int err = diag_at(p->diag, -EINVAL, at, "%s has no registers", kind_of(p->def->probe)->name);

	if (p->def->probe == PROBE_FPROBE)
		diag_note(p->diag, "help: write $argN, a parameter's name, or p instead of f");
	else
		diag_note(p->diag, p->def->probe == PROBE_EVENT ? "help: its fields are $NAME" : "help: its arguments are $argN");
	return err;
}

static int parse_reg(struct parse *p, struct expr *expr)
{
	if (!(kind_of(p->def->probe)->words & KIND_REGISTERS))
		return refuse_registers(p, expr->at);
	expr->kind = EXPR_REG;
	return reg_parse(p, expr->at, &expr->reg);
}

static int parse_mem_addr(struct parse *p, struct expr *expr)
{
	struct span number = span_tail(expr->at, 1);
	int err = number_u64(span_ptr(p, number), number.len, 0, &expr->value);

	expr->kind = EXPR_MEM;
	if (err == -EINVAL) {
		err = diag_at(p->diag, err, expr->at, "'%s' is not a memory address",
			      span_quote(p, number));
		diag_note(p->diag, "help: write @0xADDRESS in hexadecimal, or @SYMBOL");
	} else if (err) {
		diag_at(p->diag, err, expr->at, "the address does not fit in 64 bits");
	}
	return err;
}

static int parse_mem_symbol(struct parse *p, struct expr *expr)
{
	struct span name = span_tail(expr->at, 1), off_at;
	uint32_t sign = span_find(p, name, "+-");
	int err;

	off_at = span_tail(name, sign);
	name = span_head(name, sign);
	expr->kind = EXPR_MEMSYM;
	if (!name.len)
		return diag_at(p->diag, -EINVAL, expr->at, "no symbol or address after '@'");
	/* In the parentheses of a cast there may be some. */
	if (span_find(p, name, PARSE_SPACE) < name.len)
		return diag_at(p->diag, -EINVAL, name, "'%s' is not a symbol: it has a space in it", span_quote(p, name));
	if (off_at.len) {
		err = number_s64(span_ptr(p, off_at), off_at.len, 0, &expr->off);
		if (err)
			return diag_at(p->diag, err, expr->at, "'%s' is not an offset to @%s",
				       span_quote(p, off_at), span_quote(p, name));
	}
	expr->name = span_dup(p, name);
	expr->name_at = name;
	return 0;
}

/* @+OFFSET */
static int parse_mem_file(struct parse *p, struct expr *expr)
{
	struct span number = span_tail(expr->at, 2);
	int err;

	expr->kind = EXPR_FILE;
	if (!(kind_of(p->def->probe)->words & KIND_FILE)) {
		err = diag_at(p->diag, -EINVAL, expr->at, "'%s' is an offset in a file, which only a user probe can fetch",
			      span_quote(p, expr->at));
		diag_note(p->diag, "help: write @ADDRESS or @SYMBOL");
		return err;
	}
	if (!number_s64(span_ptr(p, number), number.len, 0, &expr->off))
		return 0;
	err = diag_at(p->diag, -EINVAL, expr->at, "'%s' is not an offset in the file", span_quote(p, number));
	diag_note(p->diag, "help: write @+0xOFFSET");
	return err;
}

static int parse_mem(struct parse *p, struct expr *expr)
{
	char next = expr->at.len > 1 ? span_ptr(p, expr->at)[1] : '\0';
	int err;

	if (next == '+')
		return parse_mem_file(p, expr);
	if (char_is_digit(next))
		return parse_mem_addr(p, expr);
	if (kind_of(p->def->probe)->words & KIND_SYMBOLS)
		return parse_mem_symbol(p, expr);
	err = diag_at(p->diag, -EINVAL, expr->at, "'%s' is a symbol, which a user probe cannot fetch", span_quote(p, expr->at));
	diag_note(p->diag, "help: write @+OFFSET with the offset in the file, or @ADDRESS");
	return err;
}

/* \"text": it ends at the last quote. Quotes inside are part of the text. */
static int parse_text(struct parse *p, struct expr *expr)
{
	struct span text = span_tail(expr->at, 2);
	int err;

	expr->kind = EXPR_IMMSTR;
	if (!text.len || span_ptr(p, text)[text.len - 1] != '"') {
		err = diag_at(p->diag, -EINVAL, span_end(expr->at),
			      "the text is not closed with '\"'");
		diag_note(p->diag, "help: a text cannot have a space, '#' or ':' in it");
		return err;
	}
	expr->name_at = span_head(text, text.len - 1);
	expr->name = span_dup(p, expr->name_at);
	return 0;
}

static int parse_imm(struct parse *p, struct expr *expr)
{
	struct span number = span_tail(expr->at, 1);
	const char *s = span_ptr(p, number);
	int64_t value = 0;
	int err = -EINVAL;

	if (number.len && *s == '"')
		return parse_text(p, expr);
	expr->kind = EXPR_IMM;
	if (number.len && char_is_digit(*s)) {
		err = number_u64(s, number.len, 0, &expr->value);
	} else if (number.len && (*s == '-' || *s == '+')) {
		/* The kernel drops a '+', and a second sign may follow. */
		err = *s == '+' ? number_s64(s + 1, number.len - 1, 0, &value) :
				  number_s64(s, number.len, 0, &value);
		expr->value = (uint64_t)value;
	}
	if (err == -ERANGE)
		return diag_at(p->diag, err, number, "'%s' does not fit in 64 bits",
			       span_quote(p, number));
	if (err) {
		diag_at(p->diag, err, number, "'%s' is not a number", span_quote(p, number));
		diag_note(p->diag, "help: a constant is \\NUMBER or \\\"text\"");
	}
	return err;
}

/*
 * The sign, 'u' and number in front of '(': [+-][u]NUM. As in the kernel, a '+' is
 * dropped, and another sign may follow: +-8 is -8.
 */
static int parse_deref_offset(struct parse *p, struct span at, struct expr *expr)
{
	const char *s = span_ptr(p, at);
	bool minus = *s == '-';
	uint32_t skip = at.len > 1 && s[1] == 'u' ? 2 : 1;
	int err;

	expr->user = skip == 2;
	s += skip;
	if (!minus) {
		err = number_s64(s, at.len - skip, 0, &expr->off);
	} else {
		char *number = arena_printf(p->arena, "-%.*s", (int)(at.len - skip), s);

		err = number_s64(number, strlen(number), 0, &expr->off);
	}
	if (err == -ERANGE)
		return diag_at(p->diag, err, at, "the offset '%s' does not fit in 64 bits",
			       span_quote(p, at));
	if (err) {
		diag_at(p->diag, err, at, "'%s' is not an offset", span_quote(p, at));
		diag_note(p->diag, "help: a dereference is written +OFFSET(...), even if the offset is 0: +0(...)");
	}
	return err;
}

static int refuse_text_deref(struct parse *p, const struct expr *inner)
{
	int err = diag_at(p->diag, -EINVAL, inner->at, "'%s' is a text: it cannot be dereferenced",
			  span_quote(p, inner->at));

	diag_note(p->diag, "help: write it without the parentheses");
	return err;
}

static int refuse_elapsed_deref(struct parse *p, const struct expr *inner)
{
	int err = diag_at(p->diag, -EINVAL, inner->at, "$elapsed is a time, not an address: it cannot be dereferenced");

	diag_note(p->diag, "help: write it without the parentheses");
	return err;
}

int expr_check_deref(struct parse *p, const struct expr *inner, unsigned levels)
{
	int err;

	if (inner->kind == EXPR_COMM || inner->kind == EXPR_IMMSTR)
		return refuse_text_deref(p, inner);
	if (inner->kind == EXPR_ELAPSED)
		return refuse_elapsed_deref(p, inner);
	if (expr_steps(inner) + levels < LANG_MAX_OPS)
		return 0;
	err = diag_at(p->diag, -EINVAL, inner->at, "nested too deeply");
	diag_note(p->diag, "help: a register can be dereferenced %d times, @ADDR %d, @SYM %d",
		  LANG_MAX_OPS - 2, LANG_MAX_OPS - 3, LANG_MAX_OPS - 4);
	return err;
}

/* A register of %REG,%INDEX,SCALE. */
static int parse_index_reg(struct parse *p, struct span at, enum reg *ret)
{
	if (at.len > 1 && *span_ptr(p, at) == '%')
		return reg_parse(p, at, ret);
	return diag_at(p->diag, -EINVAL, at, "'%s' is not a register: write (%%REG,%%REG,SCALE)", span_quote(p, at));
}

/*
 * %REG,%INDEX,SCALE, as the assembler writes an element of an array: markers (USDT) have such arguments. The kernel's language does not
 * have it.
 */
static int parse_indexed(struct parse *p, struct span at, struct expr **ret)
{
	uint32_t first = span_find(p, at, ","), second = first + 1 + span_find(p, span_tail(at, first + 1), ",");
	struct expr *expr = arena_new(p->arena, struct expr);
	struct span base = span_head(at, first), scale = span_tail(at, MIN(second + 1, at.len));
	uint64_t n;
	int err = 0;

	*expr = (struct expr){ .kind = EXPR_INDEXED, .at = at, .reg = REG_COUNT };
	if (!(kind_of(p->def->probe)->words & KIND_REGISTERS))
		return refuse_registers(p, at);
	if (second >= at.len || number_u64(span_ptr(p, scale), scale.len, 10, &n) || (n != 1 && n != 2 && n != 4 && n != 8)) {
		err = diag_at(p->diag, -EINVAL, second < at.len ? scale : at, "the scale of an index is 1, 2, 4 or 8");
		diag_note(p->diag, "help: write (%%REG,%%REG,SCALE)");
		return err;
	}
	expr->n = (unsigned)n;
	if (base.len)
		err = parse_index_reg(p, base, &expr->reg);
	if (!err)
		err = parse_index_reg(p, span_tail(span_head(at, second), first + 1), &expr->index);
	if (!err)
		*ret = expr;
	return err;
}

/* Is it %REG,... or ,%REG,...? */
static bool is_indexed(const struct parse *p, struct span at)
{
	return at.len && (*span_ptr(p, at) == '%' || *span_ptr(p, at) == ',') && span_find(p, at, ",") < at.len;
}

static int parse_deref(struct parse *p, struct expr *expr)
{
	uint32_t open = span_find(p, expr->at, "("), close;
	struct span inside, rest;
	int err;

	expr->kind = EXPR_DEREF;
	if (open == expr->at.len) {
		err = diag_at(p->diag, -EINVAL, expr->at, "no '(' after the offset");
		diag_note(p->diag, "help: a dereference is written +OFFSET(...), as in +8(%s)", REG_NAME_FIRST);
		return err;
	}
	err = parse_deref_offset(p, span_head(expr->at, open), expr);
	if (err)
		return err;
	inside = span_tail(expr->at, open + 1);
	close = span_find_last(p, inside, ')');
	if (close == inside.len)
		return diag_at(p->diag, -EINVAL, span_end(inside), "'%s' is not closed with ')'",
			       span_quote(p, span_head(expr->at, open + 1)));
	rest = span_tail(inside, close + 1);
	inside = span_head(inside, close);
	err = is_indexed(p, inside) && !p->word ? parse_indexed(p, inside, &expr->inner) : parse_any(p, inside, &expr->inner);
	if (err)
		return err;
	if (expr->inner->kind == EXPR_C && place_takes_c(p)) {
		diag_at(p->diag, -EINVAL, expr->inner->at, "'%s' is C, and cannot be inside +OFFSET(...)", span_quote(p, expr->inner->at));
		diag_note(p->diag, "help: write all of it in C, such as p->a.b[3]");
		return -EINVAL;
	}
	err = expr_check_deref(p, expr->inner, 1);
	if (err || !rest.len)
		return err;
	/* The kernel ignores this text, so it would ignore what the user wanted. */
	err = diag_at(p->diag, -EINVAL, rest, "'%s' after the last ')'", span_quote(p, rest));
	diag_note(p->diag, "help: only ':TYPE' can follow; an offset is written before: +8(...)");
	return err;
}

static int parse_other(struct parse *p, struct expr *expr)
{
	int err;

	if (!expr->at.len)
		return diag_at(p->diag, -EINVAL, expr->at, "nothing to fetch");
	err = diag_at(p->diag, -EINVAL, expr->at, "'%s' cannot be fetched",
		      span_quote(p, expr->at));
	if (char_is_digit(*span_ptr(p, expr->at)))
		diag_note(p->diag, "help: for a constant write \\%s, for memory @%s",
			  span_quote(p, expr->at), span_quote(p, expr->at));
	else if (*span_ptr(p, expr->at) == '"')
		diag_note(p->diag, "help: a text is written \\\"text\"");
	else if (*span_ptr(p, expr->at) == '*')
		diag_note(p->diag, "help: a dereference is written +0(%s)",
			  span_quote(p, span_tail(expr->at, 1)));
	else
		diag_note(p->diag, "help: an argument is %%REG, $stackN, $retval, $elapsed, $comm, $current, $argN, "
				   "NAME, @ADDR, @SYM, \\NUMBER, (STRUCT)ARG->FIELD or +OFFSET(...)");
	return err;
}

/*
 * At a place in the source what begins like C is C: debug information knows the names. (STRUCT)%REG->FIELD stays a cast of what is
 * fetched.
 */
static bool is_c(const struct parse *p, struct span at)
{
	char first = at.len ? *span_ptr(p, at) : '\0';
	uint32_t close = span_find(p, at, ")");

	if (!place_takes_c(p))
		return false;
	if (first == '(')
		return close + 1 >= at.len || !strchr("%$@+-(", span_ptr(p, at)[close + 1]) || span_starts(p, span_tail(at, close + 1), "->");
	return char_is_alpha(first) || first == '_' || first == '*' || first == '&';
}

/* An expression of the kernel's own language. */
int expr_parse_word(struct parse *p, struct span at, struct expr **ret)
{
	struct expr *expr = arena_new(p->arena, struct expr);
	char first = at.len ? *span_ptr(p, at) : '\0';
	int err;

	expr->at = at;
	switch (first) {
	case '%':
		err = parse_reg(p, expr);
		break;
	case '$':
		err = var_parse(p, &expr);
		break;
	case '@':
		err = parse_mem(p, expr);
		break;
	case '\\':
		err = parse_imm(p, expr);
		break;
	case '(':
		err = cast_parse(p, &expr);
		break;
	case '+':
	case '-':
		err = parse_deref(p, expr);
		break;
	default:
		if (percpu_begins(p, at))
			err = percpu_parse(p, expr);
		else
			err = char_is_alpha(first) || first == '_' ? var_parse_named(p, &expr) :
								      parse_other(p, expr);
	}
	if (!err)
		*ret = expr;
	return err;
}

/* What the kernel's language does not have may be C. Of two errors the one counts of what the text looks like. */
static int parse_either(struct parse *p, struct span at, struct expr **ret)
{
	enum { MOST_TRIES = 64 };	/* an argument has no more parts that are worth it, and a text of parentheses costs no time */
	struct diag *diag = p->diag, first = { .text = diag->text, .file = diag->file, .line = diag->line };
	int err;

	p->diag = &first;
	err = expr_parse_word(p, at, ret);
	p->diag = diag;
	/* The kernel would look for a structure that is called u8. */
	if ((err ? cparse_may_be(p, at) : cparse_is_number_cast(p, at)) && p->c_tries++ < MOST_TRIES) {
		diag_fini(&first);
		return cparse(p, at, ret);
	}
	if (!err) {
		diag_fini(&first);
		return 0;
	}
	diag_fini(diag);
	*diag = first;
	return err;
}

static int parse_any(struct parse *p, struct span at, struct expr **ret)
{
	char first = at.len ? *span_ptr(p, at) : '\0';

	if (p->word && (!first || !strchr("%@+-", first)))
		return p->word(p, at, ret);
	if (is_c(p, at)) {
		p->def->place.in_source = true;
		return cparse(p, at, ret);
	}
	return p->word ? expr_parse_word(p, at, ret) : parse_either(p, at, ret);
}

int expr_parse(struct parse *p, struct span at, struct expr **ret)
{
	if (at.len > LANG_MAX_ARG_TEXT)
		return diag_at(p->diag, -E2BIG, at, "the expression has %u bytes, at most %d fit",
			       at.len, LANG_MAX_ARG_TEXT);
	return parse_any(p, at, ret);
}
