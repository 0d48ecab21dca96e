// SPDX-License-Identifier: GPL-2.0-only
/*
 * short.c - lines for people: time since the start, task, event, arguments.
 *
 * A person reads some lines a second. So, like style.c, this code is simple rather than fast.
 */
#include "print/short.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "kernel/syms/ksyms.h"
#include "print/sink.h"
#include "print/sites.h"
#include "print/home.h"
#include "print/stack.h"
#include "print/text.h"

enum {
	SECONDS_WIDTH = 3,		/* in front of the dot */
	TASK_LEAST = 16,
	TASK_MOST = 24,			/* 15 bytes and [4194304]; an escaped name may be longer, and moves its own line only */
	MAX_ERRNO = 4095,		/* 6.12, include/linux/err.h */
};

/* ---- a line, and where it is cut ---- */

struct line {
	const struct text *t;
	struct buf *out;
	unsigned columns;		/* so far */
	size_t keep;			/* what stays of @out if the rest does not fit, */
	bool keeps_colour;		/* and whether a colour is on there */
	bool is_cut;
};

/*
 * How many columns a character needs at most, so that no line is longer than the terminal is wide. Up to U+2319 only
 * U+1100 to U+115F are wide (Unicode 15, EastAsianWidth.txt); beyond that wide and narrow ones are mixed, so all count as
 * wide. Combining characters count as others do. For such text a line may be cut earlier than necessary.
 */
