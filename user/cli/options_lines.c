// SPDX-License-Identifier: GPL-2.0-only
/*
 * options_lines.c - the options for the form of output lines.
 */
#include "cli/options_lines.h"

#include <errno.h>
#include <unistd.h>

#include "cli/standard.h"
#include "plan/layout.h"
#include "print/sender.h"
#include "stream/lines.h"
#include "stream/record.h"
#include "stream/stream.h"

/* @names appends the words that @option takes. */
static int refuse_name(struct diag *diag, const char *option, void (*names)(struct buf *out), const char *arg)
{
	struct buf text = { 0 };

	names(&text);
	diag_set(diag, -EINVAL, "%s wants %s, not '%s'", option, buf_str(&text), arg);
	buf_fini(&text);
	return -EINVAL;
}

static int take_preset(struct options *o, const char *arg, struct diag *diag)
{
	const struct preset *preset = preset_find(arg);

	if (!preset)
		return refuse_name(diag, "--for", preset_names, arg);
	o->lines.preset = preset;
	o->lines.columns = preset->columns;
	return 0;
}

static int take_style(struct options *o, const char *arg, struct diag *diag)
{
	return style_find(arg, &o->lines.style) ? 0 : refuse_name(diag, "--style", style_names, arg);
}

/* Without a value it means always, as in GNU's programs. It takes effect at once, so errors in later options are coloured. */
static int take_colour(struct options *o, const char *arg, struct diag *diag)
{
	if (!colour_find(arg ? arg : "always", &o->lines.colour))
		return diag_set(diag, -EINVAL, "--color wants auto, always or never, not '%s'", arg);
	standard_colour(o->lines.colour);
	return 0;
}

/* A name that is the same text in each form of an object. */
static int check_host(const char *name, struct diag *diag)
{
	if (!*name)
		return diag_set(diag, -EINVAL, "--host= wants a name behind it; without '=' it is this machine's name");
	for (const char *at = name; *at; at++) {
		if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 0x7f || strchr("\"\\", *at))
			return diag_set(diag, -EINVAL, "--host wants a name of printable ASCII characters without blanks and quotes");
	}
	return 0;
}

int options_line(struct options *o, enum line_option opt, const char *arg, struct diag *diag)
{
	static const char *const names[] = {
		[LINE_FLAGS] = "--flags", [LINE_TGID] = "--tgid", [LINE_FOR] = "--for",
	};

	switch (opt) {
	case LINE_CLOCK:
		return timebase_find(arg, &o->lines.clock) ? 0 :
		       diag_set(diag, -EINVAL, "--clock wants mono, boot, tai or real, not '%s'", arg);
	case LINE_STYLE:
		return take_style(o, arg, diag);
	case LINE_COLOUR:
		return take_colour(o, arg, diag);
	case LINE_HOST:
		o->lines.names_host = true;
		o->lines.host = arg;
		return arg ? check_host(arg, diag) : 0;
	case LINE_TIME:
		o->lines.time_given = true;
		return columns_find_time(arg, &o->lines.columns.ns) ? 0 :
		       diag_set(diag, -EINVAL, "--time wants us or ns, not '%s'", arg);
	default:
		break;
	}
	o->lines.columns_by = names[opt];
	switch (opt) {
	case LINE_FLAGS:
		return columns_find_flags(arg, &o->lines.columns.flags) ? 0 :
		       diag_set(diag, -EINVAL, "--flags wants 5, 4 or none, not '%s'", arg);
	case LINE_FOR:
		return take_preset(o, arg, diag);
	default:
		o->lines.columns.tgid = true;
		return 0;
	}
}

/* The option that asked for something that only some lines have; NULL: none. */
static const char *columns_by(const struct options *o)
{
	return o->lines.columns_by ? o->lines.columns_by : o->lines.time_given ? "--time" : NULL;
}

/* The style does not take @option; others do. */
static int refuse(struct diag *diag, const char *option, enum style_takes takes, const char *why)
{
	struct buf names = { 0 };

	style_names_taking(takes, &names);
	diag_set(diag, -EINVAL, "%s is for the style%s %s: %s", option, strchr(buf_str(&names), ' ') ? "s" : "", buf_str(&names), why);
	buf_fini(&names);
	return -EINVAL;
}

