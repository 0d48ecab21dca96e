// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_value.c - the values of a hit that histograms are made from (6.12, kernel/trace/trace_events_hist.c, create_hist_field()).
 */
#include "hist/hist_value.h"

#include <errno.h>

#include "base/buf.h"
#include "base/clock.h"
#include "plan/place_id.h"
#include "print/show.h"
#include "print/text.h"

/* The fields that every event has. An argument with the same name comes first. */
static const struct common {
	const char *name;
	enum hist_source source;
	struct hist_type type;
	char kind;			/* 'r': only of return probes, 'p': only of others */
} commons[] = {
	{ "common_type", HIST_FROM_TYPE, { "unsigned short", NULL, 2, false }, 0 },
	{ "common_flags", HIST_FROM_FLAGS, { "unsigned char", NULL, 1, false }, 0 },
	{ "common_preempt_count", HIST_FROM_COUNT, { "unsigned char", NULL, 1, false }, 0 },
	{ "common_pid", HIST_FROM_PID, { "int", NULL, 4, true }, 0 },
	{ "__probe_ip", HIST_FROM_PLACE, { "unsigned long", NULL, 8, false }, 'p' },
	{ "__probe_func", HIST_FROM_PLACE, { "unsigned long", NULL, 8, false }, 'r' },
	{ "__probe_ret_ip", HIST_FROM_CALLER, { "unsigned long", NULL, 8, false }, 'r' },
	{ "common_stacktrace", HIST_FROM_STACK, { "unsigned long[]", NULL, COUNT_FRAMES_SIZE, false }, 0 },
	{ "stacktrace", HIST_FROM_STACK, { "unsigned long[]", NULL, COUNT_FRAMES_SIZE, false }, 0 },
	{ "common_comm", HIST_FROM_COMM, { "char[]", NULL, 16, false }, 0 },
	{ "common_timestamp", HIST_FROM_TIME, { "u64", NULL, 8, false }, 0 },
	{ "hitcount", HIST_FROM_HITS, { "u64", NULL, 8, false }, 0 },
	{ "common_cpu", HIST_FROM_CPU, { "unsigned int", NULL, 4, false }, 0 },
	{ "cpu", HIST_FROM_CPU, { "unsigned int", NULL, 4, false }, 0 },
	{ "CPU", HIST_FROM_CPU, { "unsigned int", NULL, 4, false }, 0 },
};

static bool has_common(const struct common *c, const struct layout *l)
{
	return !c->kind || (!l->is_synthetic && (c->kind == 'r') == l->is_return);
}

static int refuse_field(const struct layout *l, const char *text, const struct hist_expr *expr, struct diag *diag)
{
	struct buf names = { 0 };
	int err;

	diag->text = text;
	err = diag_at(diag, -ENOENT, expr->name_at, "the event has no field '%s'", expr->name);
	if (!strcasecmp(expr->name, "comm")) {
		diag_note(diag, "help: common_comm is the name of the task");
		return err;
	}
	for (unsigned i = 0; i < l->nr_fields; i++)
		buf_addf(&names, " %s", l->fields[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(commons); i++) {
		if (has_common(&commons[i], l) && strcmp(commons[i].name, "stacktrace"))	/* its old name */
			buf_addf(&names, " %s", commons[i].name);
	}
	diag_note(diag, "help: its fields are%s", buf_str(&names));
	buf_fini(&names);
	return err;
}

static int refuse_array(const char *text, const struct hist_expr *expr, struct diag *diag)
{
	diag->text = text;
	diag_at(diag, -EINVAL, expr->name_at, "'%s' is an array, and a histogram takes single values", expr->name);
	diag_note(diag, "help: fetch the element as an argument of its own");
	return -EINVAL;
}

static bool find_field(const struct layout *l, const struct hist_expr *expr, struct hist_value *ret)
{
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		if (strcmp(f->name, expr->name))
			continue;
		ret->source = HIST_FROM_ARGUMENT;
		ret->field = f;
		ret->is_string = type_is_dynamic(&f->type);
		ret->is_stack = f->type.is_stack;
		ret->is_signed = f->type.kind == TYPE_SIGNED;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commons); i++) {
		if (strcmp(commons[i].name, expr->name) || !has_common(&commons[i], l))
			continue;
		ret->source = commons[i].source;
		ret->is_string = ret->source == HIST_FROM_COMM;
		ret->is_stack = ret->source == HIST_FROM_STACK;
		ret->is_signed = commons[i].type.is_signed;
		return true;
	}
	return false;
}

