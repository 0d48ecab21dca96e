// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_record.c - converts a hit to a record of a trace.dat.
 *
 * The strings get new places, because the ring's records have room for longer strings, and have marks before them.
 */
#include "dat/dat_record.h"

#include "arch/kernel.h"
#include "print/put.h"
#include "print/show.h"
#include "print/stack.h"
#include "print/text.h"

/*
 * Bytes of texts that are made. A symbol has a name of up to 511, a module's name of up to 55, offset and size (6.12,
 * include/linux/kallsyms.h); a sockaddr's path of 108 has up to 432 when it is escaped. A string[*] has at least so many, and those
 * that the hit's own strings leave.
 */
enum { SYMBOL_ROOM = 640, VECTOR_ROOM = 4096, RECORD_MAX = DAT_PAGE_MAX - DAT_PAGE_SPARE };

/* The names of a program's stack: for 127 frames 129 bytes each. What is longer loses its outermost frames. */
enum { STACK_ROOM = 16384 };

static const char fault_text[8] = "(fault)";

struct loc {
	uint32_t off, len;
};

static struct loc get_loc(const struct event *ev, uint32_t at)
{
	uint32_t loc;
	struct loc l;

	memcpy(&loc, ev->body + at, sizeof(loc));
	l = (struct loc){ loc & 0xffff, loc >> 16 };
	return l.off + l.len <= ev->len ? l : (struct loc){ 0 };
}

static void set_loc(void *body, uint32_t at, struct loc l)
{
	uint32_t loc = l.len << 16 | l.off;

	memcpy((char *)body + at, &loc, sizeof(loc));
}

static uint32_t body_max(const struct layout *l)
{
	return MAX(l->short_size, l->long_size) - BP_BODY_OFF;
}

/* Bytes of the texts that are made for a field's values, since the ring's record has them in another form. */
static uint32_t made_room(const struct layout_field *f)
{
	if (f->type.until_null)
		return VECTOR_ROOM;
	return f->type.kind == TYPE_SYMSTR || f->type.kind == TYPE_BLOCK ? f->count * SYMBOL_ROOM : 0;
}

static uint32_t all_made_room(const struct layout *l)
{
	uint32_t room = 0;

	for (unsigned i = 0; i < l->nr_fields; i++)
		room += made_room(&l->fields[i]);
	return room;
}

/* Bytes of a record whose body in the ring has @body bytes, without the texts that are made. */
static uint32_t plain_len(uint32_t body)
{
	return body + (uint32_t)(sizeof(struct dat_extra) + sizeof(struct dat_end) + sizeof(fault_text));
}

uint32_t dat_record_max(const struct layout *l)
{
	uint32_t len = plain_len(body_max(l)) + all_made_room(l) + (l->stacks & 1u << STACK_USER ? STACK_ROOM : 0);

	return MIN(ROUND_UP(len, 4u), (uint32_t)RECORD_MAX);
}

struct layout dat_layout(const struct layout *l, bool names)
{
	struct layout file = *l;

	if (names && l->stacks & 1u << STACK_USER) {
		file.stacks ^= 1u << STACK_USER | 1u << STACK_USER_TEXT;
		file.stack_off[STACK_USER_TEXT] = l->stack_off[STACK_USER];
	}
	return file;
}

void dat_shape_init(struct dat_shape *s, const struct layout *l, bool names, uint32_t id, struct arena *arena)
{
	names = names && l->stacks & 1u << STACK_USER;
	*s = (struct dat_shape){ .layout = l, .names = names, .common = id, .copied = names || all_made_room(l) ? 0 : l->fixed,
				 .texts = arena_array(arena, uint32_t, l->nr_strings + STACK_KINDS) };
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		for (unsigned k = 0; type_is_dynamic(&f->type) && k < f->count; k++)
			s->texts[s->nr_texts++] = f->off + 4 * k;
	}
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (l->stacks & 1u << i)
			s->texts[s->nr_texts++] = l->stack_off[i];
	}
}

void dat_pen_fini(struct dat_pen *pen)
{
	buf_fini(&pen->scratch);
}

/* ---- strings that are not copied as they are ---- */

struct packer {
	const struct event *ev;
	const struct text *t;
	struct buf *out;
	uint32_t budget;		/* bytes that the texts that are made may still use */
	uint16_t fault_off;
};

