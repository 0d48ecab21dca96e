// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_record.c - converts a hit to a record of a trace.dat, and back.
 *
 * In both directions the strings get new places, because the ring's records have room for the longest strings.
 */
#include "dat/dat_record.h"

#include <errno.h>

#include "dat/dat_page.h"
#include "print/text.h"

/* A symbol's text: a name of up to 511 bytes, a module's name of up to 55, offset and size (6.12, include/linux/kallsyms.h). */
enum { SYMBOL_ROOM = 640, RECORD_MAX = DAT_PAGE_MAX - DAT_PAGE_SPARE };

static const char fault_text[8] = "(fault)";

struct loc {
	uint32_t off, len;
};

static struct loc get_loc(const unsigned char *body, const struct layout_field *f, unsigned element, size_t len)
{
	uint32_t loc;
	struct loc l;

	memcpy(&loc, body + f->off + element * sizeof(loc), sizeof(loc));
	l = (struct loc){ loc & 0xffff, loc >> 16 };
	return l.off + l.len <= len ? l : (struct loc){ 0 };
}

static void set_loc(char *body, const struct layout_field *f, unsigned element, struct loc l)
{
	uint32_t loc = l.len << 16 | l.off;

	memcpy(body + f->off + element * sizeof(loc), &loc, sizeof(loc));
}

static uint32_t body_max(const struct layout *l)
{
	return MAX(l->short_size, l->long_size) - BP_BODY_OFF;
}

static uint32_t count_symstrs(const struct layout *l)
{
	uint32_t nr = 0;

	for (unsigned i = 0; i < l->nr_fields; i++)
		nr += l->fields[i].type.kind == TYPE_SYMSTR ? l->fields[i].count : 0;
	return nr;
}

uint32_t dat_record_max(const struct layout *l)
{
	uint32_t len = body_max(l) + (uint32_t)sizeof(struct dat_extra) + (uint32_t)sizeof(fault_text) +
		       count_symstrs(l) * SYMBOL_ROOM;

	return MIN(ROUND_UP(len, 4u), (uint32_t)RECORD_MAX);
}

struct packer {
	const struct event *ev;
	const struct ksyms *ks;
	struct buf *out;
	uint32_t budget;		/* bytes that the texts of symbols may still use */
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

/* Appends the symbol's text (left out if there is no room for it), NUL, and the address. */
static struct loc add_symbol(struct packer *p, uint64_t addr)
{
	uint32_t start = (uint32_t)p->out->len;

	text_symbol(p->out, p->ks, addr, true);
	if (p->out->len - start >= p->budget)
		p->out->len = start;
	p->budget -= MIN(p->budget, (uint32_t)p->out->len - start + 1);
	buf_addc(p->out, '\0');
	buf_add(p->out, &addr, sizeof(addr));
	return (struct loc){ start, (uint32_t)p->out->len - start };
}

static struct loc add_dynamic(struct packer *p, const struct layout_field *f, unsigned element)
{
	struct loc from = get_loc(p->ev->body, f, element, p->ev->len), to = { (uint32_t)p->out->len, from.len };
	uint64_t addr;

	if (!from.len)
		return add_fault(p);
	if (f->type.kind == TYPE_SYMSTR)
		return event_symstr(p->ev, f, element, &addr) ? add_symbol(p, addr) : add_fault(p);
	buf_add(p->out, p->ev->body + from.off, from.len);
	return to;
}

static struct dat_extra extra_of(const struct bp_rec *rec)
{
	struct dat_extra e = { .tgid = rec->tgid, .preempt = rec->preempt, .tif = rec->tif, .eflags = rec->eflags,
			       .migrate = rec->migrate };

	memcpy(e.comm, rec->comm, sizeof(e.comm));
	return e;
}

void dat_record_pack(const struct event *ev, uint32_t id, const struct context_rules *rules, const struct ksyms *ks,
		     struct buf *out)
{
	const struct layout *l = ev->layout;
	struct packer p = { .ev = ev, .ks = ks, .out = out };
	struct dat_extra extra = extra_of(ev->rec);
	uint8_t flags = CONTEXT_IRQS_UNKNOWN, count = 0;
	uint32_t fixed = body_max(l) + (uint32_t)sizeof(extra) + (uint32_t)sizeof(fault_text);

	p.budget = dat_record_max(l) - MIN(dat_record_max(l), fixed + l->nr_strings);
	buf_reset(out);
	buf_add(out, ev->body, l->dyn_off);
	buf_add(out, &extra, sizeof(extra));
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		for (unsigned k = 0; type_is_dynamic(&f->type) && k < f->count; k++) {
			struct loc loc = add_dynamic(&p, f, k);

			set_loc(out->data, f, k, loc);
		}
	}
	buf_pad(out, '\0', ROUND_UP(out->len, 4u) - out->len);
	memcpy(out->data + l->dyn_off + offsetof(struct dat_extra, fault_off), &p.fault_off, sizeof(p.fault_off));
	context_numbers(rules, ev->rec, l, &flags, &count);
	out->data[0] = (char)(id & 0xff);
	out->data[1] = (char)(id >> 8);
	out->data[2] = (char)flags;
	out->data[3] = (char)count;
}

int dat_record_unpack(const struct layout *l, const unsigned char *record, uint32_t len, struct buf *out)
{
	struct bp_rec rec = { 0 };
	struct dat_extra extra;
	uint32_t start;
	uint64_t addr;

	if (len < l->dyn_off + sizeof(extra))
		return -EBADMSG;
	memcpy(&extra, record + l->dyn_off, sizeof(extra));
	rec.tgid = extra.tgid;
	rec.preempt = extra.preempt;
	rec.tif = extra.tif;
	rec.eflags = extra.eflags;
	rec.migrate = extra.migrate;
	memcpy(rec.comm, extra.comm, sizeof(rec.comm));
	buf_reset(out);
	buf_add(out, &rec, BP_BODY_OFF);
	buf_add(out, record, l->dyn_off);
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		for (unsigned k = 0; type_is_dynamic(&f->type) && k < f->count; k++) {
			struct loc from = get_loc(record, f, k, len);

			start = (uint32_t)out->len - BP_BODY_OFF;
			if (!from.len || (extra.fault_off && from.off == extra.fault_off)) {
				start = from.len = 0;
			} else if (f->type.kind == TYPE_SYMSTR) {
				if (from.len < sizeof(addr))
					return -EBADMSG;
				buf_add(out, record + from.off + from.len - sizeof(addr), sizeof(addr));
				from.len = sizeof(addr);
			} else {
				buf_add(out, record + from.off, from.len);
			}
			set_loc(out->data + BP_BODY_OFF, f, k, (struct loc){ start, from.len });
		}
	}
	return 0;
}
