// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_event.c - tracepoints with their arguments, and events with the fields of their records.
 */
#include <errno.h>

#include "arch/kernel.h"
#include "kernel/events/kevents.h"
#include "kernel/events/ktracepoints.h"
#include "kernel/text/ktext.h"
#include "lang/filter.h"
#include "lang/synthetic.h"
#include "plan/resolver.h"

enum { SIMILAR_SHOWN = 5 };

static void note_similar(struct diag *diag, const char *const *names, unsigned nr, const char *head)
{
	for (unsigned i = 0; i < nr; i++)
		diag_note(diag, "%s %s%s", i ? "     " : "help:", head, names[i]);
}

/* ---- tracepoints ---- */

static int no_tracepoint(const struct resolver *r, int err)
{
	const struct place *place = &r->def->place;
	const char *names[SIMILAR_SHOWN];

	if (err != -ENOENT)
		return diag_at(r->diag, err, place->at, "no tracepoint can be found: the kernel's symbols cannot be read");
	diag_at(r->diag, -ENOENT, place->at, "this kernel has no tracepoint '%s'", place->symbol);
	note_similar(r->diag, names, ktracepoints_similar(r->facts->tracepoints, r->arena, place->symbol, names, SIMILAR_SHOWN), "");
	diag_note(r->diag, "help: 'bprobe --functions t:GLOB' lists them; those of a module are there when it is loaded");
	return -ENOENT;
}

/*
 * What the kernel's own event prints as the place: where ftrace hooks the function on which it is. Its programs run for this tracepoint
 * alone, so the address is known.
 */
static uint64_t seen_at(const struct resolver *r, const struct ktracepoint *tp)
{
	return tp->addr && r->facts->text && ktext_has_pad(r->facts->text, tp->addr) ? tp->addr + ENTRY_PAD_SIZE : tp->addr;
}

int resolve_tracepoint(struct resolver *r, struct target *ret)
{
	const struct place *place = &r->def->place;
	struct ktracepoint *tp = arena_new(r->arena, struct ktracepoint);
	int err = r->facts->tracepoints ? ktracepoint_find(r->facts->tracepoints, r->arena, place->symbol, NULL, tp) : -EOPNOTSUPP;

	if (err)
		return no_tracepoint(r, err);
	if (!tp->takes_bpf) {
		diag_at(r->diag, -EOPNOTSUPP, place->at, "this kernel lets no BPF program run at tracepoint %s", place->symbol);
		diag_note(r->diag, "help: write p %s to probe the functions that call it, or e GROUP.EVENT for its event", tp->symbol);
		return -EOPNOTSUPP;
	}
	r->tracepoint = tp;
	*ret = (struct target){ .symbol = tp->symbol, .module = tp->module, .lookup = place->symbol, .stub = seen_at(r, tp) };
	return 0;
}

void tracepoint_proto(const struct resolver *r, struct proto *p)
{
	const struct ktracepoint *tp = r->tracepoint;
	const char **names = arena_array(r->arena, const char *, tp->nr_params);
	struct kbtf_type *types = arena_array(r->arena, struct kbtf_type, tp->nr_params);

	for (unsigned i = 0; i < tp->nr_params; i++) {
		names[i] = tp->params[i].name;
		types[i] = tp->params[i].type;
	}
	p->known = tp->has_types;
	p->nr_params = tp->nr_params;
	p->names = names;
	p->types = types;
}

/* ---- events ---- */

static int no_event(const struct resolver *r, int err)
{
	const struct place *place = &r->def->place;
	const char *names[SIMILAR_SHOWN];

	if (err != -ENOENT) {
		diag_at(r->diag, err, place->at, "the events of this kernel cannot be read");
		diag_note(r->diag, "help: mount tracefs (mount -t tracefs tracefs /sys/kernel/tracing), and run as root");
		return err;
	}
	diag_at(r->diag, -ENOENT, place->at, "this kernel has no event %s.%s", place->system, place->symbol);
	if (!strcmp(place->system, SYNTHETIC_GROUP))
		diag_note(r->diag, "help: a synthetic event of bprobe (s:NAME) takes triggers and a filter, and no event probe");
	note_similar(r->diag, names, kevents_similar(r->facts->events, r->arena, place->system, place->symbol, names, SIMILAR_SHOWN), "");
	return -ENOENT;
}

