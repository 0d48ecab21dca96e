// SPDX-License-Identifier: GPL-2.0-only
/*
 * style.c - the styles of lines, and lines and headers in the form of older tracers.
 *
 * Nobody traces a million events per second in these styles. So, unlike text.c, this code is simple rather than fast.
 */
#include "print/style.h"

#include <inttypes.h>

#include "arch/kernel.h"
#include "base/escape_line.h"
#include "kernel/syms/ksyms.h"
#include "print/columns.h"
#include "print/put.h"
#include "print/show.h"
#include "print/short.h"
#include "print/sink.h"
#include "print/text.h"

/* A style. body() prints what follows the time. The style kprobe has none: text.c prints its whole line. */
struct style_row {
	const char *name;
	const struct sink *sink;
	unsigned takes;			/* enum style_takes */
	bool flags;			/* its lines have four columns of latency, and its header the entries: from 3.2 to 5.15 */
	void (*body)(const struct text *t, const struct event *ev, enum style style, struct buf *out);
};

static const struct style_row styles[STYLE_COUNT];

bool style_find(const char *name, enum style *ret)
{
	for (unsigned i = STYLE_OWN + 1; i < STYLE_COUNT; i++) {
		if (!strcmp(styles[i].name, name)) {
			*ret = (enum style)i;
			return true;
		}
	}
	return false;
}

static void add_names(unsigned takes, const char *last, struct buf *out)
{
	unsigned left = 0;
	bool first = true;

	for (unsigned i = STYLE_OWN + 1; i < STYLE_COUNT; i++)
		left += (styles[i].takes & takes) == takes;
	for (unsigned i = STYLE_OWN + 1; i < STYLE_COUNT; i++) {
		if ((styles[i].takes & takes) != takes)
			continue;
		buf_adds(out, first ? "" : left > 1 ? ", " : last);
		buf_adds(out, styles[i].name);
		first = false;
		left--;
	}
}

void style_names(struct buf *out)
{
	add_names(0, " or ", out);
}

void style_names_taking(unsigned takes, struct buf *out)
{
	add_names(takes, " and ", out);
}

unsigned style_takes(enum style style)
{
	return styles[style].takes;
}

const struct sink *style_sink(enum style style)
{
	return styles[style].sink;
}

bool style_find_arrays(const char *name, bool *ret_commas)
{
	if (strcmp(name, "commas") && strcmp(name, "braces"))
		return false;
	*ret_commas = !strcmp(name, "commas");
	return true;
}

enum style style_of(enum style wanted, enum dialect dialect)
{
	static const enum style own[DIALECT_COUNT] = {
		[DIALECT_KPROBE] = STYLE_KPROBE, [DIALECT_RFC_V2] = STYLE_RFC_V2,
		[DIALECT_V13] = STYLE_V13, [DIALECT_FUNCTION] = STYLE_FUNCTION,
	};

	return wanted == STYLE_OWN ? own[dialect] : wanted;
}

static void add_drawing(enum style style, struct buf *out)
{
	if (styles[style].flags)
		buf_adds(out,
			 "#                              _-----=> irqs-off\n"
			 "#                             / _----=> need-resched\n"
			 "#                            | / _---=> hardirq/softirq\n"
			 "#                            || / _--=> preempt-depth\n"
			 "#                            ||| /     delay\n"
			 "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
			 "#              | |       |   ||||       |         |\n");
	else
		buf_adds(out,
			 "#           TASK-PID    CPU#    TIMESTAMP  FUNCTION\n"
			 "#              | |       |          |         |\n");
}

void style_header(enum style style, const struct columns *columns, const struct entries *entries, struct buf *out)
{
	if (style == STYLE_KPROBE || style == STYLE_OWN) {
		columns_header(columns, entries, out);
		return;
	}
	buf_adds(out, "# tracer: nop\n#\n");
	if (entries && styles[style].flags)
		columns_entries(entries, out);
	add_drawing(style, out);
}

/* ---- the part before the body ---- */

