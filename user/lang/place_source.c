// SPDX-License-Identifier: GPL-2.0-only
/*
 * place_source.c - places in the source, as perf probe has them: FILE:LINE, FUNCTION:LINE, FUNCTION@FILE[:LINE],
 * FUNCTION;PATTERN, FILE;PATTERN.
 */
#include <errno.h>

#include "base/number.h"
#include "lang/foreign.h"
#include "lang/place.h"

/* The last ':' with nothing but digits behind it; at.len: there is none. */
static uint32_t find_line(const struct parse *p, struct span at)
{
	uint32_t colon = span_find_last(p, at, ':'), i = colon + 1;

	while (i < at.len && char_is_digit(span_ptr(p, at)[i]))
		i++;
	return i == at.len && colon + 1 < at.len ? colon : at.len;
}

static struct span without_suffix(const struct parse *p, struct span at)
{
	return span_head(at, span_find(p, at, "%"));
}

/* MODULE: in front. A C++ name has "::". */
static struct span module_of(const struct parse *p, struct span at)
{
	uint32_t colon = span_find(p, at, ":");

	return colon < at.len && !(colon + 1 < at.len && span_ptr(p, at)[colon + 1] == ':') ? span_head(at, colon) : span_head(at, 0);
}

static struct span behind(struct span at, struct span module)
{
	return module.len ? span_tail(at, module.len + 1) : at;
}

/* The last '+' with something behind it that is not a part of a path; at.len: there is none. */
static uint32_t find_offset(const struct parse *p, struct span at)
{
	uint32_t sign = span_find_last(p, at, '+');

	return sign < at.len && !foreign_is_source_file(p, at) ? sign : at.len;
}

/* p:NAME, r8:NAME, -:NAME: two definitions with ';' between them, which are refused. */
static bool begins_definition(const struct parse *p, struct span at)
{
	uint32_t i = 1;

	while (i < at.len && char_is_digit(span_ptr(p, at)[i]))
		i++;
	return strchr("prfte-", *span_ptr(p, at)) && (i == at.len || span_ptr(p, at)[i] == ':');
}

/* A function or a file, and a pattern for the text of its lines. */
static bool has_pattern(const struct parse *p, struct span at)
{
	uint32_t semicolon = span_find(p, at, ";");
	struct span head = span_head(at, semicolon);

	return semicolon && semicolon + 1 < at.len && !begins_definition(p, span_tail(at, semicolon + 1)) && span_find(p, head, "*?[,+%") == head.len && !char_is_digit(*span_ptr(p, head));
}

/* Has it a sign that no function's name has? A method of Go is called main.(*Shape).Area. */
static bool has_foreign_sign(const struct parse *p, struct span at)
{
	uint32_t i = 0;

	while (i < at.len && (!strchr("*?[,+-/", span_ptr(p, at)[i]) || (i && span_ptr(p, at)[i] == '*' && span_ptr(p, at)[i - 1] == '(')))
		i++;
	return i < at.len;
}

bool place_is_source(const struct parse *p, struct span at)
{
	struct span rest = without_suffix(p, at);
	uint32_t line = find_line(p, rest), at_sign = span_find(p, rest, "@");

	if (has_pattern(p, at))
		return true;

	if (line < rest.len) {
		rest = span_head(rest, line);
		if (foreign_is_source_file(p, rest))
			return span_find(p, rest, "*?[,") == rest.len;
		return rest.len && !char_is_digit(*span_ptr(p, rest)) && !has_foreign_sign(p, rest);
	}
	return at_sign && at_sign < rest.len && foreign_is_source_file(p, span_head(rest, find_offset(p, rest)));
}

bool place_takes_c(const struct parse *p)
{
	const struct place *place = &p->def->place;

	/* At a return the registers have other values. */
	if (p->def->kind == DEF_RETURN)
		return false;
	if (place->in_source)
		return true;
	return p->def->probe == PROBE_UPROBE && place->symbol && !place->pattern && !place->provider;
}

static int line_parse(struct parse *p, struct span at, struct place *place)
{
	uint64_t n;

	if (number_u64(span_ptr(p, at), at.len, 10, &n) || n > INT32_MAX)
		return diag_at(p->diag, -EINVAL, at, "'%s' is not the number of a line", span_quote(p, at));
	place->has_line = true;
	place->line = (unsigned)n;
	return 0;
}

static int offset_parse(struct parse *p, struct span *rest, struct place *place)
{
	uint32_t sign = find_offset(p, *rest);

	if (sign == rest->len)
		return 0;
	place->off_at = span_tail(*rest, sign);
	*rest = span_head(*rest, sign);
	if (!number_u64(span_ptr(p, place->off_at) + 1, place->off_at.len - 1, 0, &place->off) && place->off <= UINT32_MAX)
		return 0;
	return diag_at(p->diag, -EINVAL, place->off_at, "'%s' is not an offset", span_quote(p, place->off_at));
}

