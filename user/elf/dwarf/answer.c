// SPDX-License-Identifier: GPL-2.0-only
/*
 * answer.c - the answer to a question about the source, as text:
 *
 *	trouble TEXT			there is no place
 *	known				... but the function, or the file, is known
 *	help TEXT
 *	source LINE PATH		the lines that have code are in this file, and the function is declared in this line
 *	line NUMBER			one of them
 *	inlined I			function I of the question may be inlined somewhere
 *	address I			what follows is of address I of the question
 *	frame LINE FILE			a function that has it, the innermost first,
 *	function NAME			... and its name
 *	file PATH			one of the files that have the places, if they are several
 *	place ADDR OFF SYMBOL
 *	copy NUMBER			it is in this copy of the function
 *	entry				it is the function's first instruction
 *	chain TEXT			what is inlined there
 *	parameter NAME, local NAME	a variable,
 *	type TEXT			... if it is described,
 *	none TEXT			... and cannot be fetched
 *	fetch TYPE TEXT			a value; TYPE may be -
 *	none TEXT			why there is none
 *	similar TEXT			... what may be meant instead
 *	near TEXT			... and the line where it can be fetched
 *	end
 *
 * The reader does not trust it: a symbol, a fetch or a type has only the characters of one, so it cannot be more of a definition.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/macros.h"
#include "base/words.h"
#include "elf/dwarf/answer.h"

enum { MOST_PLACES = 10000 };

/* ---- writing ---- */

/* One line: whatever is in a name of the file. */
static void add_text(struct buf *out, const char *key, const char *text)
{
	buf_addf(out, "%s ", key);
	for (; *text; text++)
		buf_addc(out, (unsigned char)*text < ' ' ? '?' : *text);
	buf_addc(out, '\n');
}

static void print_variable(const struct lines_variable *v, struct buf *out)
{
	add_text(out, v->is_parameter ? "parameter" : "local", v->name);
	if (v->type)
		add_text(out, "type", v->type);
	if (v->trouble)
		add_text(out, "none", v->trouble);
}

static void print_frames(const struct lines_answer *a, const struct lines_query *q, struct buf *out)
{
	for (unsigned i = 0; i < q->nr_addresses; i++) {
		if (a->frames[i].nr)
			buf_addf(out, "address %u\n", i);
		for (unsigned n = 0; n < a->frames[i].nr; n++) {
			buf_addf(out, "frame %u", a->frames[i].all[n].line);
			add_text(out, "", a->frames[i].all[n].file);
			add_text(out, "function", a->frames[i].all[n].function);
		}
	}
}

void answer_print(const struct lines_answer *a, const struct lines_query *q, struct buf *out)
{
	if (a->trouble)
		add_text(out, "trouble", a->trouble);
	if (a->is_known)
		buf_adds(out, "known\n");
	if (a->help)
		add_text(out, "help", a->help);
	if (a->path) {
		buf_addf(out, "source %u", a->base);
		add_text(out, "", a->path);
	}
	for (unsigned i = 0; i < a->nr_lines; i++)
		buf_addf(out, "line %u\n", a->lines[i]);
	for (unsigned i = 0; a->inlined && i < q->nr_functions; i++) {
		if (a->inlined[i])
			buf_addf(out, "inlined %u\n", i);
	}
	if (a->frames)
		print_frames(a, q, out);
	for (unsigned i = 0; i < a->nr_files; i++)
		add_text(out, "file", a->files[i]);
	for (unsigned i = 0; i < a->nr; i++) {
		const struct lines_place *p = &a->places[i];

		buf_addf(out, "place %" PRIu64 " %" PRIu64, p->addr, p->off);
		add_text(out, "", p->symbol);
		if (p->copy)
			buf_addf(out, "copy %" PRIu64 "\n", p->copy);
		if (p->is_entry)
			buf_adds(out, "entry\n");
		if (*p->chain)
			add_text(out, "chain", p->chain);
		for (unsigned n = 0; n < p->nr_variables; n++)
			print_variable(&p->variables[n], out);
		for (unsigned n = 0; n < q->nr_exprs; n++) {
			const struct lines_value *v = &p->values[n];

			if (v->fetch)
				buf_addf(out, "fetch %s", *v->type ? v->type : "-");
			add_text(out, v->fetch ? "" : "none", v->fetch ? v->fetch : v->trouble);
			if (v->similar)
				add_text(out, "similar", v->similar);
			if (v->near)
				add_text(out, "near", v->near);
		}
	}
	buf_adds(out, "end\n");
}