static void add_flags(const struct text *t, const struct event *ev, struct buf *out)
{
	char flags[4];

	context_flags4(&t->rules, ev->rec, ev->layout, flags);
	buf_add(out, flags, sizeof(flags));
	buf_addc(out, ' ');
}

static void add_head(const struct text *t, const struct event *ev, enum style style, struct buf *out)
{
	const struct bp_rec *rec = ev->rec;
	uint64_t us = timebase_of(&t->base, rec->ts) / 1000;
	char name[BP_COMM_LEN] = "<idle>";
	int len = rec->common_pid ? (int)strnlen(rec->comm, BP_COMM_LEN) : 6;

	if (rec->common_pid && t->raw_strings)
		put_copy16(name, rec->comm);
	else if (rec->common_pid)
		put_printable16(name, rec->comm);
	buf_addf(out, "%16.*s-%-5d [%03u] ", len, name, rec->common_pid, rec->cpu);
	if (styles[style].flags)
		add_flags(t, ev, out);
	buf_addf(out, "%5" PRIu64 ".%06u: ", us / 1000000, (unsigned)(us % 1000000));
}

/* ---- values ---- */

/* In function events only hexadecimal numbers are hexadecimal, without 0x. Strings have no quotes. */
static void add_function_number(const struct text *t, const struct event *ev, const struct layout_field *f,
				unsigned element, struct buf *out)
{
	uint64_t n = event_number(ev, f, element);

	switch (f->type.kind) {
	case TYPE_HEX:
		buf_hex(out, n);
		break;
	case TYPE_SIGNED:
		buf_sdec(out, (int64_t)n);
		break;
	case TYPE_SYMBOL:
		if (n)
			text_symbol(out, t->ks, n, true);
		else
			buf_adds(out, "          (null)");	/* %pS of 0: as wide as an address */
		break;
	default:
		buf_dec(out, n);
		break;
	}
}

/* 3.x shows signed types as signed numbers if the type was typed. All other numbers are hexadecimal in the older styles. */
static void add_number(const struct event *ev, const struct layout_field *f, unsigned element,
		       enum style style, struct buf *out)
{
	/* A number without a type was a long. There was no BTF, so its sign is extended to 64 bits. */
	uint64_t n = event_number(ev, f, element);

	if (style == STYLE_3_X && f->typed && f->type.kind == TYPE_SIGNED) {
		buf_sdec(out, (int64_t)n);
		return;
	}
	if (style != STYLE_2_6)
		buf_adds(out, "0x");
	buf_hex(out, n);
}

static bool is_number(enum type_kind kind)
{
	return kind == TYPE_HEX || kind == TYPE_SIGNED || kind == TYPE_UNSIGNED || kind == TYPE_BITFIELD;
}

static void add_text(const struct text *t, const char *s, uint32_t len, struct buf *out)
{
	if (t->raw_strings)
		buf_add(out, s, len);
	else
		escape_line(out, s, len, '\0');
}

static void add_function_string(const struct text *t, const struct event *ev, const struct layout_field *f,
				struct buf *out)
{
	uint32_t len;
	const char *s;
	bool cut;

	if (!event_string(ev, f, 0, &s, &len, &cut)) {
		buf_adds(out, "(fault)");
		return;
	}
	add_text(t, s, len, out);
	if (cut)
		buf_adds(out, "...");
}

static void add_value(const struct text *t, const struct event *ev, const struct layout_field *f,
		      unsigned element, enum style style, struct buf *out)
{
	enum type_kind kind = f->type.kind;

	if (show_of(&f->type)) {
		text_value(t, ev, f, element, out);
	} else if (style == STYLE_FUNCTION && !f->type.count && (kind == TYPE_STRING || kind == TYPE_USTRING)) {
		add_function_string(t, ev, f, out);
	} else if (event_marked(ev, f, element) && !type_is_dynamic(&f->type)) {
		buf_adds(out, "(fault)");
	} else if (style == STYLE_FUNCTION && kind == TYPE_CHAR) {
		char c = (char)event_number(ev, f, element);

		add_text(t, &c, 1, out);
	} else if (style == STYLE_FUNCTION && (is_number(kind) || kind == TYPE_SYMBOL)) {
		add_function_number(t, ev, f, element, out);
	} else if (is_number(kind)) {
		add_number(ev, f, element, style, out);
	} else {
		text_value(t, ev, f, element, out);
	}
}

