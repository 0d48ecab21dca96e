// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_pred.c - one comparison of a filter.
 *
 * Errors are those of 6.12's parse_pred() (kernel/trace/trace_events_filter.c). plan/ checks later what
 * depends on the field's type.
 */
#include "lang/filter_pred.h"

#include <errno.h>

#include "base/number.h"

static bool is_word_char(char c)
{
	return char_is_alpha(c) || char_is_digit(c) || c == '_';
}

static uint32_t word_len(const struct parse *p, struct span at)
{
	uint32_t len = 0;

	while (len < at.len && is_word_char(span_ptr(p, at)[len]))
		len++;
	return len;
}

/* The text up to a space or a parenthesis, for messages. It has at least one byte. */
static struct span next_word(const struct parse *p, struct span at)
{
	uint32_t len = span_find(p, at, PARSE_SPACE "()");

	return span_head(at, at.len ? MAX(len, 1u) : 0);
}

static struct span take(struct span *rest, uint32_t len)
{
	struct span taken = span_head(*rest, len);

	*rest = span_tail(*rest, len);
	return taken;
}

static void skip_space(const struct parse *p, struct span *rest)
{
	take(rest, span_skip_space(p, *rest));
}

bool filter_pred_begins(const struct parse *p, struct span rest)
{
	return word_len(p, rest) != 0;
}

/* ---- the field and the operator ---- */

static int field_parse(struct parse *p, struct span *rest, struct filter_pred *pred)
{
	struct span suffix;
	int err;

	pred->field_at = take(rest, word_len(p, *rest));
	pred->field = span_dup(p, pred->field_at);
	pred->suffix_at = span_head(*rest, 0);
	if (!span_starts(p, *rest, "."))
		return 0;
	suffix = span_head(*rest, 1 + word_len(p, span_tail(*rest, 1)));
	if (span_is(p, suffix, ".ustring")) {
		pred->suffix = FILTER_USTRING;
	} else if (span_is(p, suffix, ".function")) {
		pred->suffix = FILTER_FUNCTION;
	} else {
		err = diag_at(p->diag, -EINVAL, suffix, "a field has no '%s'", span_quote(p, suffix));
		diag_note(p->diag, "help: a field can have .function, for addresses, or .ustring");
		return err;
	}
	pred->suffix_at = take(rest, suffix.len);
	return 0;
}

static int refuse_operator(struct parse *p, struct span at, const struct filter_pred *pred)
{
	struct span word = next_word(p, at);
	int err;

	if (!at.len)
		err = diag_at(p->diag, -EINVAL, at, "no operator after '%s'", pred->field);
	else
		err = diag_at(p->diag, -EINVAL, word, "'%s' is not an operator", span_quote(p, word));
	if (at.len && *span_ptr(p, at) == '=')
		diag_note(p->diag, "help: to compare write ==");
	else
		diag_note(p->diag, "help: the operators are == != < <= > >= & (has one of these bits) and ~ (matches a pattern)");
	return err;
}

static int op_parse(struct parse *p, struct span *rest, struct filter_pred *pred)
{
	static const struct { const char *text; enum filter_op op; } ops[] = {
		{ "==", FILTER_EQ }, { "!=", FILTER_NE }, { "<=", FILTER_LE }, { "<", FILTER_LT },
		{ ">=", FILTER_GE }, { ">", FILTER_GT }, { "&", FILTER_AND }, { "~", FILTER_GLOB },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(ops); i++) {
		if (span_starts(p, *rest, ops[i].text)) {
			pred->op = ops[i].op;
			pred->op_at = take(rest, (uint32_t)strlen(ops[i].text));
			return 0;
		}
	}
	return refuse_operator(p, *rest, pred);
}

static int refuse_op(struct parse *p, const struct filter_pred *pred, const char *what, const char *ops)
{
	int err = diag_at(p->diag, -EINVAL, pred->op_at, "'%s' does not compare %s", span_quote(p, pred->op_at), what);

	diag_note(p->diag, "help: %s", ops);
	return err;
}

/* ---- values ---- */

static int number_parse(struct parse *p, struct span *rest, struct filter_pred *pred)
{
	uint32_t sign = *span_ptr(p, *rest) == '-';
	struct span digits = span_tail(*rest, sign);
	const char *text;
	int err;

	digits = span_head(digits, word_len(p, digits));
	pred->operand = FILTER_NUMBER;
	pred->minus = sign;
	pred->value_at = take(rest, sign + digits.len);
	text = span_quote(p, pred->value_at);
	if (pred->op == FILTER_GLOB)
		return refuse_op(p, pred, "numbers", "numbers are compared with == != < <= > >= &");
	if (pred->value_at.len > FILTER_MAX_NUMBER)
		return diag_at(p->diag, -EINVAL, pred->value_at, "the number has %u characters, at most %d fit",
			       pred->value_at.len, FILTER_MAX_NUMBER);
	/* The digits have no second sign, so only letters can be wrong here. */
	err = number_u64(span_ptr(p, digits), digits.len, 0, &pred->number);
	if (err == -ERANGE || (!err && sign && pred->number > (uint64_t)INT64_MAX + 1))
		return diag_at(p->diag, -ERANGE, pred->value_at, "'%s' does not fit in 64 bits", text);
	if (err) {
		diag_at(p->diag, err, pred->value_at, "'%s' is not a number", text);
		diag_note(p->diag, "help: numbers are written 10, 0xa or 012; a negative one begins with '-', without a space");
	}
	return err;
}