/* ---- reading ---- */

struct input {
	struct arena *arena;
	const char *at;
	bool bad;
};

/* It may be printed as it is. */
static const char *safe_text(struct input *r, const char *text)
{
	struct buf safe = { 0 };
	const char *ret;

	escape_text(&safe, text, strlen(text), "");
	ret = arena_strdup(r->arena, buf_str(&safe));
	buf_fini(&safe);
	return ret;
}

static const char *read_text(struct input *r, const char *key)
{
	const char *text = words_take_line(&r->at, r->arena, key);

	return text ? safe_text(r, text) : NULL;
}

/* The rest of the line. */
static const char *read_rest(struct input *r, struct words *w)
{
	const char *text = words_rest(w, r->arena);

	r->at = words_next_line(r->at);
	return safe_text(r, text);
}

/* Is it made of these characters? What is read goes into a definition. */
static bool is_of(const char *text, const char *more)
{
	const char *c = text;

	while (isalnum((unsigned char)*c) || (*c && strchr(more, *c)))
		c++;
	return !*c && c > text;
}

static bool is_word(const char *text)
{
	return is_of(text, "_.$");
}

static void read_value(struct input *r, struct lines_value *v)
{
	struct words w;

	v->type = "";
	v->trouble = read_text(r, "none");
	if (v->trouble) {
		v->similar = read_text(r, "similar");
		v->near = read_text(r, "near");
		return;
	}
	if (!words_open(&w, r->at, "fetch")) {
		r->bad = true;
		return;
	}
	v->type = words_word(&w, r->arena);
	v->type = strcmp(v->type, "-") ? v->type : "";
	v->fetch = words_rest(&w, r->arena);
	r->bad |= w.bad || !is_of(v->fetch, "_.$%@\\()+-*&<>=!~^| ") || (*v->type && !is_of(v->type, "@/[]"));
	r->at = words_next_line(r->at);
}

static bool is_variable(const char *line)
{
	return words_line_is(line, "parameter") || words_line_is(line, "local");
}

static bool is_of_variable(const char *line)
{
	return is_variable(line) || words_line_is(line, "type");
}

static void read_variables(struct input *r, bool describes, struct lines_place *p)
{
	unsigned nr = 0;

	if (!is_variable(r->at))
		return;
	for (const char *at = r->at; is_of_variable(at) || (describes && words_line_is(at, "none")); at = words_next_line(at))
		nr += is_variable(at);
	p->variables = arena_array(r->arena, struct lines_variable, nr);
	for (; p->nr_variables < nr && is_variable(r->at); p->nr_variables++) {
		struct lines_variable *v = &p->variables[p->nr_variables];

		v->is_parameter = words_line_is(r->at, "parameter");
		v->name = read_text(r, v->is_parameter ? "parameter" : "local");
		v->type = read_text(r, "type");
		v->trouble = describes ? read_text(r, "none") : NULL;
		r->bad |= !is_word(v->name);
	}
}

static void read_place(struct input *r, const struct lines_query *q, struct lines_place *p)
{
	const char *chain;
	struct words w;

	words_open(&w, r->at, "place");
	p->addr = words_number(&w, UINT64_MAX);
	p->off = words_number(&w, UINT64_MAX);
	p->symbol = read_rest(r, &w);
	/* Of a program the symbol is for the eye: main.(*Shape).Area. Of the kernel it becomes a part of a definition. */
	r->bad |= w.bad || !(q->segments ? *p->symbol : is_word(p->symbol));
	if (words_open(&w, r->at, "copy")) {
		p->copy = words_number(&w, UINT64_MAX);
		r->bad |= w.bad;
		r->at = words_next_line(r->at);
	}
	p->is_entry = words_line_is(r->at, "entry");
	if (p->is_entry)
		r->at = words_next_line(r->at);
	chain = read_text(r, "chain");
	p->chain = chain ? chain : "";
	read_variables(r, q->describes, p);
	p->values = arena_array(r->arena, struct lines_value, q->nr_exprs);
	for (unsigned i = 0; i < q->nr_exprs && !r->bad; i++)
		read_value(r, &p->values[i]);
}

