// SPDX-License-Identifier: GPL-2.0-only
/*
 * name.c - names of events, groups and arguments.
 */
#include "lang/name.h"

#include <errno.h>

#include "lang/kind.h"

/* A group's name may also contain '-', even as its first character. */
static bool name_is_group(const char *s, size_t len)
{
	if (!len || char_is_digit(*s))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] != '-' && s[i] != '_' && !char_is_alpha(s[i]) && !char_is_digit(s[i]))
			return false;
	}
	return true;
}

bool name_is_reserved(const char *name)
{
	static const char *const reserved[] = {
		"common_type", "common_flags", "common_preempt_count", "common_pid",
		"common_tgid", "__probe_ip", "__probe_ret_ip", "__probe_func",
	};

	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++) {
		if (!strcmp(name, reserved[i]))
			return true;
	}
	return false;
}

static int group_parse(struct parse *p, struct span at)
{
	int err;

	if (at.len > LANG_MAX_EVENT_NAME)
		return diag_at(p->diag, -EINVAL, at,
			       "the group's name has %u bytes, at most %d fit", at.len,
			       LANG_MAX_EVENT_NAME);
	if (!name_is_group(span_ptr(p, at), at.len)) {
		err = diag_at(p->diag, -EINVAL, at, "bad group name '%s'", span_quote(p, at));
		diag_note(p->diag, "help: a group's name has letters, digits, '_' and '-', and does not begin with a digit");
		return err;
	}
	p->def->group = span_dup(p, at);
	p->def->group_at = at;
	return 0;
}

static int event_parse(struct parse *p, struct span at)
{
	int err;

	if (at.len > LANG_MAX_EVENT_NAME)
		return diag_at(p->diag, -EINVAL, at,
			       "the event's name has %u bytes, at most %d fit", at.len,
			       LANG_MAX_EVENT_NAME);
	if (!name_is_ident(span_ptr(p, at), at.len)) {
		err = diag_at(p->diag, -EINVAL, at, "bad event name '%s'", span_quote(p, at));
		diag_note(p->diag, "help: an event's name has letters, digits and '_', and does not begin with a digit");
		if (!p->def->group && char_is_digit(*span_ptr(p, at)) &&
		    p->def->kind == DEF_RETURN && !p->def->suffix_return)
			diag_note(p->diag, "help: MAXACTIVE is written before the colon: r%s:NAME",
				  span_quote(p, at));
		return err;
	}
	p->def->event = span_dup(p, at);
	p->def->event_at = at;
	return 0;
}

int name_parse(struct parse *p, struct span at)
{
	uint32_t split = span_find(p, at, "/");
	bool has_group;
	int err;

	if (split == at.len)
		split = span_find(p, at, ".");
	has_group = split < at.len;
	if (has_group) {
		if (!split)
			return diag_at(p->diag, -EINVAL, span_head(at, 1),
				       "no group name before '%c'", *span_ptr(p, at));
		err = group_parse(p, span_head(at, split));
		if (err)
			return err;
		at = span_tail(at, split + 1);
	}
	if (at.len)
		return event_parse(p, at);
	if (has_group)
		return 0;
	err = diag_at(p->diag, -EINVAL, at, "no event name after ':'");
	diag_note(p->diag, "help: write a name, or leave out the ':' and bprobe makes a name");
	return err;
}

/* Generated names never have these characters, so no event can have such a name. */
static int removed_event_parse(struct parse *p, struct span at)
{
	uint32_t bad = span_find(p, at, ".:*/" PARSE_SPACE);		/* in parentheses a word may have spaces */
	int err;

	if (at.len > LANG_MAX_EVENT_NAME)
		return event_parse(p, at);
	if (bad < at.len) {
		err = diag_at(p->diag, -EINVAL, at, "no event can be called '%s'",
			      span_quote(p, at));
		if (span_ptr(p, at)[bad] == '.' && !p->def->group)
			diag_note(p->diag, "help: here only '/' separates group and event: write -:%s/%s",
				  span_quote(p, span_head(at, bad)),
				  span_quote(p, span_tail(at, bad + 1)));
		return err;
	}
	p->def->event = span_dup(p, at);
	p->def->event_at = at;
	return 0;
}

int name_parse_removed(struct parse *p, struct span at)
{
	uint32_t slash = span_find(p, at, "/");
	int err;

	if (slash < at.len) {
		if (!slash)
			return diag_at(p->diag, -EINVAL, span_head(at, 1),
				       "no group name before '/'");
		err = group_parse(p, span_head(at, slash));
		if (err)
			return err;
		at = span_tail(at, slash + 1);
		return at.len ? removed_event_parse(p, at) : 0;
	}
	if (at.len)
		return removed_event_parse(p, at);
	err = diag_at(p->diag, -EINVAL, at, "no event name after '-:'");
	diag_note(p->diag, "help: write -:EVENT, -:GROUP/EVENT, or -:GROUP/ for a whole group");
	return err;
}

/*
 * Makes the name as the kernel does: cuts it to the limit, and then replaces
 * characters. The kernel replaces only ':', '.' and '*'. This also replaces every
 * other byte that a name must not have, so that the listing can be read back. Nor must a name begin with a digit, as those of modules
 * (8021q), source files (3c59x.c) and tracepoints (9p_client_req) do; the kernel sees to that for tracepoints alone.
 */
static const char *event_generate(struct parse *p)
{
	char *name = kind_of(p->def->probe)->event_name(p);

	if (char_is_digit(*name))
		name = arena_printf(p->arena, "_%s", name);
	if (strlen(name) > LANG_MAX_EVENT_NAME)
		name[LANG_MAX_EVENT_NAME] = '\0';
	for (char *c = name; *c; c++) {
		if (!char_is_alpha(*c) && !char_is_digit(*c))
			*c = '_';
	}
	return name;
}

void name_generate(struct parse *p)
{
	if (!p->def->group)
		p->def->group = kind_of(p->def->probe)->group;
	if (!p->def->event)
		p->def->event = event_generate(p);
}
