// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c - events as the lines that ftrace prints.
 */
#include "print/text.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/escape_line.h"
#include "kernel/syms/ksyms.h"
#include "print/head.h"
#include "print/home.h"
#include "print/later.h"
#include "print/put.h"
#include "print/show.h"
#include "print/sink.h"
#include "print/sites.h"
#include "print/stack.h"

void text_fini(struct text *t)
{
	sites_free(t->sites);
	t->sites = NULL;
	heads_free(t->heads);
	t->heads = NULL;
	if (t->own)
		t->own->free(t->own);
	t->own = NULL;
	later_close(t->later);
	t->later = NULL;
}

void text_symbols(struct text *t, const struct ksyms *ks)
{
	t->ks = ks;
	if (t->sites)
		sites_forget(t->sites);
	if (t->heads)
		heads_forget(t->heads);
}

void text_renew(struct text *t, const struct ksyms *ks)
{
	text_symbols(t, ks);
	if (t->own)
		t->own->renew(t->own);
}

void text_move(struct text *t, const struct home *home)
{
	t->ks = home->ks;
	t->rules = home->rules;
	t->sender = home->sender;
	t->machine = home->machine;
}

/* ---- addresses ---- */

void text_symbol(struct buf *out, const struct ksyms *ks, uint64_t addr, bool with_offset)
{
	uint64_t size = 0;
	const struct ksym *sym = ks ? ksyms_lookup(ks, addr, &size) : NULL;
	const char *module;

	if (!sym) {
		buf_adds(out, "0x");
		buf_hex(out, addr);
		return;
	}
	buf_adds(out, sym->name);
	if (with_offset) {
		buf_adds(out, "+0x");
		buf_hex(out, addr - sym->addr);
		buf_adds(out, "/0x");
		buf_hex(out, size);
	}
	module = ksym_brackets(sym);
	if (module) {
		buf_adds(out, " [");
		buf_adds(out, module);
		buf_addc(out, ']');
	}
}

/* The kernel prints 0 as "0" in a location, and as "0x0" in a value. */
static void add_caller(const struct text *t, uint64_t addr, struct buf *out)
{
	if (addr)
		text_symbol(out, t->ks, addr, true);
	else
		buf_addc(out, '0');
}

/* As the kernel prints it (6.12, kernel/trace/trace_uprobe.c, print_uprobe_event()). */
static void add_user_place(const struct event *ev, struct buf *out)
{
	if (ev->layout->is_return)
		buf_addf(out, "0x%" PRIx64 " <- ", event_caller(ev));
	buf_addf(out, "0x%" PRIx64, event_addr(ev));
}

void text_location(const struct text *t, const struct event *ev, struct buf *out)
{
	if (ev->layout->is_synthetic)
		return;
	buf_addc(out, '(');
	if (ev->layout->site == SITE_EVENT) {
		buf_adds(out, ev->layout->site_name);
	} else if (ev->layout->site == SITE_USER) {
		add_user_place(ev, out);
	} else if (ev->layout->is_return) {
		add_caller(t, event_caller(ev), out);
		buf_adds(out, " <- ");
		if (!event_addr(ev) && ev->layout->func)	/* the kernel hides addresses */
			buf_adds(out, ev->layout->func);
		else
			text_symbol(out, t->ks, event_addr(ev), false);
	} else {
		text_symbol(out, t->ks, event_addr(ev), true);
	}
	buf_addc(out, ')');
}

/* ---- values ---- */

/* The kernel prints strings of synthetic events without quotes. */
static void add_bare_string(const struct text *t, const char *s, uint32_t len, struct buf *out)
{
	if (t->raw_strings)
		buf_add(out, s, len);
	else
		escape_line(out, s, len, '\0');
}