static unsigned columns_of(const char *s, unsigned size)
{
	unsigned c;

	if (size != 3)
		return size < 3 ? 1 : 2;
	c = (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
	return (c >= 0x1100 && c <= 0x115f) || c >= 0x231a ? 2 : 1;
}

#define DOTS	"..."

/* How many columns the ellipsis needs. A line of one or two columns has that many dots. */
static unsigned dots_of(const struct text *t)
{
	return t->utf8 ? 1 : MIN(t->width, (unsigned)sizeof(DOTS) - 1);
}

static void cut(struct line *l)
{
	l->out->len = l->keep;
	buf_adds(l->out, l->keeps_colour ? PALETTE_OFF : "");
	buf_adds(l->out, l->t->utf8 ? "\xe2\x80\xa6" : &DOTS[sizeof(DOTS) - 1 - dots_of(l->t)]);
	l->is_cut = true;
}

/* Appends @len bytes, which must be safe for a terminal, in a colour ("": none). */
static void put(struct line *l, const char *colour, const char *s, size_t len)
{
	unsigned width = l->t->width, dots = dots_of(l->t), size;
	bool coloured = l->t->palette.on && *colour;

	if (l->is_cut)
		return;
	buf_adds(l->out, coloured ? colour : "");
	for (size_t i = 0; i < len; i += size) {
		size = utf8_size(s + i, len - i);
		l->columns += columns_of(s + i, size);
		if (width && l->columns > width) {
			cut(l);
			return;
		}
		buf_add(l->out, s + i, size);
		if (l->columns + dots <= width) {
			l->keep = l->out->len;
			l->keeps_colour = coloured;
		}
	}
	buf_adds(l->out, coloured ? PALETTE_OFF : "");
}

static void puts_plain(struct line *l, const char *s)
{
	put(l, "", s, strlen(s));
}

static void pad_to(struct line *l, unsigned columns)
{
	while (l->columns < columns && !l->is_cut)
		puts_plain(l, " ");
}

/* Appends text from elsewhere without anything that could be a command to a terminal. */
static void add_safe(const struct text *t, struct buf *out, const char *s, size_t len)
{
	size_t from = out->len;

	escape_text(out, s, len, "");
	if (t->ascii)
		escape_high(out, from, false);
}

/* Appends @len bytes that may be anything. */
static void put_escaped(struct line *l, struct buf *safe, const char *colour, const char *s, size_t len)
{
	buf_reset(safe);
	add_safe(l->t, safe, s, len);
	put(l, colour, buf_str(safe), safe->len);
}

/* ---- the events ---- */

struct named {
	const struct layout *layout;	/* of its first probe */
	bool places;			/* its probes are on several functions */
};

/* What short lines remember from line to line. */
struct short_lines {
	struct own own;
	struct arena arena;		/* where this structure is */
	struct buf events;		/* of struct named: those that may come */
	unsigned task_width, event_width;
	struct buf raw, safe;		/* memory for one piece of a line */
};

/* The widths of the columns stay. */
static void renew(struct own *own)
{
	struct short_lines *s = (struct short_lines *)own;

	buf_reset(&s->events);
}

static void free_lines(struct own *own)
{
	struct short_lines *s = (struct short_lines *)own;
	struct arena arena = s->arena;

	buf_fini(&s->raw);
	buf_fini(&s->safe);
	buf_fini(&s->events);
	arena_fini(&arena);
}

static struct short_lines *lines_of(struct text *t)
{
	if (!t->own) {
		struct arena arena = { 0 };
		struct short_lines *s = arena_new(&arena, struct short_lines);

		s->own = (struct own){ renew, free_lines };
		s->arena = arena;
		t->own = &s->own;
	}
	return (struct short_lines *)t->own;
}

/* The layout of one program for many functions has the pattern that names them. */
static bool is_pattern(const char *func)
{
	return func && strpbrk(func, "*?[,");
}

static bool same_place(const struct layout *a, const struct layout *b)
{
	return a->func && b->func && !strcmp(a->func, b->func) && a->at_entry == b->at_entry;
}

static struct named *find_named(const struct short_lines *s, const struct layout *l)
{
	struct named *named = (struct named *)(void *)s->events.data;

	for (size_t i = 0; i < s->events.len / sizeof(*named); i++) {
		const struct layout *other = named[i].layout;

		if (!strcmp(other->event, l->event) && !strcmp(other->group, l->group))
			return &named[i];
	}
	return NULL;
}

static void add_name(const struct layout *l, struct buf *out)
{
	if (strcmp(l->group, "kprobes")) {
		buf_adds(out, l->group);
		buf_addc(out, '/');
	}
	buf_adds(out, l->event);
}

static void learn(struct text *t, const struct layout *l)
{
	struct short_lines *s = lines_of(t);
	struct named *known = find_named(s, l);

	if (!known) {
		const struct named named = { .layout = l, .places = is_pattern(l->func) };

		buf_add(&s->events, &named, sizeof(named));
		buf_reset(&s->raw);
		add_name(l, &s->raw);
		s->event_width = MAX(s->event_width, (unsigned)s->raw.len);
		palette_event(&t->palette, l->event);	/* the first events of the run get different colours */
	} else if (!known->places && !l->is_synthetic && !same_place(known->layout, l)) {
		known->places = true;
		if (t->sites)
			sites_forget(t->sites);
	}
}

static void add_user_function(const struct layout *l, struct buf *out)
{
	buf_adds(out, l->func);
	if (l->site_off && !l->is_return)
		buf_addf(out, "+0x%" PRIx64, l->site_off);
}

static void add_place(const struct text *t, const struct event *ev, struct buf *out)
{
	const struct layout *l = ev->layout;
	uint64_t addr = event_addr(ev);
	const struct ksym *sym = t->ks && addr && l->site == SITE_KERNEL ? ksyms_lookup(t->ks, addr, NULL) : NULL;

	buf_addc(out, '(');
	if (l->site == SITE_EVENT)
		buf_adds(out, l->site_name);
	else if (l->site == SITE_USER && l->func)
		add_user_function(l, out);
	else if (sym || (l->func && !is_pattern(l->func)))
		buf_adds(out, sym ? sym->name : l->func);
	else
		buf_addf(out, "0x%" PRIx64, addr);
	if (sym && !l->at_entry && !l->is_return)
		buf_addf(out, "+0x%" PRIx64, addr - sym->addr);
	buf_addc(out, ')');
}

/* The event's name, and behind the first ->fixed bytes its place, if lines have one. */
static struct site *find_site(struct text *t, const struct event *ev)
{
	struct short_lines *s = lines_of(t);
	struct site *site;

	if (!t->sites)
		t->sites = sites_new();
	site = sites_find(t->sites, ev, 0);
	if (site->layout)
		return site;
	learn(t, ev->layout);		/* it may have come with a module */
	site = sites_find(t->sites, ev, 0);	/* learn() may have forgotten all sites, and freed their forms */
	site->layout = ev->layout;
	site->addr = event_addr(ev);
	site->caller = 0;
	site->has_flags = false;
	buf_reset(&site->text);
	buf_reset(&s->raw);
	add_name(ev->layout, &s->raw);
	add_safe(t, &site->text, buf_str(&s->raw), s->raw.len);
	site->fixed = site->text.len;
	buf_reset(&s->raw);
	if (find_named(s, ev->layout)->places)
		add_place(t, ev, &s->raw);
	add_safe(t, &site->text, buf_str(&s->raw), s->raw.len);
	return site;
}

/* ---- the columns ---- */

static unsigned time_width(const struct text *t)
{
	return SECONDS_WIDTH + 1 + (t->columns.ns ? 9 : 6);
}

static void put_time(struct line *l, struct text *t, uint64_t ts)
{
	char text[32];
	uint64_t ns;

	if (!t->start)
		t->start = ts;
	/* CLOCK_MONOTONIC may be some ns early as programs read it (bpf_ktime_get_ns()). */
	ns = ts > t->start ? ts - t->start : 0;
	if (t->columns.ns)
		snprintf(text, sizeof(text), "%*" PRIu64 ".%09u ", SECONDS_WIDTH, ns / 1000000000, (unsigned)(ns % 1000000000));
	else
		snprintf(text, sizeof(text), "%*" PRIu64 ".%06u ", SECONDS_WIDTH, ns / 1000000000,
			 (unsigned)(ns / 1000 % 1000000));
	put(l, PALETTE_DIM, text, strlen(text));
}

static void put_task(struct line *l, struct short_lines *s, const struct bp_rec *rec)
{
	const char *comm = rec->common_pid ? rec->comm : "<idle>";
	unsigned from = l->columns;
	char pid[16];

	snprintf(pid, sizeof(pid), "[%d]", rec->common_pid);
	put_escaped(l, &s->safe, "", comm, strnlen(comm, BP_COMM_LEN));
	puts_plain(l, pid);
	s->task_width = MAX(MAX(s->task_width, TASK_LEAST), MIN(l->columns - from, TASK_MOST));
	pad_to(l, from + s->task_width + 2);
}

/* ---- values ---- */

static bool is_text(enum type_kind kind)
{
	return kind == TYPE_STRING || kind == TYPE_USTRING || kind == TYPE_DENTRY || kind == TYPE_FILE || kind == TYPE_SYMSTR ||
	       kind == TYPE_CHAR || kind == TYPE_BLOCK || kind == TYPE_BUFFER;
}

/* Is it what the function returned, and the user gave it no name? (rv: the word of 2009) */
static bool is_nameless(const struct layout_field *f)
{
	return f->label && (!strcmp(f->label, "$retval") || !strncmp(f->label, "$retval:", 8) || !strcmp(f->label, "rv"));
}

/*
 * May it be a negative errno? Functions return these as numbers and as pointers. Where the user gave a name, the record does
 * not say which argument is the return value, so the usual names have to do.
 */
static bool is_failure(const struct event *ev, const struct layout_field *f)
{
	bool returned = is_nameless(f) || f->type.show == SHOW_ERRNO || !strcmp(f->name, "ret") || !strcmp(f->name, "retval");
	uint64_t n;

	if (!ev->layout->is_return || !returned || f->type.count || !type_is_number(&f->type) || f->type.size < 4)
		return false;
	n = event_number(ev, f, 0);
	return f->type.size == 4 ? (uint32_t)n >= -(uint32_t)MAX_ERRNO : n >= -(uint64_t)MAX_ERRNO;
}

static bool is_faulted(const struct event *ev, const struct layout_field *f, unsigned element)
{
	uint64_t addr;

	return f->type.kind == TYPE_SYMSTR ? !event_symstr(ev, f, element, &addr) : event_faulted(ev, f, element);
}

static void put_value(struct line *l, struct short_lines *s, const struct event *ev, const struct layout_field *f,
		      unsigned element)
{
	bool bad = is_faulted(ev, f, element) || is_failure(ev, f);

	buf_reset(&s->raw);
	text_value(l->t, ev, f, element, &s->raw);
	put_escaped(l, &s->safe, bad ? PALETTE_BAD : is_text(f->type.kind) ? PALETTE_STRING : "", buf_str(&s->raw), s->raw.len);
}

static void put_field(struct line *l, struct short_lines *s, const struct event *ev, const struct layout_field *f)
{
	const char *name = f->label && ev->layout->dialect == DIALECT_FUNCTION ? f->label : f->name;
	unsigned count;
	bool more;

	if (is_nameless(f)) {
		put(l, PALETTE_DIM, "= ", 2);
	} else {
		buf_reset(&s->raw);
		buf_adds(&s->raw, name);
		buf_addc(&s->raw, '=');
		put_escaped(l, &s->safe, PALETTE_DIM, s->raw.data, s->raw.len);
	}
	if (!f->type.count) {
		put_value(l, s, ev, f, 0);
		return;
	}
	puts_plain(l, "{");
	count = event_count(ev, f, &more);
	for (unsigned i = 0; i < count && !l->is_cut; i++) {
		if (i)
			puts_plain(l, ",");
		put_value(l, s, ev, f, i);
	}
	puts_plain(l, more ? ",...}" : "}");
}

/* ---- the sink ---- */

static struct line new_line(const struct text *t, struct buf *out)
{
	return (struct line){ .t = t, .out = out, .keep = out->len };
}

static void put_header(struct text *t, enum style style, const struct entries *entries, struct buf *out)
{
	struct short_lines *s = lines_of(t);
	struct line l = new_line(t, out);

	(void)style;
	(void)entries;
	pad_to(&l, time_width(t) - 7);
	put(&l, PALETTE_DIM, "TIME(s) TASK[PID]", 17);
	pad_to(&l, time_width(t) + 1 + MAX(s->task_width, TASK_LEAST) + 2);
	put(&l, PALETTE_DIM, "EVENT", 5);
	s->event_width = MAX(s->event_width, 5u);
	pad_to(&l, time_width(t) + 1 + MAX(s->task_width, TASK_LEAST) + 2 + s->event_width + 2);
	put(&l, PALETTE_DIM, "ARGUMENTS", 9);
	buf_addc(out, '\n');
}

static void put_frame(struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *scratch, struct buf *out)
{
	unsigned nr = stack_nr_lines(t, ev, stack, frame);

	for (unsigned n = 0; n < nr; n++) {
		struct line l = new_line(t, out);

		buf_reset(scratch);
		stack_put_line(t, ev, stack, frame, n, scratch);
		escape_high(scratch, 0, !t->ascii);
		put(&l, PALETTE_DIM, scratch->data, scratch->len);
		buf_addc(out, '\n');
	}
}

/* Each frame is a line of its own, which is cut like the others. */
static NOINLINE void put_stacks(struct text *t, const struct event *ev, struct buf *out)
{
	struct buf frame = { 0 };
	struct stack stack;

	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (!stack_get(ev, (enum stack_kind)i, &stack))
			continue;
		for (unsigned k = 0; k < stack.nr; k++)
			put_frame(t, ev, &stack, k, &frame, out);
	}
	buf_fini(&frame);
}

