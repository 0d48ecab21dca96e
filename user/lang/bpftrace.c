// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpftrace.c - what to type in place of a program of bpftrace that only counts or prints.
 */
#include "lang/bpftrace.h"

#include <string.h>

#include "base/macros.h"
#include "base/number.h"
#include "lang/ast.h"
#include "lang/parse.h"

struct translation {
	const char *at;			/* the text that is left */
	bool is_event, is_return;
	struct buf args;		/* " NAME=EXPRESSION" for each value that is fetched */
	struct buf filter;		/* conditions on them, without "if" */
	struct buf options;
};

static void skip(struct translation *t)
{
	t->at += strspn(t->at, PARSE_SPACE);
}

/* Takes @text if it comes next. A word must end there. */
static bool take(struct translation *t, const char *text)
{
	size_t len = strlen(text);

	skip(t);
	if (strncmp(t->at, text, len) || (char_is_alpha(*text) && (char_is_alpha(t->at[len]) || char_is_digit(t->at[len]) || t->at[len] == '_')))
		return false;
	t->at += len;
	return true;
}

static bool take_number(struct translation *t, struct buf *out)
{
	bool minus;
	uint64_t n;
	size_t len;

	skip(t);
	minus = *t->at == '-';
	len = strspn(t->at + minus, "0123456789abcdefxABCDEFX");
	if (number_u64(t->at + minus, len, 0, &n))
		return false;
	len += minus;
	buf_add(out, t->at, len);
	t->at += len;
	return true;
}

/* "TEXT". Quotes of the shell, escapes and several lines are not translated. */
static bool take_text(struct translation *t, struct buf *out)
{
	size_t len;

	skip(t);
	if (*t->at != '"')
		return false;
	len = strcspn(t->at + 1, "\"\\'\n");
	if (t->at[1 + len] != '"')
		return false;
	buf_add(out, t->at + 1, len);
	t->at += len + 2;
	return true;
}

static bool take_name(struct translation *t, struct buf *out)
{
	size_t len = 0;

	while (char_is_alpha(t->at[len]) || t->at[len] == '_' || (len && char_is_digit(t->at[len])))
		len++;
	buf_add(out, t->at, len);
	t->at += len;
	return len;
}

/* ---- values ---- */

/* What every hit has, by the name that bprobe gives it. Its pid is the thread's. The number of the process is no key. */
static const struct { const char *theirs, *ours; } known[] = {
	{ "comm", "comm" }, { "tid", "pid" }, { "cpu", "cpu" }, { "func", "function" }, { "probe", "function" }, { "kstack", "stack" },
};

static bool is_fetched(const struct translation *t, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = buf_str(&t->args); (at = strchr(at, ' ')); ) {
		at++;
		if (!strncmp(at, name, len) && (!at[len] || strchr(" =:", at[len])))
			return true;
	}
	return false;
}

/* The argument @name is fetched once, however often it is named. A parameter's name is its expression, too. */
static void fetch(struct translation *t, const char *name, const char *expression, bool text)
{
	if (is_fetched(t, name))
		return;
	buf_addf(&t->args, " %s", name);
	if (strcmp(name, expression))
		buf_addf(&t->args, "=%s", expression);
	if (text)
		buf_adds(&t->args, ":string");
}

/* args->NAME, args.NAME: of an event a field, of a function a parameter. */
static bool take_member(struct translation *t, bool text, struct buf *ret)
{
	struct buf expression = { 0 };
	bool good;

	if (!take(t, "->") && !take(t, "."))
		return false;
	good = take_name(t, ret) && strcmp(buf_str(ret), "if");		/* it would begin the filter */
	buf_addf(&expression, "%s%s", t->is_event ? "$" : "", buf_str(ret));
	if (good)
		fetch(t, buf_str(ret), buf_str(&expression), text);
	buf_fini(&expression);
	return good;
}

/* argN, which counts from 0: $argN counts from 1. It has no type of its own, so a text is read where it points to. */
static bool take_numbered(struct translation *t, bool text, struct buf *ret)
{
	struct buf expression = { 0 };
	uint64_t n;
	size_t len;

	if (strncmp(t->at, "arg", 3) || !char_is_digit(t->at[3]) || t->is_event || t->is_return)
		return false;
	len = strspn(t->at + 3, "0123456789");
	if (number_u64(t->at + 3, len, 10, &n) || n >= LANG_MAX_ARGS)
		return false;
	t->at += 3 + len;
	buf_addf(ret, "arg%u", (unsigned)n + 1);
	buf_addf(&expression, text ? "+0($%s)" : "$%s", buf_str(ret));
	fetch(t, buf_str(ret), buf_str(&expression), text);
	buf_fini(&expression);
	return true;
}

/* A value: *ret becomes the name of the field that has it. */
static bool take_value(struct translation *t, struct buf *ret)
{
	bool text = take(t, "str"), good;

	if (text && !take(t, "("))
		return false;
	skip(t);
	for (unsigned i = 0; !text && i < ARRAY_SIZE(known); i++) {
		if (take(t, known[i].theirs)) {
			buf_adds(ret, known[i].ours);
			return true;
		}
	}
	if (take(t, "args")) {
		good = take_member(t, text, ret);
	} else if (t->is_return && take(t, "retval")) {
		buf_adds(ret, "ret");
		fetch(t, "ret", "$retval", text);
		good = true;
	} else {
		good = take_numbered(t, text, ret);
	}
	return good && (!text || take(t, ")"));
}

static bool is_known(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(name, known[i].ours))
			return true;
	}
	return false;
}

/* ---- /PREDICATE/ ---- */

