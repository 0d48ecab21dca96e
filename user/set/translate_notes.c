// SPDX-License-Identifier: GPL-2.0-only
/*
 * translate_notes.c - what the translation of a definition to kprobe_events' grammar does not show.
 */
#include "set/translate_notes.h"

#include <string.h>

#include "arch/kernel.h"
#include "kernel/ksyscall.h"
#include "lang/dialect.h"
#include "lang/pair.h"
#include "lang/type_words.h"

static bool begins(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

bool translate_notes_fetches_registers(const struct probe_def *def)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct expr *e = expr_innermost(def->args[i].expr);

		if ((e->kind == EXPR_REG && !(e->reg == REG_IP && def->kind == DEF_RETURN)) ||
		    (e->kind == EXPR_STACKN && !(def->has_parent && !i)))
			return true;
	}
	return false;
}

static bool fetches_params(const struct probe_def *def)
{
	for (unsigned i = 0; def_reaches_args(def) && i < def->nr_args; i++) {
		const struct expr *e = expr_innermost(def->args[i].expr);

		if (e->kind == EXPR_ARG || e->kind == EXPR_VAR)
			return true;
	}
	return false;
}

/* For a system call with its bare name: says whose values are fetched. If no value is fetched, there is nothing to say. */
static void add_whose(const struct probe_def *def, const char *name, struct buf *out)
{
	bool params = fetches_params(def);

	if (params)
		buf_addf(out, "%s is a system call, and bprobe fetches its own parameters", name);
	if (translate_notes_fetches_registers(def))
		buf_addf(out, "%sregisters are those of the wrapper of %s, which gets a struct pt_regs",
			 params ? "; " : "", name);
}

/*
 * From 2009 to 2018, sys_ and SyS_ functions received the call's parameters. Since then (SYSCALL_WRAPPED_SINCE) the functions
 * receive a struct pt_regs. bprobe finds them by the old names of 64-bit calls.
 */
static void add_syscall(const struct probe_def *def, struct buf *out)
{
	const char *name = def->place.symbol;

	if (!name || def->place.before)		/* the probe is in another function */
		return;
	if (ksyscall_bare_name(name))
		add_whose(def, name, out);
	else if (begins(name, SYSCALL_WRAPPER))
		buf_addf(out, "%s gets a struct pt_regs: %s gives access to the call's own parameters",
			 name, name + strlen(SYSCALL_WRAPPER) - strlen("sys_"));
	else if (begins(name, "compat_sys_"))
		buf_addf(out, "%s is %s%s since %s, and gets a struct pt_regs", name, SYSCALL_WRAPPER_COMPAT, name + strlen("compat_sys_"),
			 SYSCALL_WRAPPED_SINCE);
}

void translate_notes_types(const struct probe_def *def, struct buf *out)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];
		const char *own = type_own_part(&arg->type);
		struct type classic = type_classic(&arg->type);

		if (!own)
			continue;
		buf_addf(out, "%s%s: ", out->len ? "; " : "", arg->name);
		type_print(&arg->type, out);
		buf_adds(out, " is bprobe's own type, and ");
		type_print(&classic, out);
		buf_addf(out, " prints %s", own);
	}
}

static bool has(const struct probe_def *def, enum expr_kind kind)
{
	const struct arg *arg;

	for (unsigned i = 0; (arg = def_value(def, i)); i++) {
		if (expr_has(arg->expr, kind))
			return true;
	}
	return false;
}

/* No kernel has C. --explain knows the types, and prints what kprobe_events has for it. */
static void add_c(const struct probe_def *def, struct buf *out)
{
	if (!def->place.in_source && has(def, EXPR_C))
		buf_addf(out, "%skprobe_events has no C expressions: --explain on the kernel that is traced prints what it has for them", out->len ? "; " : "");
	if (has(def, EXPR_PERCPU))
		buf_addf(out, "%skernels before 7.3 have no this_cpu_ptr() and no this_cpu_read()", out->len ? "; " : "");
}

