// SPDX-License-Identifier: GPL-2.0-only
/*
 * json.c - events as JSON: one object per line.
 *
 * Numbers that a double cannot hold are strings, and so are addresses. Strings that are not UTF-8 are objects. So every
 * line is valid whatever a record holds, and no information is lost.
 */
#include "print/json.h"

#include <inttypes.h>

#include "elf/dwarf/lines.h"
#include "elf/users.h"
#include "kernel/syms/ksyms.h"
#include "print/json_container.h"
#include "print/json_flat.h"
#include "print/json_string.h"
#include "print/put.h"
#include "print/sender.h"
#include "print/show.h"
#include "print/sink.h"
#include "print/sites.h"
#include "print/stack.h"
#include "print/text.h"

enum { HEAD_ROOM = 128, NUMBER_ROOM = 8 + PUT_DEC + PUT_SLACK };

#define EXACT	(1ull << 53)		/* a double can hold every whole number up to this one */

/* What happened with the values of a line. */
struct findings {
	bool faulted, cut;
};

static inline char *put_signed(char *p, int64_t n)
{
	if (n < 0)
		*p++ = '-';
	return put_dec(p, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

/* "0x..." */
static inline char *put_address(char *p, uint64_t n)
{
	p = put_literal(p, "\"0x");
	p = put_hex(p, n);
	*p++ = '"';
	return p;
}

/* ---- the parts that are the same in all lines of a place ---- */

/* 0 means not known. */
static void add_address(struct buf *out, uint64_t addr)
{
	char *p = put_literal(buf_room(out, 2 * NUMBER_ROOM), ",\"address\":");

	p = addr ? put_address(p, addr) : put_literal(p, "null");
	out->len = (size_t)(p - out->data);
}

/* Members: function, module, offset, address. If there is no symbol, the function is @otherwise (or NULL). */
static void add_place(const struct text *t, uint64_t addr, const char *otherwise, bool with_offset, struct buf *out)
{
	const struct ksym *sym = t->ks && addr ? ksyms_lookup(t->ks, addr, NULL) : NULL;
	const char *module = sym ? ksym_brackets(sym) : NULL, *name = sym ? sym->name : otherwise;

	buf_adds(out, "\"function\":");
	if (name)
		json_text(out, name);
	else
		buf_adds(out, "null");
	if (module) {
		buf_adds(out, ",\"module\":");
		json_text(out, module);
	}
	if (with_offset)
		buf_adds(out, ",\"offset\":");
	if (with_offset && sym)
		buf_dec(out, addr - sym->addr);
	else if (with_offset)
		buf_adds(out, "null");
	add_address(out, addr);
}

/* Members: file, function, offset, address. Without a function the offset is the one in the file. */
static void add_user_place(const struct layout *l, uint64_t addr, struct buf *out)
{
	buf_adds(out, ",\"file\":");
	json_text(out, l->site_name);
	buf_adds(out, ",\"function\":");
	if (l->func)
		json_text(out, l->func);
	else
		buf_adds(out, "null");
	if (!l->is_return) {
		buf_adds(out, ",\"offset\":");
		buf_dec(out, l->site_off);
	}
	add_address(out, addr);
}

static void new_site(const struct text *t, const struct event *ev, uint64_t caller, struct site *site)
{
	const struct layout *l = ev->layout;
	struct buf *out = &site->text;

	site->layout = l;
	site->addr = event_addr(ev);
	site->caller = caller;
	site->has_flags = false;
	buf_reset(out);
	buf_adds(out, ",\"event\":");
	json_text(out, l->event);
	buf_adds(out, ",\"group\":");
	json_text(out, l->group);
	if (l->site == SITE_EVENT) {
		buf_adds(out, ",\"source\":");
		json_text(out, l->site_name);
	} else if (l->site == SITE_USER) {
		add_user_place(l, site->addr, out);
	} else if (!l->is_synthetic) {
		buf_addc(out, ',');
		/* If addresses are hidden, only the name in the definition is known. */
		add_place(t, site->addr, site->addr ? NULL : l->func, !l->is_return, out);
	}
	if (l->is_return) {
		buf_adds(out, ",\"caller\":{");
		if (l->site == SITE_USER)
			buf_addf(out, "\"address\":\"0x%" PRIx64 "\"", caller);
		else
			add_place(t, caller, NULL, true, out);
		buf_addc(out, '}');
	}
	site->fixed = out->len;
}

static void add_depth(struct buf *out, const char *name, bool known, uint32_t depth)
{
	buf_adds(out, name);
	if (known)
		buf_dec(out, depth);
	else
		buf_adds(out, "null");
}

static void add_context(const struct text *t, const struct event *ev, struct buf *out)
{
	static const struct { unsigned flag; const char *name; } names[] = {
		{ CONTEXT_IRQS_OFF, "irqs_off" }, { CONTEXT_IRQS_UNKNOWN, "irqs_unknown" }, { CONTEXT_BH_OFF, "bh_off" },
		{ CONTEXT_NEED_RESCHED, "need_resched" }, { CONTEXT_NEED_RESCHED_LAZY, "need_resched_lazy" },
		{ CONTEXT_PREEMPT_RESCHED, "preempt_resched" }, { CONTEXT_HARDIRQ, "hardirq" },
		{ CONTEXT_SOFTIRQ, "softirq" }, { CONTEXT_NMI, "nmi" }, { CONTEXT_UNKNOWN, "unknown" },
	};
	const char *comma = "\"";
	struct context c;

	context_read(&t->rules, ev->rec, ev->layout, &c);
	buf_adds(out, ",\"flags\":[");
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(c.flags & names[i].flag))
			continue;
		buf_adds(out, comma);
		buf_adds(out, names[i].name);
		buf_addc(out, '"');
		comma = ",\"";
	}
	add_depth(out, "],\"preempt\":", !(c.flags & (CONTEXT_UNKNOWN | CONTEXT_DEPTH_UNSURE)), c.depth);
	add_depth(out, ",\"migrate\":", !(c.flags & CONTEXT_UNKNOWN), c.migrate);
}