/* char[N] of a function event: printed up to its NUL. */
static void add_characters(const struct text *t, const struct event *ev, const struct layout_field *f,
			   struct buf *out)
{
	const char *s = (const char *)ev->body + f->off;

	if (event_marked(ev, f, 0))
		buf_adds(out, "(fault)");
	else
		add_text(t, s, (uint32_t)strnlen(s, f->count), out);
}

static void add_field(const struct text *t, const struct event *ev, const struct layout_field *f,
		      enum style style, struct buf *out)
{
	bool is_function = style == STYLE_FUNCTION, bare = is_function && t->comma_arrays, more;
	unsigned count = event_count(ev, f, &more);

	if (!f->type.count) {
		add_value(t, ev, f, 0, style, out);
		return;
	}
	if (is_function && f->type.kind == TYPE_CHAR) {
		add_characters(t, ev, f, out);
		return;
	}
	if (!bare)
		buf_addc(out, '{');
	for (unsigned i = 0; i < count; i++) {
		if (i)
			buf_addc(out, is_function && !bare ? ':' : ',');
		add_value(t, ev, f, i, style, out);
	}
	if (more)
		buf_adds(out, is_function && !bare ? ":..." : ",...");
	if (!bare)
		buf_addc(out, '}');
}

/* ---- bodies ---- */

/* The name of the function at @addr, and the offset of @addr in it. */
static const char *function_at(const struct text *t, uint64_t addr, uint64_t *ret_off)
{
	const struct ksym *sym = t->ks && addr ? ksyms_lookup(t->ks, addr, NULL) : NULL;

	*ret_off = sym ? addr - sym->addr : 0;
	return sym ? sym->name : NULL;
}

/* The place of an event. At that time no function began with a landing pad, so an entry is the function's first byte. */
static uint64_t place_of(const struct text *t, const struct event *ev)
{
	uint64_t addr = event_addr(ev), off;

	if (ev->layout->at_entry && function_at(t, addr, &off) && off <= ENTRY_PAD_SIZE)
		return addr - off;
	return addr;
}

static void add_function(const struct text *t, uint64_t addr, const char *otherwise, struct buf *out)
{
	uint64_t off;
	const char *name = function_at(t, addr, &off);

	if (name || otherwise)
		buf_adds(out, name ? name : otherwise);
	else
		buf_addf(out, "0x%" PRIx64, addr);
}

/* SYM: @SYM+OFFS and CALLER: <-SYM+OFFS. An entry behind a landing pad is still +0. */
static void add_rfc_v2_place(const struct text *t, const struct event *ev, struct buf *out)
{
	const struct layout *l = ev->layout;
	uint64_t addr = event_addr(ev), off;
	const char *name = function_at(t, addr, &off);

	if (l->is_return)
		add_function(t, event_caller(ev), NULL, out);
	else
		add_function(t, addr, l->func, out);
	buf_adds(out, l->is_return ? ": <-" : ": @");
	add_function(t, addr, l->func, out);
	if (name || l->func)
		buf_addf(out, "+%" PRIu64, l->is_return || l->at_entry ? 0 : off);
}

static void add_v13_place(const struct text *t, const struct event *ev, struct buf *out)
{
	if (ev->layout->is_return) {
		text_symbol(out, t->ks, event_caller(ev), true);
		buf_adds(out, " <- ");
		add_function(t, event_addr(ev), ev->layout->func, out);
	} else {
		text_symbol(out, t->ks, place_of(t, ev), true);
	}
	buf_addc(out, ':');
}

/* The location of 2.6 and 3.x: today's form, except for an entry behind a landing pad. */
static void add_location(const struct text *t, const struct event *ev, struct buf *out)
{
	uint64_t addr = place_of(t, ev);

	if (ev->layout->is_return || addr == event_addr(ev)) {
		text_location(t, ev, out);
		return;
	}
	buf_addc(out, '(');
	text_symbol(out, t->ks, addr, true);
	buf_addc(out, ')');
}