static void add_string(const struct text *t, const struct event *ev,
		       const struct layout_field *f, unsigned element, struct buf *out)
{
	uint32_t len, plain;
	const char *s;
	bool cut;
	char *p;

	if (!event_string(ev, f, element, &s, &len, &cut)) {
		buf_adds(out, "(fault)");
		return;
	}
	if (ev->layout->is_synthetic) {
		add_bare_string(t, s, len, out);
		return;
	}
	p = buf_room(out, len + 2);
	*p++ = '"';
	plain = t->raw_strings ? 0 : escape_copy_plain(p, s, len, '"');
	out->len += 1 + plain;
	if (plain < len && t->raw_strings)
		buf_add(out, s, len);
	else if (plain < len)
		escape_line(out, s + plain, len - plain, '"');
	buf_addc(out, '"');
	if (cut)
		buf_adds(out, "...");
}

static void add_char(const struct text *t, char c, struct buf *out)
{
	buf_addc(out, '\'');
	if (t->raw_strings)
		buf_addc(out, c);
	else
		escape_line(out, &c, 1, '\'');
	buf_addc(out, '\'');
}

enum { NUMBER_ROOM = 2 + PUT_DEC + PUT_SLACK };

static inline char *put_number(char *p, const struct type *type, uint64_t n)
{
	switch (type->kind) {
	case TYPE_SIGNED:
		if ((int64_t)n < 0) {
			*p++ = '-';
			n = 0 - n;
		}
		return put_dec(p, n);
	case TYPE_UNSIGNED:
	case TYPE_BITFIELD:
		return put_dec(p, n);
	default:
		*p++ = '0';
		*p++ = 'x';
		return put_hex(p, n);
	}
}

static void add_number(const struct text *t, const struct event *ev,
		       const struct layout_field *f, unsigned element, struct buf *out)
{
	uint64_t n = event_number(ev, f, element);
	char *p;

	if (event_marked(ev, f, element)) {
		buf_adds(out, "(fault)");
		return;
	}
	if (f->type.kind == TYPE_CHAR) {
		add_char(t, (char)n, out);
		return;
	}
	if (f->type.kind == TYPE_SYMBOL) {
		text_symbol(out, t->ks, n, true);
		return;
	}
	if (f->type.kind == TYPE_HEX && ev->layout->is_synthetic) {
		buf_hex(out, n);	/* gfp_t: %x */
		return;
	}
	p = buf_room(out, NUMBER_ROOM);
	p = put_number(p, &f->type, n);
	out->len = (size_t)(p - out->data);
}

static void add_symstr(const struct text *t, const struct event *ev,
		       const struct layout_field *f, unsigned element, struct buf *out)
{
	uint64_t addr;

	if (!event_symstr(ev, f, element, &addr)) {
		buf_adds(out, "(fault)");
		return;
	}
	buf_addc(out, '"');
	text_symbol(out, t->ks, addr, true);
	buf_addc(out, '"');
}

static void add_shown(const struct event *ev, const struct layout_field *f, unsigned element, const struct show *show,
		      struct buf *out)
{
	if (event_faulted(ev, f, element)) {
		buf_adds(out, "(fault)");
		return;
	}
	if (show->quoted)
		buf_addc(out, '"');
	show->text(ev, f, element, out);
	if (show->quoted)
		buf_addc(out, '"');
	if (event_buffer_cut(ev, f))
		buf_adds(out, "...");
}

void text_value(const struct text *t, const struct event *ev,
		      const struct layout_field *f, unsigned element, struct buf *out)
{
	const struct show *show = show_of(&f->type);

	if (show) {
		add_shown(ev, f, element, show, out);
		return;
	}
	switch (f->type.kind) {
	case TYPE_SYMSTR:
		add_symstr(t, ev, f, element, out);
		break;
	case TYPE_STRING:
	case TYPE_USTRING:
	case TYPE_DENTRY:
	case TYPE_FILE:
		add_string(t, ev, f, element, out);
		break;
	default:
		add_number(t, ev, f, element, out);
		break;
	}
}

void text_field(const struct text *t, const struct event *ev, const struct layout_field *f, struct buf *out)
{
	bool more;
	unsigned count = event_count(ev, f, &more);

	if (!f->type.count) {
		text_value(t, ev, f, 0, out);
		return;
	}
	buf_addc(out, '{');
	for (unsigned i = 0; i < count; i++) {
		if (i)
			buf_addc(out, ',');
		text_value(t, ev, f, i, out);
	}
	buf_adds(out, more ? ",...}" : "}");
}