static const struct site *find_site(struct text *t, const struct event *ev)
{
	uint64_t caller = ev->layout->is_return ? event_caller(ev) : 0;
	struct site *site;

	if (!t->sites)
		t->sites = sites_new();
	site = sites_find(t->sites, ev, caller);
	if (!site->layout)
		new_site(t, ev, caller, site);
	if (site_context(site, ev->rec))
		return site;
	site->text.len = site->fixed;
	add_context(t, ev, &site->text);
	buf_adds(&site->text, ",\"args\":{");
	memset(buf_room(&site->text, PUT_SLACK), 0, PUT_SLACK);
	return site;
}

/* ---- values ---- */

static void add_null(struct buf *out, struct findings *seen)
{
	buf_adds(out, "null");
	seen->faulted = true;
}

/* A number that a double cannot hold is a string, in the base of its type or @decimal. */
static inline char *put_number(char *p, const struct type *type, uint64_t n, bool decimal)
{
	bool is_signed = type->kind == TYPE_SIGNED;
	bool exact = (is_signed && (int64_t)n < 0 ? 0 - n : n) <= EXACT;

	if (!exact && type->kind == TYPE_HEX && !decimal)
		return put_address(p, n);
	if (!exact)
		*p++ = '"';
	p = is_signed ? put_signed(p, (int64_t)n) : put_dec(p, n);
	if (!exact)
		*p++ = '"';
	return p;
}

static void add_symbol(const struct text *t, uint64_t addr, struct buf *out)
{
	bool known = t->ks && ksyms_lookup(t->ks, addr, NULL);
	struct buf name = { 0 };

	buf_adds(out, "{\"symbol\":");
	if (known) {
		text_symbol(&name, t->ks, addr, true);
		json_string(out, name.data, (uint32_t)name.len, false);
	} else {
		buf_adds(out, "null");
	}
	buf_adds(out, ",\"address\":");
	out->len = (size_t)(put_address(buf_room(out, NUMBER_ROOM), addr) - out->data);
	buf_addc(out, '}');
	buf_fini(&name);
}

static inline void add_number(const struct text *t, const struct event *ev, const struct layout_field *f,
			      unsigned element, struct findings *seen, struct buf *out)
{
	uint64_t n = event_number(ev, f, element);
	char c = (char)n, *p;

	if (event_marked(ev, f, element)) {
		add_null(out, seen);
	} else if (f->type.kind == TYPE_CHAR) {
		json_string(out, &c, 1, false);
	} else if (f->type.kind == TYPE_SYMBOL) {
		add_symbol(t, n, out);
	} else {
		p = put_number(buf_room(out, NUMBER_ROOM), &f->type, n, t->decimal);
		out->len = (size_t)(p - out->data);
	}
}