/* The function keeps the name that the user typed: today no function has the name SyS_openat. */
static void add_function_body(const struct text *t, const struct event *ev, enum style style, struct buf *out)
{
	const struct layout *l = ev->layout;
	unsigned first = l->has_parent ? 1 : 0;

	if (l->is_return) {
		add_function(t, event_caller(ev), NULL, out);
		buf_adds(out, "<-");
	} else if (l->has_parent) {
		add_function(t, event_number(ev, &l->fields[0], 0), NULL, out);
		buf_adds(out, "->");
	}
	if (l->typed && l->dialect == DIALECT_FUNCTION)
		buf_adds(out, l->typed);
	else
		add_function(t, event_addr(ev), l->func, out);
	buf_addc(out, '(');
	for (unsigned i = first; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		buf_addf(out, "%s%s=", i > first ? ", " : "",
			 f->label && l->dialect == DIALECT_FUNCTION ? f->label : f->name);
		add_field(t, ev, f, style, out);
	}
	buf_addc(out, ')');
}

static void add_named_fields(const struct text *t, const struct event *ev, enum style style, struct buf *out)
{
	for (unsigned i = 0; i < ev->layout->nr_fields; i++) {
		const struct layout_field *f = &ev->layout->fields[i];

		buf_addf(out, " %s=", style == STYLE_2_6 && f->label ? f->label : f->name);
		add_field(t, ev, f, style, out);
	}
}

static void add_bare_fields(const struct text *t, const struct event *ev, enum style style, struct buf *out)
{
	for (unsigned i = 0; i < ev->layout->nr_fields; i++) {
		buf_addc(out, ' ');
		add_field(t, ev, &ev->layout->fields[i], style, out);
	}
}

static void add_named_body(const struct text *t, const struct event *ev, enum style style, struct buf *out)
{
	buf_adds(out, ev->layout->event);
	buf_adds(out, ": ");
	add_location(t, ev, out);
	add_named_fields(t, ev, style, out);
}

static void add_rfc_v2_body(const struct text *t, const struct event *ev, enum style style, struct buf *out)
{
	add_rfc_v2_place(t, ev, out);
	add_bare_fields(t, ev, style, out);
}

static void add_v13_body(const struct text *t, const struct event *ev, enum style style, struct buf *out)
{
	add_v13_place(t, ev, out);
	add_bare_fields(t, ev, style, out);
}

void style_event(const struct text *t, const struct event *ev, enum style style, struct buf *out)
{
	add_head(t, ev, style, out);
	styles[style].body(t, ev, style, out);
	buf_addc(out, '\n');
}

/* ---- the table ---- */

enum {
	TAKES_OLD = STYLE_TAKES_CLOCK | STYLE_TAKES_RAW_STRINGS,
	TAKES_TODAY = TAKES_OLD | STYLE_TAKES_COLUMNS | STYLE_TAKES_TIME,
};

static const struct style_row styles[STYLE_COUNT] = {
	[STYLE_OWN] = { "own", &sink_text, TAKES_TODAY },
	[STYLE_KPROBE] = { "kprobe", &sink_text, TAKES_TODAY },
	[STYLE_2_6] = { "2.6", &sink_text, TAKES_OLD, .body = add_named_body },
	[STYLE_3_X] = { "3.x", &sink_text, TAKES_OLD, .flags = true, .body = add_named_body },
	[STYLE_RFC_V2] = { "rfc-v2", &sink_text, TAKES_OLD, .body = add_rfc_v2_body },
	[STYLE_V13] = { "v13", &sink_text, TAKES_OLD, .body = add_v13_body },
	[STYLE_FUNCTION] = { "function", &sink_text, TAKES_OLD, .flags = true, .body = add_function_body },
	[STYLE_SHORT] = { "short", &sink_short, STYLE_TAKES_TIME },
};