static bool take_operator(struct translation *t, struct buf *out)
{
	static const char *const operators[] = { "==", "!=", "<=", ">=", "<", ">" };

	for (unsigned i = 0; i < ARRAY_SIZE(operators); i++) {
		if (take(t, operators[i])) {
			buf_adds(out, operators[i]);
			return true;
		}
	}
	return false;
}

/* A condition that bprobe has as @option: @word == NUMBER, or == "TEXT". False: nothing was taken. */
static bool take_task(struct translation *t, const char *word, const char *option, bool text)
{
	const char *from = t->at;
	struct buf value = { 0 };
	bool good = take(t, word) && take(t, "==") && (text ? take_text(t, &value) : take_number(t, &value));

	if (good)
		buf_addf(&t->options, text ? " %s '%s'" : " %s %s", option, buf_str(&value));
	else
		t->at = from;
	buf_fini(&value);
	return good;
}

/* A text can only be equal or not. */
static bool take_comparison(struct translation *t)
{
	struct buf field = { 0 }, operator = { 0 }, value = { 0 };
	bool good = take_value(t, &field) && !is_known(buf_str(&field)) && take_operator(t, &operator), number;

	number = good && take_number(t, &value);
	good = number || (good && buf_str(&operator)[1] == '=' && !strchr("<>", *buf_str(&operator)) && take_text(t, &value));
	if (good)
		buf_addf(&t->filter, number ? "%s%s %s %s" : "%s%s %s \"%s\"", t->filter.len ? " && " : "", buf_str(&field),
			 buf_str(&operator), buf_str(&value));
	buf_fini(&field);
	buf_fini(&operator);
	buf_fini(&value);
	return good;
}

static bool take_predicate(struct translation *t)
{
	if (!take(t, "/"))
		return true;
	do {
		if (!take_task(t, "comm", "--comm", true) && !take_task(t, "pid", "-p", false) && !take_task(t, "tid", "--tid", false) &&
		    !take_comparison(t))
			return false;
	} while (take(t, "&&"));
	return take(t, "/");
}

/* ---- { STATEMENT } ---- */

static bool take_keys(struct translation *t, struct buf *ret)
{
	struct buf key = { 0 };
	bool good = true;

	if (!take(t, "["))
		return true;
	do {
		buf_reset(&key);
		good = take_value(t, &key);
		buf_addf(ret, "%s%s", ret->len ? "," : "", buf_str(&key));
	} while (good && take(t, ","));
	buf_fini(&key);
	return good && take(t, "]");
}

/* @[KEYS] = FUNCTION(...) */
static bool take_map(struct translation *t)
{
	static const struct { const char *function, *option; } values[] = {
		{ "hist", "histogram" }, { "sum", "sum" }, { "avg", "avg" }, { "min", "min" }, { "max", "max" },
	};
	struct buf keys = { 0 }, name = { 0 }, field = { 0 }, step = { 0 }, bound = { 0 };
	bool good;

	take_name(t, &name);
	good = take_keys(t, &keys) && take(t, "=");
	if (good && take(t, "count")) {
		good = take(t, "(") && take(t, ")");
		buf_addf(&t->options, " --count%s%s", keys.len ? "=" : "", buf_str(&keys));
	} else if (good) {
		bool steps = take(t, "lhist");
		const char *option = steps ? "histogram" : NULL;

		for (unsigned i = 0; !option && i < ARRAY_SIZE(values); i++) {
			if (take(t, values[i].function))
				option = values[i].option;
		}
		good = option && take(t, "(") && take_value(t, &field) && !is_known(buf_str(&field));
		if (good && steps)
			good = take(t, ",") && take_number(t, &bound) && take(t, ",") && take_number(t, &bound) && take(t, ",") &&
			       take_number(t, &step);
		good = good && take(t, ")");
		buf_addf(&t->options, " --%s %s%s%s", option ? option : "", buf_str(&field), step.len ? ":" : "", buf_str(&step));
		if (keys.len)
			buf_addf(&t->options, " --by %s", buf_str(&keys));
	}
	buf_fini(&keys);
	buf_fini(&name);
	buf_fini(&field);
	buf_fini(&step);
	buf_fini(&bound);
	return good;
}

/* printf ("...", VALUE, ...): a line has the task, the thread's number, the CPU and the time, and the values with their names. */
static bool take_printf(struct translation *t)
{
	struct buf value = { 0 };
	bool good = take(t, "(");

	skip(t);
	good = good && *t->at == '"';
	t->at += good;
	while (good && *t->at && *t->at != '"')
		t->at += 1 + (*t->at == '\\' && t->at[1]);
	good = good && *t->at == '"';
	t->at += good;
	while (good && take(t, ",")) {
		buf_reset(&value);
		good = take_value(t, &value);
	}
	buf_fini(&value);
	return good && take(t, ")");
}

static bool take_program(struct translation *t)
{
	bool good = take_predicate(t) && take(t, "{");

	good = good && (take(t, "@") ? take_map(t) : take(t, "printf") && take_printf(t));
	take(t, ";");
	good = good && take(t, "}");
	skip(t);
	return good && !*t->at;
}

bool bpftrace_translate(const char *program, const char *place, struct buf *out)
{
	struct translation t = { .at = program, .is_event = *place == 'e', .is_return = *place == 'r' };
	bool good = !strchr(place, '\'') && *place != 't' && take_program(&t);

	if (good)
		buf_addf(out, "bprobe '%s%s%s%s'%s", place, buf_str(&t.args), t.filter.len ? " if " : "", buf_str(&t.filter), buf_str(&t.options));
	buf_fini(&t.args);
	buf_fini(&t.filter);
	buf_fini(&t.options);
	return good;
}
