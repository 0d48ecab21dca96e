// SPDX-License-Identifier: GPL-2.0-only
/*
 * preset.c - programs that read ftrace's text: the columns that each of them accepts, and the events that it cannot read.
 *
 * This comes from their sources; tests/parsers/ lets them read what bprobe prints. If a program accepts lines with and without
 * a column, the column is printed if the program uses it: a TGID joins threads in catapult's and Perfetto's view.
 */
#include "print/preset.h"

#include "base/macros.h"
#include "plan/layout.h"

static bool has_arg(const struct layout *l, const char *name)
{
	for (unsigned i = 0; i < l->nr_fields; i++) {
		if (!strcmp(l->fields[i].name, name))
			return true;
	}
	return false;
}

static bool has_text(const struct layout *l)
{
	for (unsigned i = 0; i < l->nr_fields; i++) {
		if (type_is_dynamic(&l->fields[i].type))
			return true;
	}
	return false;
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

/* Both programs have a table of names, which are names of tracepoints. */
static const char *doubt_known(const struct layout *l)
{
	static const char *const known[] = { "sched_", "cpu_", "irq_", "softirq_", "workqueue_", "binder_" };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strncmp(l->event, known[i], strlen(known[i])))
			return NULL;
	}
	return "shows only events with the names of tracepoints (sched_switch, cpu_idle, ...)";
}

static const char *doubt_trappy(const struct layout *l)
{
	return has_text(l) ? "splits arguments at blanks, so it cuts a string that has one" : NULL;
}

static const char *doubt_tracecompass(const struct layout *l)
{
	return l->nr_fields ? "reads up to the first ')', so it shows no arguments after the place" : NULL;
}

static const char *doubt_perf_tools(const struct layout *l)
{
	return has_arg(l, "arg1") ? NULL : "looks for arg1=, the name that a first argument without a name gets";
}

static const char *doubt_sleepgraph(const struct layout *l)
{
	if (!ends_in(l->event, l->is_return ? "_ret" : "_cal"))
		return "wants events called NAME_cal at a function's entry and NAME_ret at its return";
	return l->is_return && !has_arg(l, "arg1") ? "wants a return's value as arg1: r:NAME_ret SYM $retval" : NULL;
}

static const struct preset presets[] = {
	{ "trace-cmd", { .flags = COLUMN_FLAGS_NONE } },
	{ "traceshark", { .flags = COLUMN_FLAGS_NONE } },
	{ "catapult", { .flags = COLUMN_FLAGS_4, .tgid = true }, doubt_known },
	{ "perfetto", { .flags = COLUMN_FLAGS_4, .tgid = true }, doubt_known },
	{ "trappy", { .flags = COLUMN_FLAGS_4, .tgid = true }, doubt_trappy },
	{ "tracecompass", { .flags = COLUMN_FLAGS_4, .tgid = true }, doubt_tracecompass },
	{ "perf-tools", { .flags = COLUMN_FLAGS_5 }, doubt_perf_tools },
	{ "sleepgraph", { .flags = COLUMN_FLAGS_5 }, doubt_sleepgraph },
};

const struct preset *preset_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		if (!strcmp(presets[i].name, name))
			return &presets[i];
	}
	return NULL;
}

void preset_names(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		buf_adds(out, !i ? "" : i + 1 < ARRAY_SIZE(presets) ? ", " : " or ");
		buf_adds(out, presets[i].name);
	}
}