static struct loc add_fault(struct packer *p)
{
	if (!p->fault_off) {
		p->fault_off = (uint16_t)p->out->len;
		buf_add(p->out, fault_text, sizeof(fault_text));
	}
	return (struct loc){ p->fault_off, sizeof(fault_text) };
}

/* The text that was made from @start on gets three dots where its room ends, or is left out if there is no room for these. */
static void cut_made(struct packer *p, uint32_t start)
{
	static const char dots[] = "...";

	if (p->out->len - start < p->budget)
		return;
	p->out->len = start + (p->budget > strlen(dots) ? p->budget - strlen(dots) - 1 : 0);
	if (p->budget > strlen(dots))
		buf_adds(p->out, dots);
}

/* Ends the text that was made from @start on with a NUL, and appends the value itself. */
static struct loc end_made(struct packer *p, uint32_t start, const void *value, uint32_t len)
{
	cut_made(p, start);
	p->budget -= MIN(p->budget, (uint32_t)p->out->len - start + 1);
	buf_addc(p->out, '\0');
	buf_add(p->out, value, len);
	return (struct loc){ start, (uint32_t)p->out->len - start };
}

static struct loc add_symbol(struct packer *p, uint64_t addr)
{
	uint32_t start = (uint32_t)p->out->len;

	text_symbol(p->out, p->t->ks, addr, true);
	return end_made(p, start, &addr, sizeof(addr));
}

static struct loc add_block(struct packer *p, const struct layout_field *f, unsigned element, struct loc from)
{
	uint32_t start = (uint32_t)p->out->len;

	show_of(&f->type)->text(p->ev, f, element, p->out);
	return end_made(p, start, p->ev->body + from.off, from.len);
}

/* string[*]: the first string has the text of all in front of it. A string that is not there stays so. */
static struct loc add_of_vector(struct packer *p, const struct layout_field *f, unsigned element, struct loc from)
{
	uint32_t start = (uint32_t)p->out->len, raw;

	memcpy(&raw, p->ev->body + f->off + 4 * element, sizeof(raw));
	if (!element) {
		text_field(p->t, p->ev, f, p->out);
		return end_made(p, start, p->ev->body + from.off, from.len);
	}
	if (!raw)
		return (struct loc){ 0 };
	if (!from.len)
		return add_fault(p);
	buf_add(p->out, p->ev->body + from.off, from.len);
	return (struct loc){ start, from.len };
}

static struct loc add_dynamic(struct packer *p, const struct layout_field *f, unsigned element)
{
	struct loc from = get_loc(p->ev, f->off + 4 * element), to = { (uint32_t)p->out->len, from.len };
	uint64_t addr;

	if (f->type.until_null)
		return add_of_vector(p, f, element, from);
	if (f->type.kind == TYPE_BUFFER && !from.off)
		return (struct loc){ 0 };
	if (!from.len && f->type.kind != TYPE_BUFFER)
		return add_fault(p);
	if (f->type.kind == TYPE_BLOCK)
		return add_block(p, f, element, from);
	if (f->type.kind == TYPE_SYMSTR)
		return event_symstr(p->ev, f, element, &addr) ? add_symbol(p, addr) : add_fault(p);
	buf_add(p->out, p->ev->body + from.off, from.len);
	return to;
}

/* A hit that shows no such stack has offset 0; a stack without frames has an offset. */
static void add_stack(struct packer *p, enum stack_kind kind)
{
	uint32_t at = p->ev->layout->stack_off[kind];
	struct loc from = stack_is_shown(p->ev, kind) ? get_loc(p->ev, at) : (struct loc){ 0 };
	struct loc to = { from.off ? (uint32_t)p->out->len : 0, from.len };

	buf_add(p->out, p->ev->body + from.off, from.len);
	set_loc(p->out->data, at, to);
}

/* The frames of a program as lines: what was mapped where is not in the file. */
static void add_stack_text(struct packer *p, uint32_t at)
{
	uint32_t start = (uint32_t)p->out->len, whole = start;
	struct stack stack;

	if (!stack_get(p->ev, STACK_USER, &stack))
		stack.nr = 0;
	for (unsigned i = 0; i < stack.nr; i++) {
		stack_put_frame(p->t, p->ev, &stack, i, p->out);
		buf_addc(p->out, '\n');
		if (p->out->len - start > p->budget)
			break;
		whole = (uint32_t)p->out->len;
	}
	p->out->len = whole;
	set_loc(p->out->data, at, (struct loc){ start, whole - start });
}

