// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions_events.c - lists tracepoints with their arguments, and events with their fields.
 */
#include "cli/functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/btf/kbtf_print.h"
#include "kernel/events/kevents.h"
#include "kernel/events/ktracepoints.h"
#include "lang/type.h"
#include "plan/resolver.h"
#include "trace/trace.h"

enum { SIMILAR_SHOWN = 5 };

bool functions_is_tracepoint(const struct function_list *l, const char *word)
{
	(void)l;
	return !strncmp(word, "t:", 2);
}

bool functions_is_event(const struct function_list *l, const char *word)
{
	(void)l;
	return !strncmp(word, "e:", 2);
}

/* The names that a glob matches. */
struct matches {
	struct arena *arena;
	const char *group, *glob;	/* @group of events; NULL: of any group */
	struct match_name {
		const char *group, *name;
	} *all;				/* malloc */
	size_t nr;
	unsigned room;
};

static void add_name(struct matches *n, const char *group, const char *name)
{
	n->all = heap_grow(n->all, n->nr, &n->room);
	n->all[n->nr++] = (struct match_name){ arena_strdup(n->arena, group ? group : ""), arena_strdup(n->arena, name) };
}

static int compare(const void *a, const void *b)
{
	const struct match_name *x = a, *y = b;
	int groups = strcmp(x->group, y->group);

	return groups ? groups : strcmp(x->name, y->name);
}

static void sort(struct matches *n)
{
	if (n->nr)
		qsort(n->all, n->nr, sizeof(*n->all), compare);
}

static void note_glob(struct diag *diag, const char *const *similar, unsigned nr, const char *letter)
{
	for (unsigned i = 0; i < nr; i++)
		diag_note(diag, "%s %s%s", i ? "     " : "help:", letter, similar[i]);
	if (!nr)
		diag_note(diag, "help: a pattern can have * ? and [...] as in file names");
}

/* ---- tracepoints ---- */

static bool take_tracepoint(void *ctx, const char *name, const char *module)
{
	struct matches *n = ctx;

	if (!fnmatch(n->glob, name, 0))
		add_name(n, module ? module : "vmlinux", name);
	return true;
}

/* "sched_switch(bool preempt, struct task_struct *prev, ...)" */
static void add_tracepoint_proto(struct kbtf_printer *printer, const struct ktracepoint *tp, struct buf *out)
{
	buf_addf(out, "%s(", tp->name);
	for (unsigned i = 0; i < tp->nr_params; i++) {
		buf_adds(out, i ? ", " : "");
		kbtf_print_param(printer, tp->params[i].id, tp->params[i].name, out);
	}
	buf_adds(out, tp->nr_params ? ")" : "void)");
}

static void print_tracepoint(struct function_list *l, struct kbtf_printer *printer, const struct ktracepoint *tp)
{
	struct buf *out = &l->line;

	buf_reset(out);
	functions_add_event(out, 't', tp->name);
	buf_addf(out, " %s", tp->name);
	for (unsigned i = 0; tp->has_types && i < tp->nr_params; i++)
		functions_add_param(out, i, tp->params[i].name, kbtf_is_text(tp->params[i].id));
	buf_adds(out, "  # ");
	if (tp->module)
		buf_addf(out, "of module %s: ", tp->module);
	if (tp->has_types)
		add_tracepoint_proto(printer, tp, out);
	else
		buf_adds(out, "its arguments are not known");
	puts(buf_str(out));
}

static int no_tracepoint(struct function_list *l, const char *glob, struct diag *diag)
{
	const char *similar[SIMILAR_SHOWN];
	unsigned nr = strpbrk(glob, "*?[") ? 0 : ktracepoints_similar(l->machine->tracepoints, l->arena, glob, similar, SIMILAR_SHOWN);

	diag_set(diag, -ENOENT, "no tracepoint of this kernel matches '%s'", glob);
	note_glob(diag, similar, nr, "t:");
	if (strpbrk(glob, "./:"))
		diag_note(diag, "help: tracepoints have no group; events with a group: e:GROUP.GLOB");
	return EXIT_BAD_DEFINITION;
}

int functions_list_tracepoints(struct function_list *l, const char *word, struct diag *diag)
{
	struct matches names = { .arena = l->arena, .glob = word[2] ? word + 2 : "*" };
	struct kbtf_printer *printer;
	size_t nr = 0;

	if (ktracepoints_each(l->machine->tracepoints, take_tracepoint, &names)) {
		diag_set(diag, -EOPNOTSUPP, "no tracepoint can be found: the kernel's symbols cannot be read");
		return EXIT_KERNEL;
	}
	if (!names.nr)
		return no_tracepoint(l, names.glob, diag);
	sort(&names);
	printer = kbtf_printer_new(l->machine->btf);
	for (size_t i = 0; i < names.nr; i++)
		ktracepoint_expect(l->machine->btf, names.all[i].name);
	for (size_t i = 0; i < names.nr; i++) {
		struct ktracepoint tp;

		if (ktracepoint_find(l->machine->tracepoints, l->arena, names.all[i].name, names.all[i].group, &tp) || !tp.takes_bpf)
			continue;
		print_tracepoint(l, printer, &tp);
		nr++;
	}
	kbtf_printer_free(printer);
	fflush(stdout);
	functions_print_number(nr, "tracepoint");
	fputs(" can be probed", stderr);
	if (names.nr > nr)
		fprintf(stderr, "; %zu left out, where this kernel lets no BPF program run", names.nr - nr);
	fputc('\n', stderr);
	free(names.all);
	return 0;
}