int hist_value_resolve(const struct layout *l, const char *text, const struct hist_expr *expr, struct hist_value *ret,
		       struct diag *diag)
{
	*ret = (struct hist_value){ .modifier = expr->modifier, .buckets = expr->buckets, .name = expr->name };
	if (!find_field(l, expr, ret))
		return refuse_field(l, text, expr, diag);
	if (ret->field && ret->field->type.count && !ret->is_stack)
		return refuse_array(text, expr, diag);
	if (ret->source == HIST_FROM_STACK)
		ret->name = "common_stacktrace";
	if (ret->source == HIST_FROM_STACK && !(l->stacks & 1u << STACK_KERNEL)) {
		diag->text = text;
		diag_at(diag, -EINVAL, expr->name_at, "the records of this event have no kernel stack");
		diag_note(diag, "help: keep the event anew with this trigger, or with -k");
		return -EINVAL;
	}
	if (ret->source != HIST_FROM_HITS && (expr->modifier == HIST_LOG2 || expr->modifier == HIST_BUCKETS) && ret->is_string) {
		diag->text = text;
		return diag_at(diag, -EINVAL, expr->modifier_at, "'%s' is a string", expr->name);
	}
	return 0;
}

bool hist_value_is_place_id(const struct hist_value *v, const struct layout *l)
{
	return v->source == HIST_FROM_PLACE && (v->modifier == HIST_SYM || v->modifier == HIST_SYM_OFFSET) && place_id(l);
}

struct hist_type hist_value_type(struct arena *arena, const struct hist_value *v)
{
	const struct type *type = v->field ? &v->field->type : NULL;

	if (v->is_stack && v->field)
		return (struct hist_type){ .name = "unsigned long[]", .own = v->field->own_type, .size = COUNT_FRAMES_SIZE };
	if (v->is_string || v->modifier == HIST_EXECNAME)
		return (struct hist_type){ .name = "__data_loc char[]", .own = v->is_string && v->field ? v->field->own_type : NULL,
					   .size = HIST_STRING_SIZE };
	if (type)
		return (struct hist_type){ arena_printf(arena, "%c%u", v->is_signed ? 's' : 'u', 8 * type->size), v->field->own_type,
					   type->size, v->is_signed };
	for (size_t i = 0; i < ARRAY_SIZE(commons); i++) {
		if (commons[i].source == v->source)
			return commons[i].type;
	}
	return (struct hist_type){ .name = "u64", .size = 8 };
}

/* ---- reading ---- */

/* The kernel's ilog2(roundup_pow_of_two(n)): 64 above 2^63, and 0 for 0. */
static uint64_t log2_of(uint64_t n)
{
	return n <= 1 ? 0 : 64 - (uint64_t)__builtin_clzll(n - 1);
}

/* The lower end of the bucket. Below zero, buckets continue downwards. The lowest one ends where the numbers do. */
static uint64_t bucket_of(const struct hist_value *v, uint64_t n)
{
	uint64_t rest;

	if (!v->is_signed || (int64_t)n >= 0 || v->buckets > INT64_MAX)
		return n - n % v->buckets;
	rest = (0 - n) % v->buckets;
	if (!rest)
		return n;
	n -= v->buckets - rest;
	return (int64_t)n < 0 ? n : (uint64_t)INT64_MIN;
}

