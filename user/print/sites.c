// SPDX-License-Identifier: GPL-2.0-only
/*
 * sites.c - the parts that are the same in every line of a place, formatted once.
 *
 * A table without chains: a new place replaces the old one in its slot. This
 * costs as much as every line would cost without the table.
 */
#include "print/sites.h"

#include "base/memory.h"
#include "print/show.h"

enum {
	NR_SITES = 512, NR_FORMS = 64,
	FIELD_ROOM = 96,		/* a name in struct name, a number or (fault), what put.h writes behind them */
};

struct sites {
	struct site site[NR_SITES];
	struct form *forms[NR_FORMS];
};

struct sites *sites_new(void)
{
	return must(calloc(1, sizeof(struct sites)));
}

void sites_forget(struct sites *all)
{
	for (unsigned i = 0; i < NR_SITES; i++)
		all->site[i].layout = NULL;
	for (unsigned i = 0; i < NR_FORMS; i++) {
		while (all->forms[i]) {
			struct form *f = all->forms[i];

			all->forms[i] = f->next;
			free(f);
		}
	}
}

void sites_free(struct sites *all)
{
	if (!all)
		return;
	sites_forget(all);
	for (unsigned i = 0; i < NR_SITES; i++)
		buf_fini(&all->site[i].text);
	free(all);
}

/* Strings of synthetic events have no quotes. */
static enum name_form form_of(const struct layout *l, const struct type *type)
{
	if (type->count || show_of(type) || (l->is_synthetic && (type_is_dynamic(type) || type->kind == TYPE_HEX)))
		return NAME_ANY;
	switch (type->kind) {
	case TYPE_STRING:
	case TYPE_USTRING:
	case TYPE_DENTRY:
	case TYPE_FILE:
		return NAME_STRING;
	case TYPE_HEX:
		return NAME_HEX;
	case TYPE_UNSIGNED:
	case TYPE_BITFIELD:
		return NAME_UNSIGNED;
	case TYPE_SIGNED:
		return NAME_SIGNED;
	default:
		return NAME_ANY;
	}
}

static struct form *new_form(const struct layout *l)
{
	struct form *f = must(calloc(1, sizeof(*f) + l->nr_fields * sizeof(f->names[0])));

	f->layout = l;
	f->room = FIELD_ROOM;
	for (unsigned i = 0; i < l->nr_fields; i++) {
		struct name *n = &f->names[i];
		size_t len = strlen(l->fields[i].name);

		f->room += FIELD_ROOM;
		n->off = l->fields[i].off;
		n->size = (uint8_t)l->fields[i].type.size;
		n->spare = (uint8_t)(64 - 8 * l->fields[i].type.size);
		if (l->fields[i].mark != LAYOUT_NO_MARK) {
			n->mark_off = l->marks_off + l->fields[i].mark / 64 * 8;
			n->mark = 1ull << l->fields[i].mark % 64;
		}
		if (len + 2 > sizeof(n->text))
			continue;
		n->text[0] = ' ';
		memcpy(n->text + 1, l->fields[i].name, len);
		n->text[len + 1] = '=';
		n->len = (uint16_t)(len + 2);
		n->form = site_is_behind_stack(l, &l->fields[i]) ? (uint8_t)NAME_ANY : (uint8_t)form_of(l, &l->fields[i].type);
	}
	return f;
}

static const struct form *find_form(struct sites *all, const struct layout *l)
{
	struct form **head = &all->forms[((uintptr_t)l >> 5 ^ (uintptr_t)l >> 12) % NR_FORMS], *f;

	for (f = *head; f && f->layout != l; f = f->next)
		;
	if (!f) {
		f = new_form(l);
		f->next = *head;
		*head = f;
	}
	return f;
}

struct site *sites_find(struct sites *all, const struct event *ev, uint64_t caller)
{
	uint64_t addr = event_addr(ev), mix = addr + 5 * caller + ((uintptr_t)ev->layout >> 4);
	struct site *p = &all->site[(mix ^ mix >> 9) % NR_SITES];

	if (p->layout == ev->layout && p->addr == addr && p->caller == caller)
		return p;
	p->layout = NULL;
	p->form = find_form(all, ev->layout);
	return p;
}