/* ---- events ---- */

static bool take_event(void *ctx, const char *group, const char *name)
{
	struct matches *n = ctx;

	if ((!n->group || !fnmatch(n->group, group, 0)) && !fnmatch(n->glob, name, 0))
		add_name(n, group, name);
	return true;
}

/* The arguments that the event's own line has: what a definition without arguments fetches. */
static void add_fields(struct function_list *l, const struct kevent *ev, struct buf *out)
{
	struct probe_def def = { .probe = PROBE_EVENT };
	struct resolver r = { .arena = l->arena, .def = &def, .event = ev };
	struct arg *args = arena_array(l->arena, struct arg, LANG_MAX_ARGS);
	unsigned nr = event_fields(&r, args, LANG_MAX_ARGS);

	for (unsigned i = 0; i < nr; i++) {
		buf_addf(out, " %s=$%s:", args[i].name, args[i].name);
		type_print(&args[i].type, out);
	}
}

/* "char comm[16], pid_t pid", as a format file has them. */
static void add_format(const struct kevent *ev, struct buf *out)
{
	const char *comma = "";

	for (unsigned i = 0; i < ev->nr_fields; i++) {
		const struct kevent_field *f = &ev->fields[i];
		bool dynamic = f->kind == KEVENT_DYNAMIC || f->kind == KEVENT_RELATIVE;
		size_t len = dynamic ? strlen(f->type) : strcspn(f->type, "[");

		if (f->is_common)
			continue;
		buf_addf(out, "%s%.*s%s%s%s", comma, (int)len, f->type, f->type[len - !!len] == '*' ? "" : " ", f->name, f->type + len);
		comma = ", ";
	}
	if (!*comma)
		buf_adds(out, "no fields");
}

static void print_event(struct function_list *l, const struct kevent *ev)
{
	struct buf *out = &l->line;

	buf_reset(out);
	functions_add_event(out, 'e', ev->name);
	buf_addf(out, " %s.%s", ev->group, ev->name);
	add_fields(l, ev, out);
	buf_adds(out, "  # ");
	if (ev->module)
		buf_addf(out, "of module %s: ", ev->module);
	add_format(ev, out);
	puts(buf_str(out));
}

static int no_event(struct function_list *l, const struct matches *names, struct diag *diag)
{
	const char *similar[SIMILAR_SHOWN];
	bool pattern = strpbrk(names->glob, "*?[") || (names->group && strpbrk(names->group, "*?["));
	unsigned nr = pattern ? 0 : kevents_similar(l->machine->events, l->arena, names->group, names->glob, similar, SIMILAR_SHOWN);

	diag_set(diag, -ENOENT, "no event of this kernel matches '%s%s%s'", names->group ? names->group : "", names->group ? "." : "",
		 names->glob);
	note_glob(diag, similar, nr, "e:");
	if (strchr(names->glob, ':'))
		diag_note(diag, "help: a dot is between the group and the name: e:GROUP.GLOB");
	return EXIT_BAD_DEFINITION;
}

static int no_events(struct diag *diag)
{
	diag_set(diag, -EOPNOTSUPP, "the events of this kernel cannot be read");
	diag_note(diag, "help: mount tracefs (mount -t tracefs tracefs /sys/kernel/tracing), and run as root");
	return EXIT_KERNEL;
}

/* Events of probes and synthetic ones belong to no tracepoint: no program sees their records. */
static size_t print_events(struct function_list *l, const struct matches *names)
{
	size_t nr = 0;

	for (size_t i = 0; i < names->nr; i++) {
		struct kevent ev;

		if (kevent_find(l->machine->events, l->arena, names->all[i].group, names->all[i].name, &ev) || !ev.tracepoint)
			continue;
		print_event(l, &ev);
		nr++;
	}
	return nr;
}

int functions_list_events(struct function_list *l, const char *word, struct diag *diag)
{
	size_t split = strcspn(word + 2, "./");
	struct matches names = { .arena = l->arena, .glob = word[2] ? word + 2 : "*" };
	size_t nr;

	if (word[2 + split]) {
		names.group = arena_strndup(l->arena, word + 2, split);
		names.glob = word[3 + split] ? word + 3 + split : "*";
	}
	if (kevents_each(l->machine->events, take_event, &names))
		return no_events(diag);
	if (!names.nr)
		return no_event(l, &names, diag);
	sort(&names);
	nr = print_events(l, &names);
	fflush(stdout);
	functions_print_number(nr, "event");
	fputs(" can be probed", stderr);
	if (names.nr > nr)
		fprintf(stderr, "; %zu left out: they belong to other probes or to no tracepoint", names.nr - nr);
	fputc('\n', stderr);
	free(names.all);
	return 0;
}
