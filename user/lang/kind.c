// SPDX-License-Identifier: GPL-2.0-only
/*
 * kind.c - the kinds of dynamic events.
 */
#include "lang/kind.h"

#include <errno.h>

#include "lang/place.h"

/* The groups are the kernel's (6.12: kernel/trace/trace_kprobe.c, trace.h, trace_probe.h). */
static const struct kind kinds[PROBE_KINDS] = {
	[PROBE_KPROBE] = {
		.name = "a kprobe", .group = "kprobes", .letters = { 'p', 'r' },
		.words = KIND_REGISTERS | KIND_STACK | KIND_SYMBOLS | KIND_TYPES,
		.parse = place_parse, .print = place_print, .event_name = place_event_name,
	},
	[PROBE_UPROBE] = {
		.name = "a user probe", .group = "uprobes", .letters = { 'p', 'r' },
		.words = KIND_REGISTERS | KIND_STACK | KIND_FILE | KIND_ANY_STACK,
		.parse = place_user_parse, .print = place_user_print, .event_name = place_user_event_name,
	},
	[PROBE_FPROBE] = {
		.name = "a function's probe", .group = "fprobes", .letters = { 'f', 'f' }, .marks_return = true,
		.words = KIND_STACK | KIND_SYMBOLS | KIND_TYPES,
		.parse = place_function_parse, .print = place_print, .event_name = place_function_event_name,
	},
	[PROBE_TRACEPOINT] = {
		.name = "a tracepoint's probe", .group = "tracepoints", .letters = { 't', 't' },
		.words = KIND_STACK | KIND_SYMBOLS | KIND_TYPES,
		.parse = place_tracepoint_parse, .print = place_print, .event_name = place_tracepoint_event_name,
	},
	[PROBE_EVENT] = {
		.name = "an event's probe", .group = "eprobes", .letters = { 'e', 'e' },
		.words = KIND_SYMBOLS | KIND_FIELDS,
		.parse = place_event_parse, .print = place_event_print, .event_name = place_event_event_name,
	},
};

const struct kind *kind_of(enum probe_kind kind)
{
	return &kinds[kind];
}

int kind_find(const struct parse *p, struct span head, struct span place, enum probe_kind *ret)
{
	char letter = head.len ? *span_ptr(p, head) : '\0';

	/* Letters of programs' probes are those of the kernel's, too. Only the place tells them apart. */
	if ((letter == 'p' || letter == 'r') && (p->names_program || place_is_user(p, place))) {
		*ret = PROBE_UPROBE;
		return 0;
	}
	for (unsigned i = 0; i < PROBE_KINDS; i++) {
		if (kinds[i].letters[0] == letter || kinds[i].letters[1] == letter) {
			*ret = (enum probe_kind)i;
			return 0;
		}
	}
	return -EINVAL;
}
