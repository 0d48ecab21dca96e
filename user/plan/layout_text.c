// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout_text.c - a record's layout as text.
 */
#include "plan/layout_text.h"

#include <errno.h>

#include "arch/text.h"
#include "base/words.h"
#include "lang/type_words.h"
#include "plan/backend.h"

/* The text has names instead of numbers, so that a new kind in the middle of the enumeration changes nothing. */
static const char *const kinds[] = {
	[TYPE_NONE] = "none", [TYPE_UNSIGNED] = "u", [TYPE_SIGNED] = "s", [TYPE_HEX] = "x", [TYPE_CHAR] = "char",
	[TYPE_SYMBOL] = "symbol", [TYPE_SYMSTR] = "symstr", [TYPE_STRING] = "string", [TYPE_USTRING] = "ustring",
	[TYPE_BITFIELD] = "b", [TYPE_DENTRY] = "pd", [TYPE_FILE] = "pD", [TYPE_BYTES] = "bytes", [TYPE_BLOCK] = "block",
	[TYPE_BUFFER] = "buffer", [TYPE_PATH] = "path",
};

/* The word of a line behind the field's. SHOW_PLAIN has no such line. A bprobe that does not know such lines refuses the text. */
static const char *const shows[SHOW_COUNT] = {
	[SHOW_PLAIN] = "plain",
#define ROW(id, kept, ...)	[SHOW_##id] = kept,
	SHOWN_TYPES(ROW)
#undef ROW
};

static const char *const dialects[DIALECT_COUNT] = {
	[DIALECT_KPROBE] = "kprobe", [DIALECT_RFC_V2] = "rfc-v2", [DIALECT_V13] = "v13", [DIALECT_FUNCTION] = "function",
};

/* The word of a line behind the field's; ELAPSED_NOT has no such line. */
static const char *const elapsed[] = { [ELAPSED_NOT] = "-", [ELAPSED_CALL] = "call", [ELAPSED_PAIR] = "pair" };

/* Where an array ends: at its last element, at a NULL, or at a frame that is 0. */
enum { END_LAST, END_NULL, END_STACK };
static const char *const ends[] = { [END_LAST] = "-", [END_NULL] = "null", [END_STACK] = "stack" };

static void print_show(const struct layout_field *f, struct buf *out)
{
	if (f->type.show || f->type.until_null || f->type.is_stack)
		buf_addf(out, "show %s %s\n", shows[f->type.show], ends[f->type.until_null ? END_NULL : f->type.is_stack ? END_STACK : END_LAST]);
	for (unsigned i = 0; type_names(&f->type) == SHOWN_OWN && i < f->names->nr; i++)
		buf_addf(out, "value %llu %s\n", (unsigned long long)f->names->all[i].value, f->names->all[i].name);
}

static const char *const stacks[STACK_KINDS] = {
	[STACK_KERNEL] = "kernel", [STACK_USER] = "user", [STACK_USER_IDS] = "user-ids", [STACK_USER_TEXT] = "user-text",
};

static const char *const probes[PROBE_KINDS] = {
	[PROBE_KPROBE] = "kprobe", [PROBE_UPROBE] = "uprobe", [PROBE_FPROBE] = "fprobe", [PROBE_TRACEPOINT] = "tracepoint",
	[PROBE_EVENT] = "event",
};

