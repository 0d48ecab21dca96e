// SPDX-License-Identifier: GPL-2.0-only
/*
 * details.c - names and values of slices and instants.
 */
#include "timeline/details.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "print/show.h"
#include "print/stack.h"

void details_fini(struct details *a)
{
	free(a->all);
	buf_fini(&a->text);
	*a = (struct details){ 0 };
}

void details_reset(struct details *a)
{
	a->nr = 0;
	buf_reset(&a->text);
}

uint32_t details_copy(struct details *a, const char *s, size_t len)
{
	uint32_t at = (uint32_t)a->text.len;

	escape_text(&a->text, s, len, "");
	buf_add(&a->text, "", 1);
	return at;
}

const char *details_at(const struct details *a, uint32_t at)
{
	return a->text.data + at;
}

static struct detail *add(struct details *a, const char *name, enum detail_kind kind)
{
	uint32_t at = name ? details_copy(a, name, strlen(name)) : DETAIL_NO_NAME;

	a->all = heap_grow(a->all, a->nr, &a->room);
	a->all[a->nr] = (struct detail){ .kind = kind, .name = at };
	return &a->all[a->nr++];
}

void details_number(struct details *a, const char *name, enum detail_kind kind, uint64_t n)
{
	add(a, name, kind)->n = n;
}

static void add_text(struct details *a, const char *name, const char *s, size_t len)
{
	struct detail *arg = add(a, name, DETAIL_TEXT);

	arg->at = details_copy(a, s, len);
}

void details_text(struct details *a, const char *name, const char *s)
{
	add_text(a, name, s, strlen(s));
}

unsigned details_open(struct details *a, const char *name, enum detail_kind kind)
{
	add(a, name, kind);
	return a->nr;
}

void details_close(struct details *a, unsigned open)
{
	a->all[open - 1].n = a->nr - open;
}

/* ---- fields ---- */

/* A string that was cut ends in dots, and not within a character. */
static void add_string(struct details *a, const char *name, const char *s, uint32_t len, bool cut)
{
	struct detail *arg;

	if (cut)
		len -= (uint32_t)escape_unfinished(s, len);
	arg = add(a, name, DETAIL_TEXT);
	arg->at = details_copy(a, s, len);
	if (!cut)
		return;
	a->text.len--;			/* the NUL */
	buf_add(&a->text, "...", 4);
}

static void add_number(struct details *a, const char *name, const struct text *t, const struct event *ev, const struct layout_field *f,
		       unsigned element)
{
	uint64_t n = event_number(ev, f, element);
	struct buf symbol = { 0 };
	char c = (char)n;

	switch (f->type.kind) {
	case TYPE_CHAR:
		add_text(a, name, &c, 1);
		break;
	case TYPE_SYMBOL:
		text_symbol(&symbol, t->ks, n, true);
		add_text(a, name, buf_str(&symbol), symbol.len);
		break;
	case TYPE_SIGNED:
		details_number(a, name, DETAIL_SIGNED, n);
		break;
	case TYPE_HEX:
		details_number(a, name, DETAIL_HEX, n);
		break;
	default:
		details_number(a, name, DETAIL_UNSIGNED, n);
		break;
	}
	buf_fini(&symbol);
}

static void add_shown(struct details *a, const char *name, const struct show *show, const struct event *ev, const struct layout_field *f,
		      unsigned element)
{
	struct buf text = { 0 };

	show->text(ev, f, element, &text);
	if (event_buffer_cut(ev, f))
		buf_adds(&text, "...");
	add_text(a, name, buf_str(&text), text.len);
	buf_fini(&text);
}

static void add_symstr(struct details *a, const char *name, const struct text *t, uint64_t addr)
{
	struct buf text = { 0 };

	text_symbol(&text, t->ks, addr, true);
	add_text(a, name, buf_str(&text), text.len);
	buf_fini(&text);
}

static void add_value(struct details *a, const char *name, const struct text *t, const struct event *ev, const struct layout_field *f,
		      unsigned element)
{
	const struct show *show = show_of(&f->type);
	uint64_t addr;
	const char *s;
	uint32_t len;
	bool cut;

	if (event_faulted(ev, f, element))
		details_number(a, name, DETAIL_FAULT, 0);
	else if (show)
		add_shown(a, name, show, ev, f, element);
	else if (!type_is_dynamic(&f->type))
		add_number(a, name, t, ev, f, element);
	else if (f->type.kind == TYPE_SYMSTR && event_symstr(ev, f, element, &addr))
		add_symstr(a, name, t, addr);
	else if (f->type.kind != TYPE_SYMSTR && event_string(ev, f, element, &s, &len, &cut))
		add_string(a, name, s, len, cut);
	else
		details_number(a, name, DETAIL_FAULT, 0);
}

static void add_field(struct details *a, const char *name, const struct text *t, const struct event *ev, const struct layout_field *f)
{
	bool more;
	unsigned count = event_count(ev, f, &more), open;

	if (!f->type.count) {
		add_value(a, name, t, ev, f, 0);
		return;
	}
	open = details_open(a, name, DETAIL_LIST);
	for (unsigned i = 0; i < count; i++)
		add_value(a, NULL, t, ev, f, i);
	if (more)
		details_text(a, NULL, "...");
	details_close(a, open);
}

void details_fields(struct details *a, const struct text *t, const struct event *ev)
{
	for (unsigned i = 0; i < ev->layout->nr_fields; i++) {
		const struct layout_field *f = &ev->layout->fields[i];

		if (!strcmp(f->name, DETAILS_OWN))
			add_field(a, DETAILS_OWN "_", t, ev, f);
		else if (!strcmp(f->name, DETAILS_RETURN))
			add_field(a, DETAILS_RETURN "_", t, ev, f);
		else
			add_field(a, f->name, t, ev, f);
	}
}

/* ---- stacks ---- */

void details_stacks(struct details *a, const struct text *t, const struct event *ev)
{
	struct buf frame = { 0 };
	struct stack stack;

	for (unsigned i = 0; i < STACK_KINDS; i++) {
		unsigned open;

		if (!stack_is_shown(ev, (enum stack_kind)i) || !stack_get(ev, (enum stack_kind)i, &stack))
			continue;
		open = details_open(a, stack_name((enum stack_kind)i), DETAIL_LIST);
		for (unsigned k = 0; k < stack.nr; k++) {
			buf_reset(&frame);
			stack_put_frame(t, ev, &stack, k, &frame);
			add_text(a, NULL, buf_str(&frame), frame.len);
		}
		details_close(a, open);
	}
	buf_fini(&frame);
}
