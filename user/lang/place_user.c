// SPDX-License-Identifier: GPL-2.0-only
/*
 * place_user.c - places in programs and libraries: offsets, functions, markers.
 */
#include <errno.h>

#include "base/number.h"
#include "lang/foreign.h"
#include "lang/place.h"

static bool contains(const struct parse *p, struct span at, const char *text)
{
	for (uint32_t i = 0; i < at.len; i++) {
		if (span_starts(p, span_tail(at, i), text))
			return true;
	}
	return false;
}

/*
 * Where the path ends. If a number is behind the last ':', the path ends there, since a path may have ':' in it (6.12,
 * kernel/trace/trace_uprobe.c, __trace_uprobe_create()). Else it ends at the first ':', since a function's name may have ':' in it, too.
 */
static uint32_t path_end(const struct parse *p, struct span whole)
{
	/* A pattern for the text of lines may have anything. */
	struct span at = span_head(whole, span_find(p, whole, ";"));
	uint32_t last = span_find_last(p, at, ':'), first = span_find(p, at, ":");

	/* PATH:FILE:LINE and PATH:FUNCTION:LINE */
	if (first == at.len)
		return whole.len;
	if (first < last && last < at.len && span_ptr(p, at)[first + 1] != ':' && place_is_source(p, span_tail(at, first + 1)) &&
	    (p->names_program || span_find(p, span_head(at, first), "/") < first || contains(p, span_head(at, first), ".so")))
		return first;

	if (last + 1 < at.len && char_is_digit(span_ptr(p, at)[last + 1]))
		return last;
	return first;
}

bool place_is_user(const struct parse *p, struct span at)
{
	struct span path = span_head(at, path_end(p, at));

	if (path.len == at.len)		/* the file of FUNCTION@FILE may have a '/' */
		return span_find(p, at, "/") < at.len && !place_is_source(p, at) && !(p->in_source && foreign_is_source_file(p, at));
	/* An absolute path is a program's, whatever it ends with. */
	if (*span_ptr(p, path) != '/' && foreign_is_source_file(p, path) && foreign_is_line(p, at))
		return false;
	return span_find(p, path, "/") < path.len || contains(p, path, ".so");
}

/* (REF_CTR) at the end. *rest is what is in front of it. */
static int ref_ctr_parse(struct parse *p, struct span *rest, uint64_t *ret)
{
	uint32_t open = span_find(p, *rest, "("), close;
	struct span number;

	if (open == rest->len)
		return 0;
	number = span_tail(*rest, open + 1);
	close = span_find(p, number, ")");
	if (close == number.len)
		return diag_at(p->diag, -EINVAL, span_end(number), "'%s' is not closed with ')'",
			       span_quote(p, span_tail(*rest, open)));
	if (close + 1 < number.len) {
		diag_at(p->diag, -EINVAL, span_tail(number, close + 1), "'%s' behind the last ')'",
			span_quote(p, span_tail(number, close + 1)));
		if (span_is(p, span_tail(number, close + 1), "%return"))
			diag_note(p->diag, "help: write it in front: %s%%return%s", span_quote(p, span_head(*rest, open)),
				  span_quote(p, span_head(span_tail(*rest, open), close + 2)));
		return -EINVAL;
	}
	number = span_head(number, close);
	*rest = span_head(*rest, open);
	if (!number_u64(span_ptr(p, number), number.len, 0, ret))
		return 0;
	diag_at(p->diag, -EINVAL, number, "'%s' is not the offset of a counter in the file", span_quote(p, number));
	diag_note(p->diag, "help: in parentheses is where the counter of a marker (its semaphore) is in the file, as in (0x2a30)");
	return -EINVAL;
}

static int offset_parse(struct parse *p, struct place *place, struct span rest)
{
	struct span suffix;
	int err = ref_ctr_parse(p, &rest, &place->ref_ctr);

	if (err)
		return err;
	suffix = span_tail(rest, span_find(p, rest, "%"));
	rest = span_head(rest, rest.len - suffix.len);
	err = place_suffix_parse(p, suffix);
	if (err)
		return err;
	place->off_at = rest;
	if (!number_u64(span_ptr(p, rest), rest.len, 0, &place->addr))
		return 0;
	diag_at(p->diag, -EINVAL, rest, "'%s' is not an offset in the file", span_quote(p, rest));
	diag_note(p->diag, "help: write a number, as in %s:0x1040, or a function's name", span_quote(p, place->owner_at));
	return -EINVAL;
}