static void add_shown(const struct event *ev, const struct layout_field *f, unsigned element, const struct show *show,
		      struct findings *seen, struct buf *out)
{
	if (event_faulted(ev, f, element)) {
		add_null(out, seen);
		return;
	}
	seen->cut |= event_buffer_cut(ev, f);
	if (show->json) {
		show->json(ev, f, element, out);
	} else {
		buf_addc(out, '"');
		show->text(ev, f, element, out);
		buf_addc(out, '"');
	}
}

static void add_value(const struct text *t, const struct event *ev, const struct layout_field *f,
		      unsigned element, struct findings *seen, struct buf *out)
{
	const struct show *show = show_of(&f->type);
	uint64_t addr;
	const char *s;
	uint32_t len;
	bool cut;

	if (show) {
		add_shown(ev, f, element, show, seen, out);
		return;
	}
	if (!type_is_dynamic(&f->type)) {
		add_number(t, ev, f, element, seen, out);
	} else if (f->type.kind == TYPE_SYMSTR) {
		if (event_symstr(ev, f, element, &addr))
			add_symbol(t, addr, out);
		else
			add_null(out, seen);
	} else if (event_string(ev, f, element, &s, &len, &cut)) {
		json_string(out, s, len, cut);
		seen->cut |= cut;
	} else {
		add_null(out, seen);
	}
}

/* "NAME":. @name has it in the form of text.c's lines: " NAME=". */
static inline void add_key(struct buf *out, const struct name *name, const char *text, bool first)
{
	char *p = buf_room(out, 2 + sizeof(name->text));

	if (!first)
		*p++ = ',';
	if (name->len) {
		put_copy16(p, name->text);
		put_copy16(p + 16, name->text + 16);
		p[0] = '"';
		p += name->len;
		p[-1] = '"';
		*p++ = ':';
		out->len = (size_t)(p - out->data);
		return;
	}
	out->len = (size_t)(p - out->data);
	json_text(out, text);
	buf_addc(out, ':');
}

static void add_arg(const struct text *t, const struct event *ev, const struct layout_field *f,
		    struct findings *seen, struct buf *out)
{
	bool more;
	unsigned count = event_count(ev, f, &more);

	if (!f->type.count) {
		add_value(t, ev, f, 0, seen, out);
		return;
	}
	buf_addc(out, '[');
	for (unsigned i = 0; i < count; i++) {
		if (i)
			buf_addc(out, ',');
		add_value(t, ev, f, i, seen, out);
	}
	buf_addc(out, ']');
	seen->cut |= more;
}

/* Lists the arguments with this finding. Their values are formatted once more, but only for the few lines that need it. */
static void add_names(const struct text *t, const struct event *ev, bool faulted, struct buf *out)
{
	const struct layout *l = ev->layout;
	struct buf value = { 0 };
	bool first = true;

	buf_adds(out, faulted ? ",\"faults\":[" : ",\"truncated\":[");
	for (unsigned i = 0; i < l->nr_fields; i++) {
		struct findings seen = { 0 };

		buf_reset(&value);
		add_arg(t, ev, &l->fields[i], &seen, &value);
		if (!(faulted ? seen.faulted : seen.cut))
			continue;
		if (!first)
			buf_addc(out, ',');
		json_text(out, l->fields[i].name);
		first = false;
	}
	buf_addc(out, ']');
	buf_fini(&value);
}

/* What is known of a frame of a program. */
struct user_parts {
	const char *file, *symbol;
	uint32_t file_len, symbol_len;
	const uint64_t *addr, *off;
	const unsigned char *id;
	size_t id_len;
};

static void add_part(struct buf *out, const char *key, const uint64_t *n)
{
	buf_adds(out, key);
	if (n)
		out->len = (size_t)(put_address(buf_room(out, NUMBER_ROOM), *n) - out->data);
	else
		buf_adds(out, "null");
}