static uint64_t context_number(const struct hist_value *v, const struct event *ev, const struct text *t)
{
	uint8_t flags, count;

	if (!context_numbers(&t->rules, ev->rec, ev->layout, &flags, &count))
		return 0;
	return v->source == HIST_FROM_FLAGS ? flags : count;
}

bool hist_value_faulted(const struct hist_value *v, const struct event *ev)
{
	uint64_t addr;

	if (v->source != HIST_FROM_ARGUMENT)
		return false;
	return v->field->type.kind == TYPE_SYMSTR ? !event_symstr(ev, v->field, 0, &addr) : event_faulted(ev, v->field, 0);
}

static uint64_t raw_number(const struct hist_value *v, const struct event *ev, const struct text *t, bool usecs)
{
	switch (v->source) {
	case HIST_FROM_ARGUMENT:
		return event_marked(ev, v->field, 0) ? 0 : event_number(ev, v->field, 0);
	case HIST_FROM_PID:
		return (uint64_t)(int64_t)ev->rec->common_pid;
	case HIST_FROM_CPU:
		return ev->rec->cpu;
	case HIST_FROM_PLACE:
		return hist_value_is_place_id(v, ev->layout) ? place_id(ev->layout) : event_addr(ev);
	case HIST_FROM_CALLER:
		return event_caller(ev);
	case HIST_FROM_TYPE:
		return ev->rec->common_type;
	case HIST_FROM_TIME:
		return usecs ? (ev->rec->ts + 500) / 1000 : ev->rec->ts;
	case HIST_FROM_HITS:
		return 1;
	default:
		return context_number(v, ev, t);
	}
}

uint64_t hist_value_number(const struct hist_value *v, const struct event *ev, const struct text *t, bool usecs)
{
	uint64_t n = raw_number(v, ev, t, usecs);

	if (v->modifier == HIST_LOG2)
		return v->exact && v->is_signed && (int64_t)n < 0 ? HIST_LOG2_NEGATIVE : log2_of(n);
	return v->modifier == HIST_BUCKETS ? bucket_of(v, n) : n;
}

void hist_value_stack(const struct event *ev, uint64_t to[COUNT_FRAMES])
{
	uint32_t loc, off, len;

	memset(to, 0, COUNT_FRAMES * sizeof(to[0]));
	memcpy(&loc, ev->body + ev->layout->stack_off[STACK_KERNEL], sizeof(loc));
	off = loc & 0xffff;
	len = MIN(loc >> 16, (uint32_t)(COUNT_FRAMES * sizeof(to[0])));
	if (off + len <= ev->len)
		memcpy(to, ev->body + off, len);
}

void hist_value_string(const struct hist_value *v, const struct event *ev, const struct text *t, char to[HIST_STRING_SIZE])
{
	struct buf name = { 0 };
	const char *text = "";
	uint32_t len = 0;
	uint64_t addr;
	bool cut;

	if (v->source == HIST_FROM_COMM) {
		text = ev->rec->comm;
		len = (uint32_t)strnlen(text, BP_COMM_LEN);
	} else if (v->field->type.kind == TYPE_SYMSTR) {
		if (event_symstr(ev, v->field, 0, &addr))
			text_symbol(&name, t->ks, addr, true);
		text = buf_str(&name);
		len = (uint32_t)name.len;
	} else if (v->field->type.kind == TYPE_BUFFER) {
		if (!event_faulted(ev, v->field, 0))
			show_of(&v->field->type)->text(ev, v->field, 0, &name);
		text = buf_str(&name);
		len = (uint32_t)name.len;
	} else if (!event_string(ev, v->field, 0, &text, &len, &cut)) {
		len = 0;
	}
	len = MIN(len, (uint32_t)HIST_STRING_SIZE - 1);
	memcpy(to, text, len);
	memset(to + len, 0, HIST_STRING_SIZE - len);
	buf_fini(&name);
}