/* Replaces *out by all that is before the marks. Returns the offset of the text (fault), or 0. */
static NOINLINE uint16_t convert(const struct dat_shape *s, const struct event *ev, const struct text *t, struct buf *out)
{
	const struct layout *l = ev->layout;
	struct packer p = { .ev = ev, .t = t, .out = out };

	p.budget = dat_record_max(l) - MIN(dat_record_max(l), plain_len(ev->len) + l->nr_strings);
	buf_reset(out);
	buf_add(out, ev->body, l->fixed);
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		for (unsigned k = 0; type_is_dynamic(&f->type) && k < f->count; k++) {
			struct loc loc = add_dynamic(&p, f, k);

			set_loc(out->data, f->off + 4 * k, loc);
		}
	}
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (i == STACK_USER && s->names)
			add_stack_text(&p, l->stack_off[i]);
		else if (l->stacks & 1u << i)
			add_stack(&p, (enum stack_kind)i);
	}
	return p.fault_off;
}

/* ---- what is common to all records ---- */

_Static_assert(offsetof(struct bp_rec, cpu) == offsetof(struct bp_rec, tgid) + 4 &&
	       offsetof(struct bp_rec, migrate) == offsetof(struct bp_rec, tgid) + 6, "struct dat_extra begins like these");
_Static_assert(offsetof(struct dat_extra, preempt) == 8 && offsetof(struct dat_extra, comm) == 16, "the words of struct dat_extra");

/* The words of the record's struct dat_extra. */
static inline void get_extra(const struct bp_rec *rec, const struct context_rules *rules, uint64_t extra[DAT_EXTRA_WORDS])
{
	uint64_t tif = (uint16_t)(rec->tif & (rules->tif_resched | rules->tif_lazy));
	uint64_t eflags = rec->eflags == BP_EFLAGS_UNKNOWN ? DAT_EFLAGS_UNKNOWN : rec->eflags & FLAGS_INTERRUPTS;

	memcpy(&extra[0], &rec->tgid, sizeof(extra[0]));
	extra[1] = rec->preempt | tif << 32 | eflags << 48;
	memcpy(&extra[2], rec->comm, sizeof(rec->comm));
}

static inline bool has_context(const struct dat_shape *s, const uint64_t extra[DAT_EXTRA_WORDS])
{
	return s->context == extra[1] && s->migrate == (uint16_t)(extra[0] >> 48) && s->has_context;
}

static void learn_context(struct dat_shape *s, const struct event *ev, const struct context_rules *rules,
			  const uint64_t extra[DAT_EXTRA_WORDS])
{
	uint8_t flags = CONTEXT_IRQS_UNKNOWN, count = 0;

	context_numbers(rules, ev->rec, s->layout, &flags, &count);
	s->common = (uint16_t)s->common | (uint64_t)flags << 16 | (uint64_t)count << 24;
	s->context = extra[1];
	s->migrate = ev->rec->migrate;
	s->has_context = true;
}

/* Are there marks? Usually none is set. */
static inline bool is_marked(const struct layout *l, const unsigned char *body)
{
	uint64_t all = 0, word;

	for (uint32_t at = l->marks_off; at < l->dyn_off; at += 8) {
		memcpy(&word, body + at, sizeof(word));
		all |= word;
	}
	return all;
}

/* Copies @len bytes; @room bytes can be read there. It may copy up to 15 more. */
static inline void copy(unsigned char *to, const unsigned char *from, uint32_t len, uint32_t room)
{
	if (ROUND_UP(len, 16u) <= room)
		put_padded((char *)to, (const char *)from, len);
	else
		memcpy(to, from, len);
}

/* Bytes before the marks, if all strings and stacks can be copied as they are; else 0. */
static inline uint32_t copied_len(const struct dat_shape *s, const struct event *ev)
{
	uint32_t len = ev->hidden_stacks ? 0 : s->copied;

	for (unsigned i = 0; len && i < s->nr_texts; i++) {
		struct loc loc = get_loc(ev, s->texts[i]);

		len = loc.len ? len + loc.len : 0;
	}
	return len;
}

