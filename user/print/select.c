// SPDX-License-Identifier: GPL-2.0-only
/*
 * select.c - applies a filter to decoded events. A test of a value that could not be read is false.
 */
#include "print/select.h"

#include "print/show.h"
#include "print/text.h"

struct select {
	const struct text *text;
	const struct event *ev;
	bool hopes;			/* a test of a value that could not be read is true, whatever its negation */
	bool unread;			/* there was one */
};

static bool symstr_passes(struct select *s, const struct filter_leaf *leaf)
{
	struct buf name = { 0 };
	uint64_t addr;
	bool passes;

	if (!event_symstr(s->ev, leaf->field, 0, &addr)) {
		s->unread = true;
		return false;
	}
	text_symbol(&name, s->text->ks, addr, true);
	passes = filter_text_passes(leaf, buf_str(&name), (uint32_t)name.len);
	buf_fini(&name);
	return passes;
}

static bool shown_passes(struct select *s, const struct filter_leaf *leaf)
{
	struct buf text = { 0 };
	bool passes;

	if (event_faulted(s->ev, leaf->field, 0)) {
		s->unread = true;
		return false;
	}
	show_of(&leaf->field->type)->text(s->ev, leaf->field, 0, &text);
	passes = filter_text_passes(leaf, buf_str(&text), (uint32_t)text.len);
	buf_fini(&text);
	return passes;
}

static bool text_passes(struct select *s, const struct filter_leaf *leaf)
{
	const char *text = s->ev->rec->comm;
	uint32_t len = (uint32_t)strnlen(text, BP_COMM_LEN);
	bool cut;

	if (leaf->by_text)
		return shown_passes(s, leaf);
	if (leaf->source == FILTER_FIELD && leaf->field->type.kind == TYPE_SYMSTR)
		return symstr_passes(s, leaf);
	if (leaf->source == FILTER_FIELD && !event_string(s->ev, leaf->field, 0, &text, &len, &cut)) {
		s->unread = true;
		return false;
	}
	return filter_text_passes(leaf, text, len);
}

/* False: the number is not known. */
static bool find_number(struct select *s, const struct filter_leaf *leaf, uint64_t *ret)
{
	uint8_t flags, count;

	switch (leaf->source) {
	case FILTER_FIELD:
		*ret = event_number(s->ev, leaf->field, 0);
		s->unread |= event_marked(s->ev, leaf->field, 0);
		return !event_marked(s->ev, leaf->field, 0);
	case FILTER_PID:
		*ret = (uint64_t)(int64_t)s->ev->rec->common_pid;
		return true;
	case FILTER_CPU:
		*ret = s->ev->rec->cpu;
		return true;
	case FILTER_PLACE:
		*ret = event_addr(s->ev);
		return true;
	case FILTER_CALLER:
		*ret = event_caller(s->ev);
		return true;
	case FILTER_TYPE:
		*ret = s->ev->rec->common_type;
		return true;
	default:
		if (!context_numbers(&s->text->rules, s->ev->rec, s->ev->layout, &flags, &count))
			return false;
		*ret = leaf->source == FILTER_FLAGS ? flags : count;
		return true;
	}
}

static bool leaf_passes(struct select *s, const struct filter_leaf *leaf)
{
	bool before = s->unread, passes;
	uint64_t n;

	s->unread = false;
	passes = leaf->size ? find_number(s, leaf, &n) && filter_number_passes(leaf, n) : text_passes(s, leaf);
	if (s->hopes && s->unread)
		return true;
	s->unread |= before;
	return passes != leaf->negated;
}

/* Recurses as deep as the filter's text is nested. */
static bool cond_passes(struct select *s, const struct filter_cond *cond)
{
	bool deciding = cond->joint == FILTER_EITHER;

	if (cond->joint == FILTER_LEAF)
		return leaf_passes(s, cond->leaf);
	for (const struct filter_cond *child = cond->child; child; child = child->next) {
		if (cond_passes(s, child) == deciding)
			return deciding;
	}
	return !deciding;
}

bool select_event(const struct filter *filter, const struct text *text, const struct event *ev)
{
	struct select s = { .text = text, .ev = ev };

	return cond_passes(&s, filter->root);
}

bool select_undecided(const struct filter *filter, const struct text *text, const struct event *ev)
{
	struct select s = { .text = text, .ev = ev, .hopes = true };

	return cond_passes(&s, filter->root);
}