/* Do the options for lines have a meaning for the style? */
static int check_style(const struct options *o, struct diag *diag)
{
	unsigned takes = style_takes(o->lines.style);

	if (o->lines.columns_by && !(takes & STYLE_TAKES_COLUMNS))
		return refuse(diag, o->lines.columns_by, STYLE_TAKES_COLUMNS, "other styles have columns of their own");
	if (o->lines.time_given && !(takes & STYLE_TAKES_TIME))
		return refuse(diag, "--time", STYLE_TAKES_TIME, "in other styles the time has a fixed form");
	if (o->lines.clock != TIMEBASE_MONO && !(takes & STYLE_TAKES_CLOCK))
		return diag_set(diag, -EINVAL, "--clock is not for this style: its times count from the start");
	if (o->lines.raw_strings && !(takes & STYLE_TAKES_RAW_STRINGS))
		return diag_set(diag, -EINVAL, "--raw-strings is not for this style: its lines are for people");
	return 0;
}

/* The field is for definitions; its names are for objects. */
static int check_containers(const struct options *o, struct diag *diag)
{
	bool defines = o->verb->takes & TAKES_DEFINITIONS, prints = o->verb->takes & TAKES_LINES;

	if (!o->set.containers)
		return 0;
	if (!defines && !(prints && o->verb->takes & TAKES_DURATION))
		return diag_set(diag, -EINVAL, "--containers is for tracing, --keep and --pipe");
	if (prints && !o->record.output && !(o->lines.sink && o->lines.sink->objects))
		return diag_set(diag, -EINVAL, "--containers is for objects: give --json, too");
	return 0;
}

static int check_stack_lines(const struct options *o, struct diag *diag)
{
	if (!o->lines.lines_in_stacks)
		return 0;
	if (!(o->verb->takes & TAKES_STACK_LINES))
		return diag_set(diag, -EINVAL, "--lines-in-stacks is for tracing, --trace and --read");
	if (o->lines.sink && o->lines.sink->reform)
		return diag_set(diag, -EINVAL, "--lines-in-stacks is not for --%s=%s, which has no place for the lines of a frame",
				o->lines.sink->option->name, o->lines.sink->option->value);
	if (o->record.output || o->record.snapshot)
		return diag_set(diag, -EINVAL, "--lines-in-stacks is for events that are printed: give it to --read, which prints what %s has recorded",
				o->record.output ? "-o" : "--snapshot FILE.dat");
	return 0;
}

/* Does it write a file that names a clock as ftrace does? */
static bool writes_dat(const struct options *o)
{
	const struct record_kind *file = o->record.output ? record_kind_of(o->record.output) : NULL, *snapshot = lines_snapshot_kind(o);

	return (file && !(file->takes & RECORD_ANY_CLOCK)) || (snapshot && !(snapshot->takes & RECORD_ANY_CLOCK));
}

int options_lines_check(struct options *o, struct diag *diag)
{
	bool prints = o->verb->takes & TAKES_LINES;
	const struct sink_option *sink = o->lines.sink ? o->lines.sink->option : NULL;
	const char *by = columns_by(o);
	int err;

	if (sink && !prints)
		return diag_set(diag, -EINVAL, "--%s is for tracing, --trace, --pipe and --read", sink->name);
	if (sink && (o->lines.raw_strings || o->lines.style != STYLE_OWN))
		return diag_set(diag, -EINVAL, "--style and --raw-strings are for lines of text, not for --%s", sink->name);
	if (sink && (by || (o->lines.clock != TIMEBASE_MONO && !sink->takes_clock)))
		return diag_set(diag, -EINVAL, "%s is for %s", by ? by : "--clock", sink->no_columns);
	if (o->lines.names_host && !(sink && o->lines.sink->gap))
		return diag_set(diag, -EINVAL, "--host is for objects: give --json, too");
	if ((by || o->lines.clock != TIMEBASE_MONO) && !prints)
		return diag_set(diag, -EINVAL, "%s is for tracing, --trace, --pipe and --read", by ? by : "--clock");
	if (o->lines.clock != TIMEBASE_MONO && !(o->verb->takes & TAKES_CLOCK))
		return diag_set(diag, -EINVAL, "--clock is for recording: the times in a trace.dat are of the clock that it names");
	if (o->lines.clock == TIMEBASE_REAL && writes_dat(o))
		return diag_set(diag, -EINVAL, "--clock=real is not for -o: a trace.dat names a clock of ftrace, such as tai");
	err = check_containers(o, diag);
	if (!err)
		err = check_stack_lines(o, diag);
	if (!err)
		err = check_style(o, diag);
	if (!err && by && o->lines.style == STYLE_OWN)
		o->lines.style = STYLE_KPROBE;
	return err;
}

void options_lines_host(struct arena *arena, struct options *o)
{
	struct sender *sender;

	if (!o->lines.names_host)
		return;
	sender = arena_new(arena, struct sender);
	*sender = sender_here(arena, o->lines.host);
	o->lines.sender = sender;
}