/* As the kernel prints the stack of a synthetic event: a line for each frame (6.12, trace_events_synth.c, print_synth_event()). */
static void add_frames(const struct text *t, const struct event *ev, const struct layout_field *f, struct buf *out)
{
	bool more;
	unsigned count = event_count(ev, f, &more);

	buf_adds(out, "STACK:\n");
	for (unsigned i = 0; i < count; i++) {
		buf_adds(out, "=> ");
		text_symbol(out, t->ks, event_number(ev, f, i), true);
		buf_addc(out, '\n');
	}
}

static NOINLINE void add_field(const struct text *t, const struct event *ev,
		      const struct layout_field *f, const struct name *name, struct buf *out)
{
	if (site_is_behind_stack(ev->layout, f)) {		/* it begins a line */
		buf_adds(out, f->name);
		buf_addc(out, '=');
	} else if (name->len) {
		char *p = buf_room(out, sizeof(name->text));

		put_copy16(p, name->text);
		put_copy16(p + 16, name->text + 16);
		out->len += name->len;
	} else {
		buf_addc(out, ' ');
		buf_adds(out, f->name);
		buf_addc(out, '=');
	}
	if (f->type.is_stack)
		add_frames(t, ev, f, out);
	else
		text_field(t, ev, f, out);
}

/* ---- lines ---- */

enum { PLACE_MIN = 48 };		/* at least these bytes of a place's text are readable: put_padded48() */

static struct site *find_site(struct text *t, const struct event *ev)
{
	const struct layout *l = ev->layout;
	uint64_t caller = l->is_return ? event_caller(ev) : 0;
	struct site *site;

	if (!t->sites)
		t->sites = sites_new();
	site = sites_find(t->sites, ev, caller);
	if (site->layout)
		return site;
	site->layout = l;
	site->addr = event_addr(ev);
	site->caller = caller;
	site->has_flags = false;
	buf_reset(&site->text);
	buf_adds(&site->text, ": ");
	buf_adds(&site->text, palette_event(&t->palette, l->event));
	buf_adds(&site->text, l->event);
	buf_adds(&site->text, t->palette.on ? PALETTE_OFF ":" : ":");
	if (!l->is_synthetic)
		buf_addc(&site->text, ' ');
	text_location(t, ev, &site->text);
	memset(buf_room(&site->text, PLACE_MIN), 0, PLACE_MIN);
	return site;
}

/* A number that is printed as one, with its name. */
static inline char *put_plain_number(char *p, const struct name *n, const struct event *ev)
{
	const unsigned char *at = ev->body + n->off;
	uint64_t value = 0;
	int64_t wide;

	put_copy16(p, n->text);
	if (n->len > 16)
		put_copy16(p + 16, n->text + 16);
	p += n->len;
	/* The size is a constant in each case, so each is one load. */
	switch (n->size) {
	case 8:
		memcpy(&value, at, 8);
		break;
	case 4:
		memcpy(&value, at, 4);
		break;
	case 2:
		memcpy(&value, at, 2);
		break;
	default:
		value = *at;
		break;
	}
	if (n->form == NAME_HEX) {
		*p++ = '0';
		*p++ = 'x';
		return put_hex(p, value);
	}
	wide = (int64_t)(value << n->spare) >> n->spare;
	if (n->form == NAME_SIGNED && wide < 0) {
		*p++ = '-';
		value = 0 - (uint64_t)wide;
	}
	return put_dec(p, value);
}

/* A string with its name. It may need more room; @rest: bytes that the line may need behind it. */
static inline char *put_plain_string(char *p, const struct name *n, const struct event *ev, uint32_t rest, struct buf *out)
{
	uint32_t loc, off, len, plain;
	const char *s;

	put_copy16(p, n->text);
	if (n->len > 16)
		put_copy16(p + 16, n->text + 16);
	p += n->len;
	memcpy(&loc, ev->body + n->off, sizeof(loc));
	off = loc & 0xffff;
	len = loc >> 16;
	if (!len || off + len > ev->len) {
		memcpy(p, "(fault)", 7);
		return p + 7;
	}
	len = MIN(len - 1, (uint32_t)LAYOUT_MAX_STRING);
	s = (const char *)ev->body + off;
	out->len = (size_t)(p - out->data);
	p = buf_room(out, len + rest);
	*p++ = '"';
	plain = escape_copy_plain(p, s, len, '"');
	p += plain;
	if (plain < len) {
		out->len = (size_t)(p - out->data);
		escape_line(out, s + plain, len - plain, '"');
		p = buf_room(out, rest);
	}
	*p++ = '"';
	if (name_is_marked(n, ev)) {
		memcpy(p, "...", 3);
		p += 3;
	}
	return p;
}