/* The single ':' between a marker's provider and its name; at.len: there is none. "::" belongs to C++ and Rust. */
static uint32_t find_colon(const struct parse *p, struct span at)
{
	for (uint32_t i = 0; i < at.len; i++) {
		if (span_ptr(p, at)[i] != ':')
			continue;
		if (i + 1 == at.len || span_ptr(p, at)[i + 1] != ':')
			return i;
		i++;
	}
	return at.len;
}

/* Is it (NUMBER)? Other parentheses belong to a C++ function's name. */
static bool is_ref_ctr(const struct parse *p, struct span at)
{
	return at.len > 2 && char_is_digit(span_ptr(p, at)[1]) && span_ptr(p, at)[at.len - 1] == ')';
}

/* Where +OFFSET begins; at.len: it does not end with one. "operator+" has no number behind it, and "f<(1+2)>" not a number alone. */
static uint32_t find_offset(const struct parse *p, struct span at)
{
	uint32_t sign = span_find_last(p, at, '+');
	struct span number = span_tail(at, MIN(sign + 1, at.len));

	if (!number.len || !char_is_digit(*span_ptr(p, number)))
		return at.len;
	for (uint32_t i = 0; i < number.len; i++) {
		char c = span_ptr(p, number)[i];

		if (!char_is_digit(c) && !char_is_alpha(c))
			return at.len;
	}
	return sign;
}

/* What is in front of the offset must not end with another one: an offset of 0 is not printed. */
static int function_offset_parse(struct parse *p, struct place *place, struct span *rest)
{
	uint32_t sign = find_offset(p, *rest);
	struct span number = span_tail(*rest, MIN(sign + 1, rest->len));

	if (sign == rest->len)
		return 0;
	place->off_at = span_tail(*rest, sign);
	*rest = span_head(*rest, sign);
	if (number_u64(span_ptr(p, number), number.len, 0, &place->off))
		return diag_at(p->diag, -EINVAL, number, "'%s' is not an offset", span_quote(p, number));
	if (find_offset(p, *rest) < rest->len)
		return diag_at(p->diag, -EINVAL, place->off_at, "'%s' is a second offset", span_quote(p, place->off_at));
	return 0;
}

static bool is_pattern(const struct parse *p, struct span name)
{
	return span_find(p, name, "*?[,") < name.len && span_find(p, name, "(<") == name.len && !contains(p, name, "operator");
}

/* "NAME"[+OFFSET][%return]: the quotes show where a name with blanks ends. */
static int quoted_parse(struct parse *p, struct place *place, struct span at)
{
	struct span inside = span_tail(at, 1), rest;
	uint32_t end = span_find(p, inside, "\""), suffix;
	int err;

	if (end == inside.len)
		return diag_at(p->diag, -EINVAL, at, "no '\"' ends the name");
	rest = span_tail(inside, end + 1);
	place->quoted = true;
	place->symbol_at = span_head(inside, end);
	place->symbol = span_dup(p, place->symbol_at);
	suffix = span_find(p, rest, "%");
	err = place_suffix_parse(p, span_tail(rest, suffix));
	rest = span_head(rest, suffix);
	if (!err)
		err = function_offset_parse(p, place, &rest);
	if (!err && rest.len)
		err = diag_at(p->diag, -EINVAL, rest, "only +OFFSET or %%return can be behind the name");
	if (!err && !end)
		err = diag_at(p->diag, -EINVAL, at, "no name between the quotes");
	return err;
}