void layout_print(const struct layout *l, struct buf *out)
{
	buf_addf(out, "layout %s %s %s %s %s %s %s\n", l->is_synthetic ? "s" : l->is_return ? "r" : "p", l->backend->name,
		 l->at_breakpoint ? BREAKPOINT_NAME : "-", dialects[l->dialect], l->has_parent ? "parent" : "-",
		 l->at_entry ? "entry" : "-", l->func ? l->func : "");
	if (l->typed)
		buf_addf(out, "typed %s\n", l->typed);
	if (l->probe != PROBE_KPROBE)
		buf_addf(out, "kind %s %llu %s\n", probes[l->probe], (unsigned long long)l->site_off, l->site_name ? l->site_name : "");
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (l->stacks & 1u << i)
			buf_addf(out, "stack %s\n", stacks[i]);
	}
	if (l->nr_hidden)
		buf_addf(out, "hidden %u\n", l->nr_hidden);
	for (unsigned i = 0; i < layout_all(l); i++) {
		const struct layout_field *f = &l->fields[i];

		buf_addf(out, "field %s %u %u %u %u %u %s %u %s %u %u %s %s\n", kinds[f->type.kind], f->type.size,
			 f->type.bit_width, f->type.bit_off, f->type.count, f->count,
			 f->mark != LAYOUT_NO_MARK ? "mark" : "-", f->room, f->grows ? "grows" : "-",
			 f->bit_off, f->bit_width, f->typed ? "typed" : "-", f->name);
		if (f->label)
			buf_addf(out, "label %s\n", f->label);
		if (f->own_type)
			buf_addf(out, "own-type %s\n", f->own_type);
		if (f->elapsed)
			buf_addf(out, "elapsed %s\n", elapsed[f->elapsed]);
		print_show(f, out);
	}
}

static int parse_kind(struct words *w, enum type_kind *ret)
{
	int which = words_choice(w, kinds, ARRAY_SIZE(kinds));

	if (which < 0)
		return which;
	*ret = (enum type_kind)which;
	return 0;
}

/* Can a definition have this type? The code that prints values does not check the type again. */
static bool type_is_whole(const struct type *t, uint32_t count)
{
	bool is_number = t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;

	if (t->count ? t->count != count : count != 1)
		return false;
	if (t->until_null && ((t->kind != TYPE_STRING && t->kind != TYPE_USTRING) || t->count != LANG_MAX_VECTOR + 1))
		return false;
	if (t->is_stack && (t->kind != TYPE_SYMBOL || t->show || !t->count))
		return false;
	if (t->show ? !type_word_fits(t) : type_in_memory(t))
		return false;
	switch (t->kind) {
	case TYPE_BYTES:
		return true;		/* type_word_fits() has looked at the size */
	case TYPE_NONE:
		return false;
	case TYPE_BITFIELD:
		return is_number && t->bit_width && t->bit_width + t->bit_off <= 8 * t->size;
	case TYPE_CHAR:
		return t->size == 1;
	case TYPE_SYMBOL:
		return t->size == 8;
	default:
		return type_is_dynamic(t) ? !t->size : is_number;
	}
}

/* Is it a symbol's name without characters that must be escaped in a line or in JSON? */
static bool is_symbol(const char *s)
{
	for (; s && *s; s++) {
		if (*s <= ' ' || *s > '~' || *s == '"' || *s == '\\')
			return false;
	}
	return true;
}

/* The same for a function of a program: names of C++ and Rust have spaces, and letters of all languages. */
static bool is_name(const char *s)
{
	for (; s && *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f || *s == '"' || *s == '\\')
			return false;
	}
	return true;
}

static bool is_printable(const char *s)
{
	for (; s && *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	}
	return true;
}

static int parse_field(struct arena *arena, struct words *w, struct layout_field *f)
{
	f->mark = LAYOUT_NO_MARK;
	if (parse_kind(w, &f->type.kind))
		return -EBADMSG;
	f->type.size = (uint8_t)words_number(w, UINT8_MAX);
	f->type.bit_width = (uint8_t)words_number(w, UINT8_MAX);
	f->type.bit_off = (uint8_t)words_number(w, UINT8_MAX);
	f->type.count = (uint8_t)words_number(w, LANG_MAX_ARRAY);
	f->count = (uint32_t)words_number(w, LANG_MAX_ARRAY);
	if (words_flag(w, "mark"))
		f->mark = 0;
	f->room = (uint32_t)words_number(w, LAYOUT_LONG_STRING);
	f->grows = words_flag(w, "grows");
	f->bit_off = (uint8_t)words_number(w, UINT8_MAX);
	f->bit_width = (uint8_t)words_number(w, UINT8_MAX);
	f->typed = words_flag(w, "typed");
	f->name = words_rest(w, arena);
	if (w->bad || !name_is_ident(f->name, strlen(f->name)) || f->bit_width + f->bit_off > 64)
		return -EBADMSG;
	return 0;
}