static int string_parse(struct parse *p, struct span *rest, struct filter_pred *pred)
{
	char quote[2] = { *span_ptr(p, *rest), 0 };
	struct span inside = span_tail(*rest, 1);
	uint32_t len = span_find(p, inside, quote);

	if (len == inside.len)
		return diag_at(p->diag, -EINVAL, *rest, "the text is not closed with %s", quote);
	pred->operand = FILTER_STRING;
	pred->quote = *quote;
	pred->value_at = take(rest, len + 2);
	if (pred->suffix == FILTER_FUNCTION)
		return diag_at(p->diag, -EINVAL, pred->value_at, "a function's name is written without quotes");
	if (pred->op != FILTER_EQ && pred->op != FILTER_NE && pred->op != FILTER_GLOB && len != 1)
		return refuse_op(p, pred, "texts", "texts are compared with == != and ~");
	if (len > FILTER_MAX_STRING)
		return diag_at(p->diag, -EINVAL, pred->value_at, "the text has %u bytes, at most %d fit", len,
			       FILTER_MAX_STRING);
	pred->text = span_dup(p, span_head(inside, len));
	pred->len = len;
	return 0;
}

/* One part of a list: N or N-M. */
static int cpu_range_parse(struct parse *p, struct span part, struct filter_range *ret)
{
	uint32_t dash = span_find(p, part, "-");
	struct span last = dash < part.len ? span_tail(part, dash + 1) : part;

	if (number_u64(span_ptr(p, part), dash, 10, &ret->first) ||
	    number_u64(span_ptr(p, last), last.len, 10, &ret->last) || ret->first > ret->last)
		return diag_at(p->diag, -EINVAL, part, "'%s' is neither a CPU nor a range of them", span_quote(p, part));
	return 0;
}

static int cpus_parse(struct parse *p, struct span *rest, struct filter_pred *pred)
{
	struct span list = span_tail(*rest, 4);
	struct filter_range *ranges;
	uint32_t len;
	int err = 0;

	pred->operand = FILTER_CPUS;
	if (!span_starts(p, list, "{"))
		return diag_at(p->diag, -EINVAL, span_head(*rest, 4), "CPUS needs a list in braces, as in CPUS{0-3}");
	list = span_tail(list, 1);
	len = span_find(p, list, "}");
	if (len == list.len)
		return diag_at(p->diag, -EINVAL, *rest, "the list is not closed with '}'");
	pred->value_at = take(rest, 4 + 1 + len + 1);
	if (pred->op != FILTER_EQ && pred->op != FILTER_NE && pred->op != FILTER_AND)
		return refuse_op(p, pred, "lists of CPUs", "write & to test whether the CPU is one of them");
	list = span_head(list, len);
	pred->ranges = ranges = arena_array(p->arena, struct filter_range, len / 2 + 1);
	do {
		uint32_t comma = span_find(p, list, ",");

		err = cpu_range_parse(p, span_head(list, comma), &ranges[pred->nr_ranges++]);
		list = span_tail(list, MIN(comma + 1, list.len));
	} while (!err && list.len);
	return err;
}

/* A symbol, or MODULE:SYMBOL. It ends where the comparison ends. */
static int word_parse(struct parse *p, struct span *rest, struct filter_pred *pred)
{
	pred->operand = FILTER_WORD;
	pred->value_at = take(rest, span_find(p, *rest, PARSE_SPACE ")&|"));
	pred->text = span_dup(p, pred->value_at);
	pred->len = pred->value_at.len;
	return 0;
}

static int refuse_value(struct parse *p, struct span at, const struct filter_pred *pred)
{
	struct span word = next_word(p, at);
	int err;

	if (!at.len)
		return diag_at(p->diag, -EINVAL, at, "nothing to compare '%s' with", pred->field);
	err = diag_at(p->diag, -EINVAL, word, "'%s' is neither a number nor a text in quotes", span_quote(p, word));
	if (*span_ptr(p, at) == '+')
		diag_note(p->diag, "help: a number is written without '+'");
	else if (*span_ptr(p, at) != '=')
		diag_note(p->diag, "help: write the text as \"%s\"", span_quote(p, word));
	return err;
}

static int value_parse(struct parse *p, struct span *rest, struct filter_pred *pred)
{
	char first = rest->len ? *span_ptr(p, *rest) : 0;
	bool function = pred->suffix == FILTER_FUNCTION;

	if (function && pred->op != FILTER_EQ && pred->op != FILTER_NE)
		return refuse_op(p, pred, "functions", "write == if the address must be in the function, != if it must not");
	if (first == '"' || first == '\'')
		return string_parse(p, rest, pred);
	if (char_is_digit(first) || (first == '-' && !function))
		return number_parse(p, rest, pred);
	if (span_starts(p, *rest, "CPUS") && !function)
		return cpus_parse(p, rest, pred);
	if (function && span_find(p, *rest, PARSE_SPACE ")&|"))
		return word_parse(p, rest, pred);
	return refuse_value(p, *rest, pred);
}

int filter_pred_parse(struct parse *p, struct span *rest, struct filter_pred **ret)
{
	struct filter_pred *pred = arena_new(p->arena, struct filter_pred);
	uint32_t start = rest->off;
	int err;

	err = field_parse(p, rest, pred);
	if (err)
		return err;
	skip_space(p, rest);
	err = op_parse(p, rest, pred);
	if (err)
		return err;
	skip_space(p, rest);
	err = value_parse(p, rest, pred);
	if (err)
		return err;
	pred->at = (struct span){ start, rest->off - start };
	*ret = pred;
	return 0;
}
