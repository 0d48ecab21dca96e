// SPDX-License-Identifier: GPL-2.0-only
/*
 * pair.c - the value of --pair.
 */
#include "lang/pair.h"

#include <errno.h>
#include <string.h>

#include "lang/parse.h"

static int refuse_name(struct parse *p, struct span at, const char *what)
{
	int err = at.len ? diag_at(p->diag, -EINVAL, at, "'%s' cannot be the name of %s", span_quote(p, at), what)
			 : diag_at(p->diag, -EINVAL, at, "the name of %s is missing", what);

	diag_note(p->diag, "help: --pair wants two events, A:B, or two events and a field of both, A:B=FIELD");
	return err;
}

static int parse_event(struct parse *p, struct span at, struct pair_event *ret)
{
	uint32_t slash = span_find(p, at, "/");
	struct span group = span_head(at, slash), event = at;

	*ret = (struct pair_event){ .at = at };
	if (slash < at.len) {
		event = span_tail(at, slash + 1);
		if (!name_is_ident(span_ptr(p, group), group.len))
			return refuse_name(p, group, "a group");
		ret->group = span_dup(p, group);
	}
	if (!name_is_ident(span_ptr(p, event), event.len))
		return refuse_name(p, event, "an event");
	ret->event = span_dup(p, event);
	return 0;
}

static bool is_same(const struct pair_event *a, const struct pair_event *b)
{
	return !strcmp(a->event, b->event) && (!a->group || !b->group || !strcmp(a->group, b->group));
}

int pair_parse(struct arena *arena, const char *text, struct pair *ret, struct diag *diag)
{
	struct parse p = { .arena = arena, .diag = diag, .text = text };
	struct span all = { 0, (uint32_t)strlen(text) }, events, second;
	uint32_t colon, equal = span_find(&p, all, "=");
	int err;

	diag->text = text;
	*ret = (struct pair){ .text = text };
	events = span_head(all, equal);
	colon = span_find(&p, events, ":");
	err = parse_event(&p, span_head(events, colon), &ret->begin);
	if (err)
		return err;
	second = colon < events.len ? span_tail(events, colon + 1) : span_end(events);
	err = parse_event(&p, second, &ret->end);
	if (err)
		return err;
	if (is_same(&ret->begin, &ret->end))
		return diag_at(diag, -EINVAL, second, "'%s' cannot begin and end the same pair", span_quote(&p, second));
	if (equal == all.len)
		return 0;
	ret->field_at = span_tail(all, equal + 1);
	if (!name_is_ident(span_ptr(&p, ret->field_at), ret->field_at.len))
		return refuse_name(&p, ret->field_at, "a field");
	ret->field = span_dup(&p, ret->field_at);
	return 0;
}

bool pair_names(const struct pair_event *event, const struct probe_def *def)
{
	return !strcmp(event->event, def->event) && (!event->group || !strcmp(event->group, def->group));
}