/* What is measured, in the line behind the field's. Only a number can be a time. */
static int parse_elapsed(const char **at, struct layout_field *f)
{
	struct words w;
	int which;

	if (!words_open(&w, *at, "elapsed"))
		return 0;
	which = words_choice(&w, elapsed, ARRAY_SIZE(elapsed));
	if (which <= 0 || w.bad || f->type.count || (f->type.kind != TYPE_UNSIGNED && f->type.kind != TYPE_SIGNED && f->type.kind != TYPE_HEX))
		return -EBADMSG;
	f->elapsed = (enum layout_elapsed)which;
	*at = words_next_line(*at);
	return 0;
}

/* The lines "value N NAME" at *at. Moves behind them. */
static int parse_values(struct arena *arena, const char **at, struct layout_field *f)
{
	struct names *names = arena_new(arena, struct names);
	struct words w;

	for (const char *line = *at; words_line_is(line, "value"); line = words_next_line(line))
		names->nr++;
	if (names->nr > NAMES_MAX)
		return -EBADMSG;
	names->all = arena_array(arena, struct name_of, names->nr);
	for (unsigned i = 0; words_open(&w, *at, "value"); i++) {
		names->all[i].value = words_number(&w, names_cut(UINT64_MAX, layout_bits(f)));
		names->all[i].name = words_rest(&w, arena);
		if (w.bad || !name_is_ident(names->all[i].name, strlen(names->all[i].name)))
			return -EBADMSG;
		*at = words_next_line(*at);
	}
	names_sort(names);
	f->names = names;
	return 0;
}

/* How the field is shown: lines behind its own, if there are any. Then the type is complete. */
static int parse_show(struct arena *arena, const char **at, struct layout_field *f)
{
	struct words w;
	int show = SHOW_PLAIN, end = END_LAST, err = 0;

	if (words_open(&w, *at, "show")) {
		show = words_choice(&w, shows, ARRAY_SIZE(shows));
		end = words_choice(&w, ends, ARRAY_SIZE(ends));
		f->type.until_null = end == END_NULL;
		f->type.is_stack = end == END_STACK;
		if (w.bad || show < 0 || end < 0)
			return -EBADMSG;
		*at = words_next_line(*at);
	}
	f->type.show = (enum type_show)show;
	if (!type_is_whole(&f->type, f->count))
		return -EBADMSG;
	if (type_names(&f->type) == SHOWN_ERRORS)
		f->names = names_of_errors(arena, layout_bits(f));
	else if (type_names(&f->type) == SHOWN_OWN)
		err = parse_values(arena, at, f);
	return err;
}

static int parse_head(struct arena *arena, struct words *w, struct layout *l)
{
	static const char *const sides[] = { "p", "r", "s" };
	int side = words_choice(w, sides, ARRAY_SIZE(sides));
	const char *backend = words_word(w, arena);
	int dialect;
	const char *func;

	l->is_return = side == 1;
	l->is_synthetic = side == 2;
	l->backend = l->is_synthetic ? &backend_none : backend_find(backend);
	l->at_breakpoint = words_flag(w, BREAKPOINT_NAME);
	dialect = words_choice(w, dialects, ARRAY_SIZE(dialects));
	l->dialect = (enum dialect)MAX(dialect, 0);
	l->has_parent = words_flag(w, "parent");
	l->at_entry = words_flag(w, "entry");
	func = words_rest(w, arena);
	l->func = *func ? func : NULL;
	return w->bad || side < 0 || !l->backend ? -EBADMSG : 0;
}

/* If the line has this key, returns the rest of the line and moves to the next line. Otherwise NULL. */
static const char *take_line(struct arena *arena, const char **at, const char *key)
{
	struct words w;

	if (!words_open(&w, *at, key))
		return NULL;
	*at = words_next_line(*at);
	return words_rest(&w, arena);
}

static bool is_of_field(const char *line)
{
	return words_line_is(line, "field") || words_line_is(line, "label") || words_line_is(line, "own-type") || words_line_is(line, "elapsed") ||
	       words_line_is(line, "show") || words_line_is(line, "value");
}