static inline void copy_record(const struct dat_shape *s, const struct event *ev, unsigned char *to)
{
	uint32_t at = s->layout->fixed;

	copy(to, ev->body, at, ev->len);
	for (unsigned i = 0; i < s->nr_texts; i++) {
		struct loc loc = get_loc(ev, s->texts[i]);

		copy(to + at, ev->body + loc.off, loc.len, ev->len - loc.off);
		set_loc(to, s->texts[i], (struct loc){ at, loc.len });
		at += loc.len;
	}
}

static inline bool same_extra(const uint64_t a[DAT_EXTRA_WORDS], const uint64_t b[DAT_EXTRA_WORDS])
{
	return !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]));
}

static unsigned char *put(unsigned char *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return to + len;
}

static inline struct dat_said *find_said(struct dat_pen *pen, uint64_t common)
{
	return &pen->said[common * 0x9e3779b97f4a7c15u >> (64 - DAT_SAID_BITS)];
}

static inline bool was_said(const struct dat_pen *pen, const struct dat_said *said, uint64_t common,
			    const uint64_t extra[DAT_EXTRA_WORDS])
{
	return said->common == common && said->page == pen->page.number && same_extra(said->extra, extra);
}

/* For all records: with marks, with texts that are not copied, and those that are the first of a task in their page. */
static NOINLINE enum dat_added add_any(struct dat_pen *pen, struct dat_shape *s, const struct event *ev, uint64_t ts,
							const struct text *t)
{
	const struct layout *l = s->layout;
	uint32_t copied = copied_len(s, ev), len = copied, tail = 0;
	uint64_t extra[DAT_EXTRA_WORDS], common;
	struct dat_end end = { 0 };
	struct dat_said *said;
	unsigned char *to, *at;

	get_extra(ev->rec, &t->rules, extra);
	if (!has_context(s, extra))
		learn_context(s, ev, &t->rules, extra);
	common = s->common | (uint64_t)(uint32_t)ev->rec->common_pid << 32;
	said = find_said(pen, common);
	if (!copied) {
		end.fault_off = convert(s, ev, t, &pen->scratch);
		len = (uint32_t)pen->scratch.len;
	}
	end.has_marks = is_marked(l, ev->body);
	end.has_extra = !was_said(pen, said, common, extra);
	if (end.has_marks || end.has_extra || end.fault_off)
		tail = (end.has_marks ? l->dyn_off - l->marks_off : 0) + (end.has_extra ? sizeof(extra) : 0) + sizeof(end);
	to = dat_page_place(&pen->page, ts, ROUND_UP(len, 4u) + tail);
	if (!to)
		return DAT_NO_ROOM;
	if (copied)
		copy_record(s, ev, to);
	else
		memcpy(to, pen->scratch.data, len);
	memcpy(to, &common, sizeof(common));
	memset(to + len, 0, 4);
	if (!tail)
		return DAT_ADDED;
	at = to + ROUND_UP(len, 4u);
	if (end.has_marks)
		at = put(at, ev->body + l->marks_off, l->dyn_off - l->marks_off);
	if (end.has_extra) {
		at = put(at, extra, sizeof(extra));
		*said = (struct dat_said){ .page = pen->page.number, .common = common };
		memcpy(said->extra, extra, sizeof(extra));
	}
	put(at, &end, sizeof(end));
	return end.has_extra ? DAT_ADDED_EXTRA : DAT_ADDED;
}

/* The usual record is only its fields and its strings. */
enum dat_added dat_record_add(struct dat_pen *pen, struct dat_shape *s, const struct event *ev, uint64_t ts, const struct text *t)
{
	uint64_t extra[DAT_EXTRA_WORDS], common;
	uint32_t len = copied_len(s, ev);
	unsigned char *to;

	get_extra(ev->rec, &t->rules, extra);
	common = s->common | (uint64_t)(uint32_t)ev->rec->common_pid << 32;
	if (!len || !has_context(s, extra) || !was_said(pen, find_said(pen, common), common, extra) || is_marked(s->layout, ev->body))
		return add_any(pen, s, ev, ts, t);
	to = dat_page_place(&pen->page, ts, ROUND_UP(len, 4u));
	if (!to)
		return DAT_NO_ROOM;
	copy_record(s, ev, to);
	memcpy(to, &common, sizeof(common));
	memset(to + len, 0, 4);			/* at most 3 bytes count; what is behind them is not used yet */
	return DAT_ADDED;
}