int place_refuse_file(struct parse *p, struct span at)
{
	uint32_t colon = span_find_last(p, at, ':');

	if (colon + 1 != at.len || !foreign_is_source_file(p, span_head(at, colon)))
		return 0;
	diag_at(p->diag, -EINVAL, at, "the number of a line is missing behind '%s'", span_quote(p, at));
	diag_note(p->diag, "help: bprobe --lines %s lists those that have code", span_quote(p, span_head(at, colon)));
	return -EINVAL;
}

int place_source_parse(struct parse *p, struct span at, struct place *place)
{
	uint32_t semicolon = has_pattern(p, at) ? span_find(p, at, ";") : at.len, colon, at_sign;
	struct span rest = without_suffix(p, span_head(at, semicolon)), line = span_tail(rest, rest.len), module, function, file;
	int err = place_suffix_parse(p, span_tail(span_head(at, semicolon), rest.len));

	if (semicolon < at.len) {
		place->like_at = span_tail(at, semicolon + 1);
		place->lines_like = span_dup(p, place->like_at);
		line = span_tail(at, semicolon);
	}
	colon = find_line(p, rest);
	if (!err && colon < rest.len && place->lines_like)
		return diag_at(p->diag, -EINVAL, at, "'%s' has both a line and a pattern of lines", span_quote(p, at));
	if (!err && colon < rest.len) {
		err = line_parse(p, span_tail(rest, colon + 1), place);
		line = span_tail(rest, colon);
		rest = span_head(rest, colon);
	}
	if (!err && !place->has_line)
		err = offset_parse(p, &rest, place);
	if (err)
		return err;
	if ((place->has_line || place->lines_like) && p->def->kind == DEF_RETURN) {
		diag_at(p->diag, -EINVAL, line, "a line has no return");
		diag_note(p->diag, "help: write p for the line, or the function's name without a line");
		return -EINVAL;
	}
	place->in_source = true;
	module = place->path ? span_head(rest, 0) : module_of(p, rest);
	if (module.len) {
		place->module_at = module;
		place->module = span_dup(p, module);
	}
	rest = behind(rest, module);
	at_sign = span_find(p, rest, "@");
	function = foreign_is_source_file(p, rest) && at_sign == rest.len ? span_head(rest, 0) : span_head(rest, at_sign);
	file = at_sign < rest.len ? span_tail(rest, at_sign + 1) : function.len ? span_head(rest, 0) : rest;
	if (at_sign < rest.len && (!function.len || !file.len))
		return diag_at(p->diag, -EINVAL, at, "no %s in '%s'", function.len ? "file behind '@'" : "function in front of '@'", span_quote(p, at));
	if (file.len)
		place->file = span_dup(p, file);
	place->symbol_at = function.len ? function : file;
	if (function.len)
		place->symbol = span_dup(p, function);
	if (!file.len && !function.len)
		return diag_at(p->diag, -EINVAL, at, "no file or function in '%s'", span_quote(p, at));
	return 0;
}

void place_source_print(const struct place *place, struct buf *out)
{
	if (place->symbol)
		buf_adds(out, place->symbol);
	if (place->symbol && place->file)
		buf_addc(out, '@');
	if (place->file)
		buf_adds(out, place->file);
	if (place->has_line)
		buf_addf(out, ":%u", place->line);
	if (place->lines_like)
		buf_addf(out, ";%s", place->lines_like);
	if (place->off)
		buf_addf(out, "+%llu", (unsigned long long)place->off);
}

/* As perf probe: FUNCTION_L5. A line of a file: FILE_460. */
char *place_source_event_name(struct parse *p)
{
	const struct place *place = &p->def->place;
	const char *slash = place->file ? strrchr(place->file, '/') : NULL, *file = slash ? slash + 1 : place->file;

	if (place->lines_like && !place->symbol)
		return arena_printf(p->arena, "%.*s_line", (int)strcspn(file, "."), file);
	if (place->lines_like)
		return arena_printf(p->arena, "%s_line", place->symbol);
	if (place->symbol && place->has_line)
		return arena_printf(p->arena, "%s_L%u", place->symbol, place->line);
	if (place->symbol)
		return arena_printf(p->arena, "%c_%s_%lu", p->def->kind == DEF_RETURN ? 'r' : 'p', place->symbol,
				    (unsigned long)place->off);
	return arena_printf(p->arena, "%.*s_%u", (int)strcspn(file, "."), file, place->line);
}
