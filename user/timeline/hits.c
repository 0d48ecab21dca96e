// SPDX-License-Identifier: GPL-2.0-only
/*
 * hits.c - what a hit says, and hits that are instants.
 */
#include "kernel/syms/ksyms.h"
#include "timeline/timeline_priv.h"

/* As in a line, without its parentheses. A line has only the address of a program's place. */
static void add_place(struct details *a, const struct hit *h)
{
	const struct layout *l = h->ev->layout;
	struct buf place = { 0 };

	if (l->site == SITE_USER && l->func)
		buf_addf(&place, l->site_off ? "(%s:%s+0x%llx)" : "(%s:%s)", l->site_name, l->func, (unsigned long long)l->site_off);
	else if (l->site == SITE_USER)
		buf_addf(&place, "(%s:0x%llx)", l->site_name, (unsigned long long)l->site_off);
	else if (!l->is_synthetic)
		text_location(h->t, h->ev, &place);
	if (place.len > 2) {
		place.data[place.len - 1] = '\0';
		details_text(a, "place", place.data + 1);
	}
	buf_fini(&place);
}

/* bprobe's own part is the last one, so that more can be added to it. */
unsigned add_own(struct details *a, const struct hit *h, bool is_slice)
{
	unsigned open = details_open(a, DETAILS_OWN, DETAIL_DICTIONARY);

	details_number(a, "cpu", DETAIL_UNSIGNED, h->ev->rec->cpu);
	if (is_slice)
		details_text(a, "event", h->ev->layout->event);
	else
		add_place(a, h);
	details_stacks(a, h->t, h->ev);
	details_close(a, open);
	return open;
}

void add_note(struct details *a, unsigned own, const char *name, const char *text)
{
	details_text(a, name, text);
	details_close(a, own);
}

/* What the return of a call had. */
void add_return(struct details *a, const struct hit *h)
{
	unsigned open = details_open(a, DETAILS_RETURN, DETAIL_DICTIONARY);

	details_fields(a, h->t, h->ev);
	add_own(a, h, true);
	details_close(a, open);
}

static const struct ksym *symbol_of(const struct hit *h)
{
	return h->ev->layout->site == SITE_KERNEL && h->t->ks ? ksyms_lookup(h->t->ks, event_addr(h->ev), NULL) : NULL;
}

const char *function_name(const struct hit *h)
{
	const struct layout *l = h->ev->layout;
	const struct ksym *sym = l->func ? NULL : symbol_of(h);

	return l->func ? l->func : sym ? sym->name : l->event;
}

/* Functions can have the same name; their addresses differ. */
uint64_t function_id(const struct hit *h)
{
	const struct ksym *sym = symbol_of(h);

	return h->known->function ^ (sym ? sym->addr * 0x9e3779b97f4a7c15ull : 0);
}

/* ---- instants ---- */

/* @note: NULL: nothing is to be said. */
void put_instant(struct timeline *tl, const struct hit *h, const char *note)
{
	struct slice s = { .track = track_of(h->machine, h->thread), .start = h->at };
	struct details *a = &tl->args;
	uint32_t name, category;
	unsigned own;

	details_reset(a);
	name = details_copy(a, h->ev->layout->event, strlen(h->ev->layout->event));
	category = details_copy(a, h->ev->layout->group, strlen(h->ev->layout->group));
	details_fields(a, h->t, h->ev);
	own = add_own(a, h, false);
	if (note)
		add_note(a, own, "note", note);
	s.name = details_at(a, name);
	s.category = details_at(a, category);
	s.args = a;
	tl->encoder->instant(tl->e, &s, tl->out);
	tl->counts.instants++;
}

/* Calls become instants at the times of their entries. */
void forget_calls(struct timeline *tl, struct thread *t, unsigned from, unsigned to, const char *why, uint64_t *count)
{
	for (unsigned i = from; i < to; i++) {
		struct call *c = &t->calls[i];
		struct slice s = { .track = track_of((unsigned)(t->key >> 40), t), .start = c->start, .args = &c->args };

		add_note(&c->args, c->own, "note", why);
		s.name = details_at(&c->args, c->event);
		s.category = details_at(&c->args, c->category);
		tl->encoder->instant(tl->e, &s, tl->out);
		tl->counts.instants++;
		(*count)++;
	}
	if (to == t->nr)
		threads_leave(&tl->threads, t, from);
}