/* Reads the line of kinds other than kprobes, and what is shown as the place. */
static int parse_probe(struct arena *arena, const char **at, struct layout *l)
{
	struct words w;
	const char *name;
	int probe;

	if (!words_open(&w, *at, "kind"))
		return 0;
	probe = words_choice(&w, probes, ARRAY_SIZE(probes));
	l->site_off = words_number(&w, UINT64_MAX);
	name = words_rest(&w, arena);
	if (probe < 0 || w.bad || !is_printable(name))
		return -EBADMSG;
	l->probe = (enum probe_kind)probe;
	l->site = layout_site_of(l->probe);
	l->site_name = *name ? name : NULL;
	if (l->site != SITE_KERNEL && !l->site_name)
		return -EBADMSG;
	*at = words_next_line(*at);
	return 0;
}

/* Reads the lines that name stacks. */
static int parse_stacks(const char **at, unsigned *ret)
{
	struct words w;

	for (; words_open(&w, *at, "stack"); *at = words_next_line(*at)) {
		int which = words_choice(&w, stacks, ARRAY_SIZE(stacks));

		if (which < 0 || w.bad || *ret & 1u << which || (1u << which & STACKS_USER && *ret & STACKS_USER))
			return -EBADMSG;
		*ret |= 1u << which;
	}
	return 0;
}

static unsigned count_fields(const char *text)
{
	unsigned nr = 0;

	for (; is_of_field(text); text = words_next_line(text))
		nr += words_line_is(text, "field");
	return nr;
}

/* Do the parts fit together? A parent must be the first field, and one number of eight bytes. */
static bool layout_is_whole(const struct layout *l)
{
	const struct layout_field *first = l->fields;

	for (unsigned i = 0; i < layout_all(l); i++) {
		if (!is_printable(l->fields[i].label) || !is_printable(l->fields[i].own_type))
			return false;
	}
	if (l->has_parent && (l->is_return || !l->nr_fields || first->count != 1 || first->type.size != 8))
		return false;
	if (l->site == SITE_USER)
		return is_name(l->func) && is_name(l->typed);
	return is_symbol(l->func) && is_symbol(l->typed);
}

int layout_parse(struct arena *arena, const char **text, struct layout *ret)
{
	const char *at = *text;
	struct layout l = { 0 };
	struct words w;
	unsigned nr;
	int err;

	if (!words_open(&w, at, "layout"))
		return -EBADMSG;
	err = parse_head(arena, &w, &l);
	at = words_next_line(at);
	l.typed = take_line(arena, &at, "typed");
	if (!err)
		err = parse_probe(arena, &at, &l);
	if (!err)
		err = parse_stacks(&at, &l.stacks);
	if (!err && words_line_is(at, "hidden")) {
		words_open(&w, at, "hidden");
		l.nr_hidden = (unsigned)words_number(&w, LANG_MAX_ARGS);
		if (w.bad)
			return -EBADMSG;
		at = words_next_line(at);
	}
	nr = count_fields(at);
	if (nr > 2 * LANG_MAX_ARGS || nr < l.nr_hidden || nr - l.nr_hidden > LANG_MAX_ARGS)
		return -EBADMSG;
	l.nr_fields = nr - l.nr_hidden;
	l.fields = arena_array(arena, struct layout_field, nr);
	for (unsigned i = 0; !err && i < nr; i++) {
		if (!words_open(&w, at, "field"))
			return -EBADMSG;
		err = parse_field(arena, &w, &l.fields[i]);
		at = words_next_line(at);
		l.fields[i].label = take_line(arena, &at, "label");
		l.fields[i].own_type = take_line(arena, &at, "own-type");
		if (!err)
			err = parse_elapsed(&at, &l.fields[i]);
		if (!err)
			err = parse_show(arena, &at, &l.fields[i]);
	}
	if (err || !layout_is_whole(&l) || layout_compute(&l) >= 0)
		return -EBADMSG;
	*ret = l;
	*text = at;
	return 0;
}
