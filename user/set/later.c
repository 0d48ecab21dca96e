// SPDX-License-Identifier: GPL-2.0-only
/*
 * later.c - advice: the definition that reads later what a hit could not read.
 *
 * What a call has not read yet may not be in memory at its entry. When the call returns, it has read it. Only execve returns to another program,
 * whose memory does not have what the call was given.
 */
#include "set/later.h"

#include <string.h>

#include "lang/kprobe.h"
#include "set/set_priv.h"

static bool can_be_probed(struct set *s, const char *text)
{
	struct facts facts = set_facts(s);
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan;
	bool can = !kprobe_parse(&arena, text, &def, &diag) && def && !plan_resolve(&arena, def, &facts, &plan, &diag);

	diag_fini(&diag);
	arena_fini(&arena);
	return can;
}

/* The system call whose entry it is, by its function or its event; NULL: none. */
static const char *call_of(const struct probe_def *def)
{
	static const char event[] = "sys_enter_", function[] = "sys_";
	const char *name = def->place.symbol;

	if (!name || def->kind != DEF_ENTRY)
		return NULL;
	if (def->probe == PROBE_EVENT)
		return !strcmp(def->place.system, "syscalls") && !strncmp(name, event, sizeof(event) - 1) ? name + sizeof(event) - 1 : NULL;
	name = strstr(name, function);
	return def->probe == PROBE_KPROBE && name ? name + sizeof(function) - 1 : NULL;
}

/* Are all arguments parameters, which a return probe has as well? */
static bool has_only_params(const struct probe_def *def)
{
	const struct arg *arg;

	for (unsigned i = 0; (arg = def_value(def, i)); i++) {
		const struct expr *e = expr_innermost(arg->expr);

		if (e->kind != EXPR_VAR && e->kind != EXPR_ARG && e->kind != EXPR_ARGS && e->kind != EXPR_COMM)
			return false;
	}
	return true;
}

static void add_filter(const struct probe_def *def, struct buf *text)
{
	if (def->filter)
		buf_addf(text, " if %.*s", (int)def->filter->at.len, def->text + def->filter->at.off);
}

/* The same definition at the return; nothing if it cannot be written so. */
static void add_return(const struct probe_def *def, struct buf *text)
{
	struct probe_def at_return = *def;

	if (!has_only_params(def) || !def->place.symbol)
		return;
	at_return.kind = DEF_RETURN;
	at_return.from_tree = true;
	def_print(&at_return, text);
	add_filter(def, text);
}

/* The same for the event of system call @call, whose fields have the names of the parameters. */
static void add_return_of_event(const struct probe_def *def, const char *call, struct buf *text)
{
	buf_addf(text, "r:%s sys_%s", def->event, call);
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];
		const char *body = def->text + arg->body_at.off;

		if (arg->expr->kind != EXPR_EVENT_FIELD || !arg->body_at.len || *body != '$') {
			buf_reset(text);
			return;
		}
		buf_addf(text, " %s=%.*s", arg->name, (int)arg->body_at.len - 1, body + 1);
	}
	add_filter(def, text);
}

static void advise_exec(struct set *s, const struct probe_def *def, FILE *out)
{
	char *text = NULL;

	fputs("help: what execve was given is gone when it returns: the task has another program's memory", out);
	if (asprintf(&text, "e:%s sched.sched_process_exec $filename:string", def->event) >= 0 && can_be_probed(s, text))
		fprintf(out, ". The file's name can be read then: %s", text);
	fputc('\n', out);
	free(text);
}

/* FEATURE_SYSCALL_SLEEPS is not asked: that costs a pass over the names in BTF, and does not change the advice. */
void later_prepare(struct set *s)
{
	struct features *f = &s->machine.features;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *def = s->probes[i].def;

		if (def->kind == DEF_ENTRY && (def->nr_args || def->filter))
			feature(f, FEATURE_ATOMICS);
	}
	f->may_load = set_names_module(s, NULL);
}

void later_advise(struct set *s, const struct probe_def *def, bool undecided, FILE *out)
{
	const char *call = call_of(def), *what = undecided ? "the condition needs values that could not be read" : "values were not in memory yet";
	struct buf text = { 0 };

	if (call && !strncmp(call, "execve", strlen("execve"))) {
		advise_exec(s, def, out);
		return;
	}
	if (def->probe == PROBE_EVENT && call)
		add_return_of_event(def, call, &text);
	else if (def->probe == PROBE_KPROBE && def->kind == DEF_ENTRY && !def->place.off)
		add_return(def, &text);
	else
		return;
	if (text.len && !def->place.pattern && !can_be_probed(s, buf_str(&text)))
		buf_reset(&text);
	fprintf(out, "help: %s at the entry. What the function reads itself can be read when it returns: %s\n", what,
		text.len ? buf_str(&text) : "r instead of p, with the parameters by name or as $arg1");
	buf_fini(&text);
}