static unsigned count(const char *text, const char *key)
{
	unsigned nr = 0;

	for (const char *at = text; *at; at = words_next_line(at))
		nr += words_line_is(at, key);
	return nr;
}

static void read_lines(struct input *r, struct lines_answer *a)
{
	struct words w;

	if (!words_open(&w, r->at, "source"))
		return;
	a->base = (unsigned)words_number(&w, UINT32_MAX);
	a->path = words_rest(&w, r->arena);
	r->bad |= w.bad;
	r->at = words_next_line(r->at);
	a->lines = arena_array(r->arena, unsigned, count(r->at, "line"));
	for (; words_open(&w, r->at, "line"); r->at = words_next_line(r->at)) {
		a->lines[a->nr_lines++] = (unsigned)words_number(&w, UINT32_MAX);
		r->bad |= w.bad;
	}
}

static void read_inlined(struct input *r, unsigned nr, struct lines_answer *a)
{
	struct words w;

	a->inlined = arena_array(r->arena, bool, nr);
	for (; words_open(&w, r->at, "inlined"); r->at = words_next_line(r->at)) {
		uint64_t i = words_number(&w, UINT32_MAX);

		r->bad |= w.bad || i >= nr;
		if (i < nr)
			a->inlined[i] = true;
	}
}

static void read_frames(struct input *r, unsigned nr, struct lines_answer *a)
{
	struct words w;

	a->frames = arena_array(r->arena, struct lines_frames, nr);
	for (; words_open(&w, r->at, "address") && !r->bad;) {
		uint64_t i = words_number(&w, UINT32_MAX);
		unsigned most = 0;

		r->bad |= w.bad || i >= nr || a->frames[i].nr;
		r->at = words_next_line(r->at);
		for (const char *at = r->at; words_line_is(at, "frame"); at = words_next_line(words_next_line(at)))
			most++;
		if (r->bad)
			return;
		a->frames[i].all = arena_array(r->arena, struct lines_frame, most);
		while (a->frames[i].nr < most && words_open(&w, r->at, "frame")) {
			struct lines_frame *f = &a->frames[i].all[a->frames[i].nr++];

			f->line = (unsigned)words_number(&w, UINT32_MAX);
			r->bad |= w.bad;
			f->file = read_rest(r, &w);
			f->function = read_text(r, "function");
			r->bad |= !f->function;
		}
	}
}

static bool answers(const struct lines_answer *a, const struct lines_query *q)
{
	if (a->trouble || q->want == LINES_INLINED || q->want == LINES_OF_ADDRESSES)
		return true;
	return q->want == LINES_PLACES ? a->nr : a->nr_lines;
}

char *answer_end(char *text)
{
	static const char last[] = "end\n";

	while (*text && strncmp(text, last, strlen(last)))
		text += strcspn(text, "\n") + !!text[strcspn(text, "\n")];
	return *text ? text + strlen(last) : NULL;
}

int answer_read(struct arena *arena, const char *text, const struct lines_query *q, struct lines_answer *ret)
{
	struct input r = { .arena = arena, .at = text };
	struct lines_answer a = { 0 };
	unsigned nr = count(text, "place");

	a.trouble = read_text(&r, "trouble");
	a.is_known = words_line_is(r.at, "known");
	if (a.is_known)
		r.at = words_next_line(r.at);
	a.help = read_text(&r, "help");
	read_lines(&r, &a);
	if (q->want == LINES_INLINED)
		read_inlined(&r, q->nr_functions, &a);
	if (q->want == LINES_OF_ADDRESSES)
		read_frames(&r, q->nr_addresses, &a);
	a.files = arena_array(arena, const char *, count(text, "file"));
	while (words_line_is(r.at, "file"))
		a.files[a.nr_files++] = read_text(&r, "file");
	a.places = arena_array(arena, struct lines_place, MIN(nr, (unsigned)MOST_PLACES));
	while (a.nr < nr && nr <= MOST_PLACES && words_line_is(r.at, "place") && !r.bad)
		read_place(&r, q, &a.places[a.nr++]);
	if (r.bad || nr > MOST_PLACES || strcmp(r.at, "end\n") || !answers(&a, q))
		return -EBADMSG;
	*ret = a;
	return 0;
}