/* Members: symbol, address, and if they are known file, offset (as the file numbers its addresses) and build_id. */
static void add_parts(const struct user_parts *p, struct buf *out)
{
	buf_adds(out, "{\"symbol\":");
	if (p->symbol)
		json_string(out, p->symbol, p->symbol_len, false);
	else
		buf_adds(out, "null");
	add_part(out, ",\"address\":", p->addr);
	if (p->file) {
		buf_adds(out, ",\"file\":");
		json_string(out, p->file, p->file_len, false);
	}
	if (p->off)
		add_part(out, ",\"offset\":", p->off);
	if (p->id) {
		buf_adds(out, ",\"build_id\":\"");
		for (size_t i = 0; i < p->id_len; i++)
			buf_addf(out, "%02x", p->id[i]);
		buf_addc(out, '"');
	}
	buf_addc(out, '}');
}

static void add_user_frame(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *out)
{
	struct user_parts p = { .addr = &stack->frames[frame] };
	unsigned char id[ELF_BUILD_ID];
	struct user_frame f = { 0 };
	struct stack_line line;
	struct buf name = { 0 };

	if (stack->kind == STACK_USER_TEXT) {
		stack_frame_line(stack, frame, &line);
		p = (struct user_parts){ .file = line.file, .file_len = line.file_len, .symbol = line.symbol_len ? line.text : NULL,
					 .symbol_len = line.symbol_len };
	} else if (stack_frame_id(stack, frame, id)) {
		p = (struct user_parts){ .off = &stack->frames[frame], .id = id, .id_len = sizeof(id) };
	} else if (stack_user_frame(t, ev, stack, frame, &f)) {
		p.file = f.path;
		p.file_len = (uint32_t)strlen(f.path);
		p.off = &f.off;
		p.id = f.build_id;
		p.id_len = f.build_id_len;
	}
	if (f.symbol) {
		buf_addf(&name, "%s+0x%llx/0x%llx", f.symbol->name, (unsigned long long)(f.off - f.symbol->addr),
			 (unsigned long long)f.symbol->size);
		p.symbol = name.data;
		p.symbol_len = (uint32_t)name.len;
	}
	add_parts(&p, out);
	buf_fini(&name);
}

/* One more member of the frame's object: its functions and their lines, the innermost first. */
static void add_lines(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *out)
{
	const struct lines_frames *lines = stack_frame_lines(t, ev, stack, frame);

	if (!lines)
		return;
	out->len--;			/* the '}' */
	buf_adds(out, ",\"lines\":[");
	for (unsigned i = 0; i < lines->nr; i++) {
		const struct lines_frame *f = &lines->all[i];

		buf_adds(out, i ? ",{\"function\":" : "{\"function\":");
		json_text(out, f->function);
		buf_adds(out, ",\"file\":");
		json_text(out, f->file);
		buf_addf(out, ",\"line\":%u}", f->line);
	}
	buf_adds(out, "]}");
}

/* Each stack is an array of symbols, the innermost first. */
static NOINLINE void add_stacks(const struct text *t, const struct event *ev, struct buf *out)
{
	struct stack stack;

	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (!stack_is_shown(ev, (enum stack_kind)i))
			continue;
		if (!stack_get(ev, (enum stack_kind)i, &stack))
			stack.nr = 0;
		buf_addf(out, ",\"%s\":[", stack_name((enum stack_kind)i));
		for (unsigned k = 0; k < stack.nr; k++) {
			if (k)
				buf_addc(out, ',');
			if (i != STACK_KERNEL)
				add_user_frame(t, ev, &stack, k, out);
			else
				add_symbol(t, stack.frames[k], out);
			add_lines(t, ev, &stack, k, out);
		}
		buf_addc(out, ']');
	}
}

/* ---- lines ---- */

/* Numbers above 2^53 are strings, as in values. */
static void add_seq(struct buf *out, const char *name, uint64_t n)
{
	buf_addf(out, n > EXACT ? ",\"%s\":\"%" PRIu64 "\"" : ",\"%s\":%" PRIu64, name, n);
}

static void add_series(struct buf *out, const struct series *o)
{
	buf_adds(out, "\"creation\":");
	buf_dec(out, o->creation);
	buf_adds(out, ",\"probe\":");
	buf_dec(out, o->probe);
}

/* Who sends it, and its number: what tells it from every other object. */
static NOINLINE void add_sender(const struct text *t, const struct event *ev, struct buf *out)
{
	sender_begin(t->sender, out);
	if (!ev->series)
		return;
	add_series(out, ev->series);
	add_seq(out, "seq", ev->number);
	buf_addc(out, ',');
}