int resolve_event(struct resolver *r, struct target *ret)
{
	const struct place *place = &r->def->place;
	struct kevent *ev = arena_new(r->arena, struct kevent);
	int err = r->facts->events ? kevent_find(r->facts->events, r->arena, place->system, place->symbol, ev) : -EOPNOTSUPP;

	if (err)
		return no_event(r, err);
	if (!ev->tracepoint) {
		diag_at(r->diag, -EOPNOTSUPP, place->at, "%s.%s belongs to no tracepoint, so no program sees its records", ev->group, ev->name);
		diag_note(r->diag, "help: if it is a probe, define the same probe here");
		return -EOPNOTSUPP;
	}
	r->event = ev;
	*ret = (struct target){ .event_id = ev->id, .is_syscall_event = !strcmp(ev->group, "syscalls"), .module = ev->module,
				.site_name = arena_printf(r->arena, "%s.%s", ev->group, ev->name) };
	return 0;
}

static int no_field(const struct resolver *r, const struct expr *e)
{
	const char *similar = kevent_similar_field(r->event, e->name);
	unsigned shown = 0;

	diag_at(r->diag, -ENOENT, e->at, "%s.%s has no field '%s'", r->event->group, r->event->name, e->name);
	if (similar)
		diag_note(r->diag, "help: did you mean $%s?", similar);
	for (unsigned i = 0; i < r->event->nr_fields; i++) {
		if (!r->event->fields[i].is_common)
			diag_note(r->diag, "%s $%s", shown++ ? "     " : "help: its fields are", r->event->fields[i].name);
	}
	return -ENOENT;
}

/*
 * Of a system call a program sees the number and the parameters (6.12, kernel/trace/trace_syscalls.c, perf_call_bpf_enter()). 7.2's
 * record has copies of texts behind them, such as __filename_val, which a program does not get.
 */
static bool is_copy(const struct kevent *ev, const struct kevent_field *f)
{
	return f->kind == KEVENT_DYNAMIC && !strcmp(ev->group, "syscalls");
}

static int refuse_copy(const struct resolver *r, const struct expr *e)
{
	int err = diag_at(r->diag, -EOPNOTSUPP, e->at, "the kernel does not show '%s' to a program", e->name);

	diag_note(r->diag, "help: read it where the parameter points to, as in +0($filename):ustring");
	return err;
}

static enum fetch_form form_of(const struct kevent_field *f)
{
	switch (f->kind) {
	case KEVENT_NUMBER:
		return FIELD_NUMBER;
	case KEVENT_DYNAMIC:
		return FIELD_DATA_LOC;
	case KEVENT_RELATIVE:
		return FIELD_REL_LOC;
	default:
		return FIELD_HERE;
	}
}

/*
 * Of an array, a number may have so many bytes: it is the first one. The kernel takes arrays for numbers, too (6.12,
 * kernel/trace/trace_eprobe.c, get_event_field()). Of a set of processors it takes the word that says where the set is; here the number is the set.
 */
static uint8_t array_bytes(const struct kevent_field *f)
{
	if (f->kind == KEVENT_DYNAMIC || f->kind == KEVENT_RELATIVE)
		return f->is_cpumask ? 8 : 0;
	return f->kind == KEVENT_ARRAY ? (uint8_t)MIN(f->size, 8u) : 0;
}

int resolve_event_field(const struct resolver *r, const struct expr *e, struct value *v)
{
	const struct kevent_field *f = kevent_field(r->event, e->name);

	/* The common ones are in each line already, and the kernel does not take them (6.12, trace_probe.c, parse_trace_event_arg()). */
	if (f && f->is_common)
		f = NULL;
	if (!f && (!strcmp(e->name, "comm") || !strcmp(e->name, "COMM"))) {
		v->fetch.src = FETCH_COMM;
		return 0;
	}
	if (!f)
		return no_field(r, e);
	if (is_copy(r->event, f))
		return refuse_copy(r, e);
	v->fetch.src = FETCH_FIELD;
	v->fetch.form = form_of(f);
	v->fetch.off = (uint16_t)f->offset;
	v->fetch.size = (uint8_t)f->size;
	v->fetch.is_signed = f->is_signed;
	v->own_type = f->kind == KEVENT_NUMBER || f->kind == KEVENT_TEXT ? f->type : NULL;
	v->is_text = f->is_string && !f->is_pointer;
	v->array_bytes = v->is_text ? 0 : array_bytes(f);
	return 0;
}

/* ---- all fields of an event ---- */

/* Numbers whose sign and size say little: system calls have all parameters as words. */
static bool is_word(const struct kevent *ev, const struct kevent_field *f)
{
	return f->is_pointer || !strcmp(f->element ? f->element : f->type, "unsigned long") ||
	       (!strcmp(ev->group, "syscalls") && f->size == 8 && !f->is_signed);
}