static void put_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	const struct site *site = find_site(t, ev);
	const struct layout *layout = ev->layout;
	struct short_lines *s = lines_of(t);
	struct line l = new_line(t, out);
	unsigned behind;

	(void)to;
	put_time(&l, t, ev->rec->ts);
	put_task(&l, s, ev->rec);
	behind = l.columns + s->event_width + 1;
	put(&l, palette_event(&t->palette, layout->event), buf_str(&site->text), site->fixed);
	if (site->text.len > site->fixed) {
		pad_to(&l, behind);
		puts_plain(&l, " ");
		put(&l, PALETTE_DIM, site->text.data + site->fixed, site->text.len - site->fixed);
	}
	for (unsigned i = 0; i < layout->nr_fields && !l.is_cut; i++) {
		pad_to(&l, behind);
		puts_plain(&l, " ");
		put_field(&l, s, ev, &layout->fields[i]);
	}
	buf_addc(out, '\n');
	if (layout->stacks)
		put_stacks(t, ev, out);
}

static void put_lost(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	(void)to;
	buf_adds(out, t->palette.on ? PALETTE_BAD : "");
	if (count != UINT64_MAX)
		buf_addf(out, "%" PRIu64 " ", count);
	buf_addf(out, "event%s lost on CPU %u", count == 1 ? "" : "s", cpu);
	buf_adds(out, t->palette.on ? PALETTE_OFF "\n" : "\n");
}

const struct sink sink_short = {
	.prints = true, .fits = true, .learn = learn, .header = put_header, .event = put_event, .lost = put_lost, .home = home_line,
};
