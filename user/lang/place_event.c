// SPDX-License-Identifier: GPL-2.0-only
/*
 * place_event.c - t: a tracepoint; e: an event of the kernel.
 */
#include <errno.h>

#include "lang/name.h"
#include "lang/place.h"

/* The first byte of @at that a name of [A-Za-z0-9_] or a pattern cannot have; at.len: there is none. */
static uint32_t find_bad(const struct parse *p, struct span at, const char *others)
{
	uint32_t i = 0;

	while (i < at.len && (char_is_alpha(span_ptr(p, at)[i]) || char_is_digit(span_ptr(p, at)[i]) ||
			      (span_ptr(p, at)[i] && strchr(others, span_ptr(p, at)[i]))))
		i++;
	return i;
}

#define PATTERN_CHARS "*?[]!^,-"

static bool is_pattern(const struct parse *p, struct span at)
{
	return span_find(p, at, "*?[,") < at.len;
}

int place_tracepoint_parse(struct parse *p, struct span at)
{
	bool pattern = is_pattern(p, at);
	uint32_t bad = find_bad(p, at, pattern ? "_" PATTERN_CHARS : "_");
	struct span rest = span_tail(at, bad);

	if (span_is(p, rest, "%return")) {
		diag_at(p->diag, -EINVAL, rest, "a tracepoint has no return");
		return -EINVAL;
	}
	if (bad < at.len) {
		diag_at(p->diag, -EINVAL, span_head(rest, 1), "'%s' is not a tracepoint's name", span_quote(p, at));
		if (*span_ptr(p, rest) == ':' || *span_ptr(p, rest) == '/' || *span_ptr(p, rest) == '.')
			diag_note(p->diag, "help: a tracepoint has no group: write t %s; the event with its fields is e %s.%s",
				  span_quote(p, span_tail(rest, 1)), span_quote(p, span_head(at, bad)),
				  span_quote(p, span_tail(rest, 1)));
		return -EINVAL;
	}
	p->def->place = (struct place){ .at = at, .symbol_at = at, .symbol = span_dup(p, at), .pattern = pattern };
	return 0;
}

char *place_tracepoint_event_name(struct parse *p)
{
	return arena_strdup(p->arena, p->def->place.symbol);
}

/* The names follow the rules of typed ones (6.12, kernel/trace/trace_eprobe.c, __trace_eprobe_create()). */
int place_event_parse(struct parse *p, struct span at)
{
	uint32_t split = span_find(p, at, "/");
	struct span group, name;
	bool pattern = is_pattern(p, at);
	int err;

	if (split == at.len)
		split = span_find(p, at, ".");
	group = span_head(at, split);
	name = span_tail(at, MIN(split + 1, at.len));
	if (!group.len || !name.len || find_bad(p, group, pattern ? "_-" PATTERN_CHARS : "_-") < group.len ||
	    find_bad(p, name, pattern ? "_" PATTERN_CHARS : "_") < name.len || char_is_digit(*span_ptr(p, name)) ||
	    group.len > LANG_MAX_EVENT_NAME || name.len > LANG_MAX_EVENT_NAME) {
		err = diag_at(p->diag, -EINVAL, at, "'%s' is not an event", span_quote(p, at));
		if (span_find(p, at, ":") < at.len)
			diag_note(p->diag, "help: write the group and the name with a dot: %s.%s",
				  span_quote(p, span_head(at, span_find(p, at, ":"))),
				  span_quote(p, span_tail(at, span_find(p, at, ":") + 1)));
		else
			diag_note(p->diag, "help: write GROUP.EVENT, as in sched.sched_switch; 'bprobe --functions e:GLOB' lists "
				  "events");
		return err;
	}
	p->def->place = (struct place){ .at = at, .owner_at = group, .symbol_at = name, .system = span_dup(p, group),
					.symbol = span_dup(p, name), .pattern = pattern };
	return 0;
}

void place_event_print(const struct place *place, struct buf *out)
{
	buf_addf(out, "%s.%s", place->system, place->symbol);
}

char *place_event_event_name(struct parse *p)
{
	return arena_strdup(p->arena, p->def->place.symbol);
}