/* Both came to kprobe_events with the same patches (doc/grammar.md). */
void translate_notes_casts(const struct probe_def *def, struct buf *out)
{
	bool casts = has(def, EXPR_CAST), task = has(def, EXPR_TASK);

	add_c(def, out);
	if (!casts && !task)
		return;
	buf_addf(out, "%skernels before 7.3 have no %s", out->len ? "; " : "", casts && task ? "casts and no $current" :
		 casts ? "casts" : "$current");
	if (casts)
		buf_addf(out, "%s --explain on the kernel that is traced prints the offsets in their place", task ? ": for casts" : ":");
}

static void add_remark(struct buf *out, const char *text)
{
	buf_addf(out, "%s%s", out->len ? "; " : "", text);
}

/* uprobe_events has offsets, registers and full paths (6.12, kernel/trace/trace_uprobe.c, __trace_uprobe_create()). */
static void add_user(const struct probe_def *def, struct buf *out)
{
	const char *what = def->place.provider ? "marker" : "function's name";

	add_remark(out, "for uprobe_events");
	if (def->place.symbol)
		buf_addf(out, ", which has only offsets and registers: --explain prints them for this %s", what);
	else if (!strchr(def->place.path, '/'))
		buf_adds(out, ", which wants the library's path: --explain prints it");
	if (has(def, EXPR_INDEXED))
		add_remark(out, "uprobe_events has no (%REG,%REG,SCALE)");
}

void translate_notes_kind(const struct probe_def *def, struct buf *out)
{
	if (def->place.in_source) {
		add_remark(out, "the kernel knows no source: with --vmlinux the places and arguments are printed that debug information has for this");
		return;
	}
	switch (def->probe) {
	case PROBE_UPROBE:
		add_user(def, out);
		break;
	case PROBE_FPROBE:
		add_remark(out, "for dynamic_events, Linux 6.5 and newer; older kernels have p and r");
		if (def->kind == DEF_RETURN && (has(def, EXPR_ARG) || has(def, EXPR_VAR)))
			add_remark(out, "parameters at a return are newer still (6.12 has them)");
		break;
	case PROBE_TRACEPOINT:
		add_remark(out, "for dynamic_events, Linux 6.5 and newer");
		break;
	case PROBE_EVENT:
		add_remark(out, "for dynamic_events, Linux 5.15 and newer");
		if (!def->nr_args)
			add_remark(out, "without arguments bprobe fetches the event's own fields, and the kernel fetches none");
		break;
	default:
		return;
	}
	if (def->place.pattern && !def->place.provider)
		add_remark(out, "the kernel takes no pattern here: --functions lists the names");
}

/* Histogram triggers can compute a duration (Documentation/trace/histogram.rst, "latency"). */
static void add_elapsed(const struct probe_def *def, struct buf *out)
{
	const char *key;

	for (unsigned i = 0; i < def->nr_args; i++) {
		if (def->args[i].expr->kind != EXPR_ELAPSED)
			continue;
		key = def->pair && def->pair->field ? def->pair->field : "common_pid";
		buf_addf(out, "%skprobe_events has no $elapsed. With two events it can be computed by triggers: of ", out->len ? "; " : "");
		if (def->pair)
			buf_adds(out, def->pair->begin.event);
		else if (def->kind == DEF_RETURN)
			buf_addf(out, "one on the entry (p %s%s%s)", def->place.path ? def->place.path : "", def->place.path ? ":" : "",
				 def->place.symbol);
		else
			buf_adds(out, "the event from which it is measured");
		buf_addf(out, " hist:keys=%s:t=common_timestamp, and of this one hist:keys=%s:%s=common_timestamp-$t", key, key,
			 def->args[i].name);
		return;
	}
}

void translate_notes_print(const struct probe_def *def, struct buf *out)
{
	struct buf rest = { 0 };

	if (def->dialect != DIALECT_KPROBE)
		add_syscall(def, out);
	dialect_print_remarks(def, &rest);
	add_elapsed(def, &rest);
	if (rest.len)
		buf_addf(out, "%s%s", out->len ? "; " : "", buf_str(&rest));
	buf_fini(&rest);
}