/* As ftrace prints its own events of stacks: a line with the same head, then one line for each frame. */
static NOINLINE void add_stacks(struct text *t, const struct event *ev, const struct head *head, uint64_t ns, struct buf *out)
{
	struct stack stack;

	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (!stack_get(ev, (enum stack_kind)i, &stack))
			continue;
		if (head) {
			out->len = (size_t)(head_put(t, head, ns, buf_room(out, HEAD_ROOM)) - out->data);
			buf_adds(out, ": ");
			buf_adds(out, stack_title(stack.kind));
			buf_addc(out, '\n');
		}
		stack_put_lines(t, ev, &stack, out);
	}
}

void text_event(struct text *t, const struct event *ev, struct buf *out)
{
	const struct layout *l = ev->layout;
	enum style style = t->style || l->dialect ? style_of(t->style, l->dialect) : STYLE_KPROBE;
	uint64_t ns = timebase_of(&t->base, ev->rec->ts);
	const struct name *n, *end;
	const struct site *site;
	struct head *head;
	uint32_t rest;
	char *p;

	if (style != STYLE_KPROBE && !l->is_synthetic) {
		style_event(t, ev, style, out);
		if (l->stacks)
			add_stacks(t, ev, NULL, ns, out);
		return;
	}
	head = head_find(t, ev, ns);
	if (!head->site || !site_is(head->site, ev))
		head->site = find_site(t, ev);
	site = head->site;
	rest = site->form->room;
	p = head_put(t, head, ns, buf_room(out, HEAD_ROOM + PLACE_MIN + site->text.len + rest));
	p = put_padded48(p, site->text.data, (uint32_t)site->text.len);
	end = site->form->names + l->nr_fields;
	for (n = site->form->names; n < end; n++) {
		if (n->form == NAME_STRING && !t->raw_strings) {
			p = put_plain_string(p, n, ev, rest, out);
		} else if (n->form > NAME_STRING && !name_is_marked(n, ev)) {
			p = put_plain_number(p, n, ev);
		} else {
			out->len = (size_t)(p - out->data);
			add_field(t, ev, &l->fields[n - site->form->names], n, out);
			p = buf_room(out, rest);
		}
	}
	*p++ = '\n';
	*p = '\0';
	out->len = (size_t)(p - out->data);
	if (l->stacks)
		add_stacks(t, ev, head, ns, out);
}

void text_lost(unsigned cpu, uint64_t count, struct buf *out)
{
	buf_adds(out, "CPU:");
	buf_dec(out, cpu);
	buf_adds(out, " [LOST ");
	if (count != UINT64_MAX) {
		buf_dec(out, count);
		buf_addc(out, ' ');
	}
	buf_adds(out, "EVENTS]\n");
}

/* ---- the sink ---- */

static void put_header(struct text *t, enum style style, const struct entries *entries, struct buf *out)
{
	style_header(style, &t->columns, entries, out);
}

static void put_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	(void)to;
	text_event(t, ev, out);
}

static void put_lost(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	(void)to;
	(void)t;
	text_lost(cpu, count, out);
}

/* Control characters below 0x80 are escaped in every line. The rest is done here, so that lines for files cost nothing. */
static void put_safe_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	size_t from = out->len;

	(void)to;
	text_event(t, ev, out);
	escape_high(out, from, !t->ascii);
}

static const struct sink sink_safe = {
	.prints = true, .header = put_header, .event = put_safe_event, .lost = put_lost, .home = home_line,
};

const struct sink sink_text = {
	.prints = true, .on_terminal = &sink_safe, .header = put_header, .event = put_event, .lost = put_lost, .home = home_line,
};