static inline void add_head(const struct text *t, const struct event *ev, struct buf *out)
{
	const struct bp_rec *rec = ev->rec;
	const char *task = rec->common_pid ? rec->comm : "<idle>";
	char *p;

	if (t->sender)
		add_sender(t, ev, out);
	p = buf_room(out, HEAD_ROOM);
	p = t->sender ? put_literal(p, "\"time_ns\":") : put_literal(p, "{\"time_ns\":");
	p = put_dec(p, timebase_of(&t->base, rec->ts));
	p = put_literal(p, ",\"cpu\":");
	p = put_dec(p, rec->cpu);
	p = put_literal(p, ",\"pid\":");
	p = put_signed(p, rec->common_pid);
	p = put_literal(p, ",\"tgid\":");
	p = put_dec(p, rec->tgid);
	p = put_literal(p, ",\"task\":");
	out->len = (size_t)(p - out->data);
	json_string(out, task, (uint32_t)strnlen(task, BP_COMM_LEN), false);
}

void json_event(struct text *t, const struct event *ev, struct buf *out)
{
	const struct layout *l = ev->layout;
	const struct site *site = find_site(t, ev);
	const struct form *form = site->form;
	struct findings seen = { 0 };

	add_head(t, ev, out);
	put_padded(buf_room(out, site->text.len + PUT_SLACK), site->text.data, (uint32_t)site->text.len);
	out->len += site->text.len;
	for (unsigned i = 0; i < l->nr_fields; i++) {
		add_key(out, &form->names[i], l->fields[i].name, !i);
		add_arg(t, ev, &l->fields[i], &seen, out);
	}
	buf_addc(out, '}');
	if (seen.faulted)
		add_names(t, ev, true, out);
	if (seen.cut)
		add_names(t, ev, false, out);
	if (t->cgroups)
		json_container(t->cgroups, ev, out);
	if (l->stacks)
		add_stacks(t, ev, out);
	buf_adds(out, "}\n");
}

void json_lost(const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	sender_begin(t->sender, out);
	buf_adds(out, "\"lost\":");
	if (count != UINT64_MAX)
		buf_dec(out, count);
	else
		buf_adds(out, "null");
	buf_adds(out, ",\"cpu\":");
	buf_dec(out, cpu);
	buf_adds(out, "}\n");
}

void json_gap(const struct text *t, const struct gap *gap, struct buf *out)
{
	sender_begin(t->sender, out);
	add_series(out, &gap->series);
	buf_addf(out, ",\"%s\":%" PRIu64 ",\"cpu\":%u", gap->lost ? "lost" : "skipped", gap->count, gap->cpu);
	buf_adds(out, ",\"event\":");
	json_text(out, gap->layout->event);
	buf_adds(out, ",\"group\":");
	json_text(out, gap->layout->group);
	add_seq(out, "first_seq", gap->first);
	add_seq(out, "last_seq", gap->last);
	buf_adds(out, "}\n");
}

/* ---- the sink ---- */

static void put_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	(void)to;
	json_event(t, ev, out);
}

static void put_lost(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	(void)to;
	json_lost(t, cpu, count, out);
}

static void put_gap(void *to, const struct text *t, const struct gap *gap, struct buf *out)
{
	(void)to;
	json_gap(t, gap, out);
}

static const struct sink_option option = {
	.name = "json", .does = "prints events", .takes_clock = true,
	.no_columns = "lines of text: --json has tgid, flags and time_ns in every object",
};

const struct sink sink_json = { .prints = true, .objects = true, .option = &option, .event = put_event, .lost = put_lost, .gap = put_gap };

/* ---- the same without objects in objects ---- */

static void put_flat_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	size_t from = out->len;

	(void)to;
	t->decimal = true;
	json_event(t, ev, out);
	json_flatten(out, from);
}

static const struct sink_option flat_option = {
	.name = "json", .value = "flat", .does = "prints events", .takes_clock = true,
	.no_columns = "lines of text: --json has tgid, flags and time_ns in every object",
};

const struct sink sink_json_flat = { .prints = true, .objects = true, .option = &flat_option, .event = put_flat_event, .lost = put_lost,
				     .gap = put_gap, .reform = json_flatten };