/* Is it the number of a system call? In the events of `syscalls`, whose names have the call's, it remains a number. */
static bool is_call(const struct kevent *ev, const struct kevent_field *f)
{
	return f->kind == KEVENT_NUMBER && !strcmp(ev->group, "raw_syscalls") && !strcmp(f->name, "id");
}

/* The type with which a field is shown. False: it has none that this language knows. */
static bool natural_type(const struct resolver *r, const struct kevent_field *f, struct type *ret)
{
	const struct kevent *ev = r->event;
	uint32_t size = f->kind == KEVENT_ARRAY ? f->element_size : f->size;

	*ret = (struct type){ 0 };
	if (f->kind == KEVENT_TEXT || ((f->kind == KEVENT_DYNAMIC || f->kind == KEVENT_RELATIVE) && f->is_string)) {
		ret->kind = TYPE_STRING;
		return true;
	}
	if ((f->kind != KEVENT_NUMBER && f->kind != KEVENT_ARRAY) || (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	if (f->kind == KEVENT_ARRAY && (!f->nr_elements || f->nr_elements > LANG_MAX_ARRAY))
		return false;
	ret->kind = is_word(ev, f) ? TYPE_HEX : f->is_signed ? TYPE_SIGNED : TYPE_UNSIGNED;
	ret->size = (uint8_t)size;
	ret->count = f->kind == KEVENT_ARRAY ? (uint8_t)f->nr_elements : 0;
	if (is_call(ev, f) && resolve_knows_calls(r)) {
		ret->kind = TYPE_SIGNED;
		ret->show = SHOW_SYSCALL;
	}
	return true;
}

unsigned event_fields(const struct resolver *r, struct arg *ret, unsigned max)
{
	const struct kevent *ev = r->event;
	unsigned nr = 0;

	for (unsigned i = 0; i < ev->nr_fields && nr < max; i++) {
		const struct kevent_field *f = &ev->fields[i];
		struct expr *e = arena_new(r->arena, struct expr);
		struct type type;

		if (f->is_common || is_copy(ev, f) || !name_is_ident(f->name, strlen(f->name)) || !natural_type(r, f, &type))
			continue;
		*e = (struct expr){ .kind = EXPR_EVENT_FIELD, .at = r->def->place.at, .name = f->name, .name_at = r->def->place.at };
		ret[nr++] = (struct arg){ .name = f->name, .expr = e, .type = type, .at = r->def->place.at, .body_at = r->def->place.at };
	}
	return nr;
}

/* ---- the filter ---- */

/* FIELD.ustring of a number: the field is the address of a text in user memory, as file names of system calls are. */
static bool is_text_at(const struct kevent_field *f, const struct filter_pred *pred)
{
	return f && pred->suffix == FILTER_USTRING && f->kind == KEVENT_NUMBER && f->size == 8;
}

static void hide(struct resolver *r, const struct filter_pred *pred, bool all)
{
	const struct kevent_field *f = kevent_field(r->event, pred->field);
	bool text = is_text_at(f, pred);
	const char *name = text ? arena_printf(r->arena, FILTER_TEXT_PREFIX "%s", pred->field) : pred->field;
	struct type type = { .kind = TYPE_USTRING };
	struct expr *e, *at;

	for (unsigned i = 0; i < r->nr_hidden; i++) {
		if (!strcmp(r->hidden[i].name, name))
			return;
	}
	if (!f || f->is_common || (!text && (!all || !natural_type(r, f, &type))) || r->nr_hidden == LANG_MAX_ARGS)
		return;
	e = at = arena_new(r->arena, struct expr);
	*e = (struct expr){ .kind = EXPR_EVENT_FIELD, .at = pred->field_at, .name = f->name, .name_at = pred->field_at };
	if (text) {
		e = arena_new(r->arena, struct expr);
		*e = (struct expr){ .kind = EXPR_DEREF, .at = pred->field_at, .inner = at, .user = true };
	}
	r->hidden[r->nr_hidden++] = (struct arg){ .name = name, .expr = e, .type = type, .at = pred->field_at, .body_at = pred->field_at };
}

static void hide_all(struct resolver *r, const struct filter_node *node, bool all)
{
	if (node->kind == FILTER_PRED)
		hide(r, node->pred, all);
	for (const struct filter_node *child = node->child; child; child = child->next)
		hide_all(r, child, all);
}

void event_hide_fields(struct resolver *r, const struct filter_expr *filter, bool all)
{
	r->hidden = arena_array(r->arena, struct arg, LANG_MAX_ARGS);
	hide_all(r, filter->root, all);
}
