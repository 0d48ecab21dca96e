// SPDX-License-Identifier: GPL-2.0-only
/*
 * options_answers.c - the options for histograms.
 */
#include "cli/options_answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/options_output.h"

static int add_value(struct options *o, const char *option, enum hist_modifier how, const char *field, struct diag *diag)
{
	struct answers *a = &o->set.answers;

	if (a->nr_values == ARRAY_SIZE(a->values))
		return diag_set(diag, -EINVAL, "%s %s is one value too many: a histogram has at most %zu besides the count", option, field,
				ARRAY_SIZE(a->values));
	a->values[a->nr_values].how = how;
	a->values[a->nr_values++].field = field;
	return 0;
}

static int parse_top(struct options *o, const char *arg, struct diag *diag)
{
	if (number_u64(arg, strlen(arg), 10, &o->run.top) || !o->run.top)
		return diag_set(diag, -EINVAL, "--top wants a number of entries above 0, or a definition (the same as --live), not '%s'", arg);
	return 0;
}

bool options_top_is_live(const char *arg)
{
	return strpbrk(arg, " \t:(");
}

/* A time with a unit; without one in seconds. */
static int parse_interval(const char *arg, uint64_t *ret, struct diag *diag)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "", 1e9 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
	};
	char *unit;
	double n = strtod(arg, &unit);

	for (size_t i = 0; unit != arg && i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].unit) || !(n * units[i].ns >= 1e6) || n * units[i].ns > 1e18)
			continue;
		*ret = (uint64_t)(n * units[i].ns);
		return 0;
	}
	return diag_set(diag, -EINVAL, "--interval wants a time from 1ms on, such as 1s, 500ms or 5m, not '%s'", arg);
}

int options_answer(struct options *o, enum answer_option opt, const char *arg, struct diag *diag)
{
	struct answers *a = &o->set.answers;

	switch (opt) {
	case ANSWER_COUNT:
		a->count = arg ? arg : "";
		a->count_word = o->nr_words;
		return 0;
	case ANSWER_HISTOGRAM:
		if (a->scale)
			return diag_set(diag, -EINVAL, "--histogram %s: there is --histogram %s already", arg, a->scale);
		a->scale = arg;
		return 0;
	case ANSWER_SUM:
		return add_value(o, "--sum", HIST_PLAIN, arg, diag);
	case ANSWER_AVG:
		return add_value(o, "--avg", HIST_AVG, arg, diag);
	case ANSWER_MIN:
		return add_value(o, "--min", HIST_MIN, arg, diag);
	case ANSWER_MAX:
		return add_value(o, "--max", HIST_MAX, arg, diag);
	case ANSWER_BY:
		a->by = arg;
		return 0;
	case ANSWER_TOP:
		return parse_top(o, arg, diag);
	case ANSWER_LIVE:
		a->live = true;
		return 0;
	case ANSWER_INTERVAL:
		return parse_interval(arg, &o->run.interval_ns, diag);
	default:
		o->run.reset = true;
		return 0;
	}
}

static bool has_trigger(const struct options *o)
{
	for (unsigned i = 0; i < o->nr_words; i++) {
		if (o->words[i].nr_triggers)
			return true;
	}
	return false;
}

static bool has_stacks(const struct options *o)
{
	bool stacks = o->all.stacks;

	for (unsigned i = 0; i < o->nr_words; i++)
		stacks |= o->words[i].stacks != 0;
	return stacks;
}

/* The live view has histograms of its own, and shows nothing else. */
static int check_live(const struct options *o, struct diag *diag)
{
	const struct answers *a = &o->set.answers;

	if (!a->live)
		return 0;
	if (o->verb->option && !o->verb->explains)
		return diag_set(diag, -EINVAL, "--live is for tracing, not for %s", o->verb->option);
	if (a->count || a->scale || a->nr_values || has_trigger(o))
		return diag_set(diag, -EINVAL, "--live has counts of its own: leave out --count, --histogram, --sum, --avg, --min, --max and --trigger");
	if (o->record.output || o->record.snapshot || o->set.overwrites || o->run.max_events)
		return diag_set(diag, -EINVAL, "--live takes no events, so -o, -n, --overwrite and --snapshot have no use");
	if (o->run.reset)
		return diag_set(diag, -EINVAL, "--reset is not needed: --live shows each interval for itself");
	if (has_stacks(o))
		return diag_set(diag, -EINVAL, "-k and -u are for events, and --live shows none");
	if (o->lines.columns_by || o->lines.time_given || o->lines.raw_strings || o->lines.style != STYLE_OWN || o->lines.lines_in_stacks ||
	    o->lines.clock != TIMEBASE_MONO)
		return diag_set(diag, -EINVAL, "--live has a table of its own: options for the lines of events, and --clock, have no use");
	if (o->lines.sink && !o->lines.sink->objects)
		return diag_set(diag, -EINVAL, "--live has figures of events: --%s prints the events", o->lines.sink->option->name);
	return 0;
}

int options_answers_check(struct options *o, struct diag *diag)
{
	struct answers *a = &o->set.answers;
	int err = check_live(o, diag);

	if (err)
		return err;
	a->wanted = a->live || a->count || a->scale || a->nr_values;
	a->keys = a->by ? a->by : a->count && *a->count ? a->count : NULL;
	if (a->by && a->count && *a->count)
		return diag_set(diag, -EINVAL, "--count=%s and --by %s both name keys: give one list", a->count, a->by);
	if (a->scale && (a->nr_values || (a->count && *a->count)))
		return diag_set(diag, -EINVAL, "--histogram has no other values, and its keys are named by --by");
	if (a->by && !a->wanted)
		return diag_set(diag, -EINVAL, "--by goes with --count, --histogram, --sum, --avg, --min or --max");
	if (a->wanted && has_trigger(o))
		return diag_set(diag, -EINVAL, "--trigger and --count, --histogram, --sum, --avg, --min or --max cannot be given together");
	if ((o->run.top || o->run.interval_ns) && !a->wanted && !has_trigger(o) && !(o->run.top && o->verb->takes & (TAKES_METRICS | TAKES_REPORT)))
		return diag_set(diag, -EINVAL, "%s is for histograms: --count, --histogram, --sum, --avg, --min, --max or --trigger",
				o->run.top ? "--top" : "--interval");
	if (o->run.reset && !o->run.interval_ns)
		return diag_set(diag, -EINVAL, "--reset goes with --interval");
	if (a->wanted && !o->verb->explains && (o->verb->option || o->record.output))
		return diag_set(diag, -EINVAL, "--count, --histogram, --sum, --avg, --min and --max are for tracing to standard output");
	return 0;
}