static int symbol_parse(struct parse *p, struct place *place, struct span rest)
{
	uint32_t open = span_find_last(p, rest, '('), suffix, colon;
	int err;

	if (open < rest.len && is_ref_ctr(p, span_tail(rest, open))) {
		struct span ref_ctr = span_tail(rest, open);

		err = ref_ctr_parse(p, &ref_ctr, &place->ref_ctr);
		if (err)
			return err;
		rest = span_head(rest, open);
	}
	suffix = span_find(p, rest, "%");
	err = place_suffix_parse(p, span_tail(rest, suffix));
	if (err)
		return err;
	rest = span_head(rest, suffix);
	err = function_offset_parse(p, place, &rest);
	if (err)
		return err;
	open = span_find_last(p, rest, '(');
	if (open < rest.len && is_ref_ctr(p, span_tail(rest, open)))
		return diag_at(p->diag, -EINVAL, span_tail(rest, open), "a counter such as '%s' is written once, at the end",
			       span_quote(p, span_tail(rest, open)));
	colon = find_colon(p, rest);
	if (colon < rest.len) {
		if (!colon || colon + 1 == rest.len || place->off_at.len || p->def->kind == DEF_RETURN) {
			diag_at(p->diag, -EINVAL, rest, "'%s' is not a marker", span_quote(p, rest));
			diag_note(p->diag, "help: a marker is PATH:PROVIDER:NAME, a function PATH:FUNCTION; only functions have "
				  "offsets and returns");
			return -EINVAL;
		}
		place->provider = span_dup(p, span_head(rest, colon));
		rest = span_tail(rest, colon + 1);
	}
	place->symbol_at = rest;
	place->symbol = span_dup(p, rest);
	/* A marker may have many places. */
	place->pattern = place->provider || is_pattern(p, rest);
	if (!rest.len)
		return diag_at(p->diag, -EINVAL, rest, "no function behind '%s'", span_quote(p, place->owner_at));
	if (place->pattern && place->off_at.len)
		return diag_at(p->diag, -EINVAL, place->off_at, "a pattern means functions, so it cannot have an offset");
	return 0;
}

int place_user_parse(struct parse *p, struct span at)
{
	uint32_t end = path_end(p, at);
	struct place place = { .at = at, .owner_at = span_head(at, end) };
	struct span rest = span_tail(at, MIN(end + 1, at.len));
	int err = place_refuse_file(p, at);

	if (err)
		return err;
	if (end == at.len) {
		diag_at(p->diag, -EINVAL, at, "'%s' is a file; which place in it?", span_quote(p, at));
		diag_note(p->diag, "help: write %s:FUNCTION, or %s:OFFSET", span_quote(p, at), span_quote(p, at));
		return -EINVAL;
	}
	place.path = span_dup(p, place.owner_at);
	if (!rest.len)
		return diag_at(p->diag, -EINVAL, span_end(at), "no function or offset behind ':'");
	if (span_starts(p, rest, "\""))
		err = quoted_parse(p, &place, rest);
	else if (p->in_source || place_is_source(p, rest))
		err = place_source_parse(p, rest, &place);
	else
		err = char_is_digit(*span_ptr(p, rest)) ? offset_parse(p, &place, rest) : symbol_parse(p, &place, rest);
	if (!err)
		p->def->place = place;
	return err;
}

/* Like the kernel's listing (6.12, kernel/trace/trace_uprobe.c, trace_uprobe_show()). */
void place_user_print(const struct place *place, struct buf *out)
{
	buf_addf(out, "%s:", place->path);
	if (place->in_source) {
		place_source_print(place, out);
		return;
	}
	if (place->provider && place->symbol)
		buf_addf(out, "%s:", place->provider);
	if (place->symbol)
		buf_addf(out, "%s%s%s", place->quoted ? "\"" : "", place->symbol, place->quoted ? "\"" : "");
	else
		buf_addf(out, "0x%016llx", (unsigned long long)place->addr);
	if (place->off)
		buf_addf(out, "+%llu", (unsigned long long)place->off);
	if (place->ref_ctr)
		buf_addf(out, "(0x%llx)", (unsigned long long)place->ref_ctr);
}

/* The kernel's names always begin with 'p', and have the file's name up to its first '.', '-' or '_'. */
char *place_user_event_name(struct parse *p)
{
	const struct place *place = &p->def->place;
	const char *slash = strrchr(place->path, '/'), *file = slash ? slash + 1 : place->path;
	int len = (int)strcspn(file, ".-_");

	if (place->in_source)
		return place_source_event_name(p);
	if (!place->symbol)
		return arena_printf(p->arena, "p_%.*s_0x%llx", len, file, (unsigned long long)place->addr);
	if (place->provider)
		return arena_printf(p->arena, "%s_%s", place->provider, place->symbol);
	return arena_printf(p->arena, "%c_%.*s_%.*s_%llu", p->def->kind == DEF_RETURN ? 'r' : 'p', len, file,
			    (int)strcspn(place->symbol, "("), place->symbol, (unsigned long long)place->off);
}
