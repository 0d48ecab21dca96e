// SPDX-License-Identifier: GPL-2.0-only
/*
 * options.c - parses the command line.
 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/cleanup.h"
#include "cli/options_answers.h"
#include "cli/options_lines.h"
#include "cli/options_output.h"
#include "cli/options_read.h"
#include "cli/verbs.h"
#include "lang/dialect.h"
#include "lang/parse.h"
#include "print/schema.h"
#include "run/channel.h"
#include "set/option.h"
#include "set/tasks_option.h"

enum long_option { OPT_RAW_STRINGS = 256, OPT_ARRAYS, OPT_WAIT, OPT_FILTER, OPT_TRIGGER, OPT_DISABLED, OPT_DRY_RUN, OPT_WATCH, OPT_AS, OPT_STORE, OPT_NOT,
		   OPT_COMPRESS, OPT_ROTATE, OPT_SNAPSHOT, OPT_COUNTER, OPT_PAIR, OPT_LINES_IN_STACKS, OPT_SCHEMA, OPT_HTML, OPT_SINCE, OPT_UNTIL, OPT_KEEP_PRIVILEGES,
		   OPT_ANSWER = 800,	/* plus an answer_option */
		   OPT_LINE = 900,	/* plus a line_option */
		   OPT_SINK = 950,	/* plus the number of a row of sinks[] */
		   OPT_SET = 1000,	/* plus the number of a row of set_options[] */
		   OPT_VERB = 2000,	/* plus the number of a verb's row */
};

/* '-:NAME' is a definition, but getopt would take it for options. While getopt works, such words have this character in front. */
#define NOT_AN_OPTION	'\001'

static const char *unmark(const char *word)
{
	return word && *word == NOT_AN_OPTION ? word + 1 : word;
}

static int usage(const char *fmt, ...) PRINTF_LIKE(1, 2);

static int usage(const char *fmt, ...)
{
	va_list ap;

	fputs("bprobe: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("\nTry 'bprobe --help'.\n", stderr);
	return EXIT_USAGE;
}

static int parse_seconds(const char *text, uint64_t *ret)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s > 0) || s > 1e9)
		return usage("-d wants a number of seconds above 0, not '%s'", text);
	*ret = (uint64_t)(s * 1e9 + 0.5);
	if (!*ret)
		*ret = 1;
	return 0;
}

static int parse_count(const char *text, uint64_t *ret)
{
	uint64_t n;

	if (number_u64(text, strlen(text), 10, &n) || !n)
		return usage("-n wants a number of events above 0, not '%s'", text);
	*ret = n;
	return 0;
}

/* Whose option is it? That of the definition before it, or in front of the first one of all. NULL: of a file, which has none. */
static struct word *owner_of(struct options *o)
{
	struct word *word = o->nr_words ? &o->words[o->nr_words - 1] : &o->all;

	return word->is_file ? NULL : word;
}

static int take_filter(struct options *o, const char *text)
{
	struct word *word = owner_of(o);

	if (!word)
		return usage("--filter belongs to the definition before it, and there is none; in a file write: DEFINITION if "
			     "EXPRESSION");
	if (word->filter)
		return usage("%s%s%s a --filter already: join the two with && or ||", word->text ? "'" : "", word->text ? word->text :
			     "all definitions have", word->text ? "' has" : "");
	word->filter = text;
	return 0;
}

static int take_stack(struct options *o, enum stack_kind kind)
{
	struct word *word = owner_of(o);

	if (!word)
		return usage("%s belongs to the definition before it, and there is none", kind == STACK_KERNEL ? "--kernel-stack"
			     : "--user-stack");
	word->stacks |= 1u << kind;
	return 0;
}

static void add_trigger(struct arena *arena, struct word *word, const char *text)
{
	word->triggers = arena_grow(arena, word->triggers, word->nr_triggers, &word->size_triggers);
	word->triggers[word->nr_triggers++] = text;
}

/* A definition can have several triggers. */
static int take_trigger(struct arena *arena, struct options *o, const char *text)
{
	struct word *word = owner_of(o);

	if (word)
		add_trigger(arena, word, text);
	return word ? 0 : usage("--trigger belongs to the definition before it, and there is none");
}

/* Gives each definition what was said of all. */
static int share(struct arena *arena, struct options *o)
{
	const struct word *all = &o->all;

	if (o->verb->takes & TAKES_RECORDED)	/* a filter of all is one beside those of files and names */
		return all->stacks || all->nr_triggers ? usage("%s is for definitions", all->stacks ? "-k or -u" : "--trigger") : 0;
	if (!all->filter && !all->stacks && !all->nr_triggers)
		return 0;
	if (!o->nr_words)
		return usage("%s is for definitions, and there is none", all->filter ? "--filter" : all->stacks ? "-k or -u" : "--trigger");
	for (unsigned i = 0; i < o->nr_words; i++) {
		struct word *word = &o->words[i];

		if (word->is_file)
			return usage("%s in front of all definitions is not for those of a file", all->filter ? "--filter" : all->stacks ?
				     "-k or -u" : "--trigger");
		if (all->filter && word->filter)
			return usage("'%s' has a --filter of its own beside that of all definitions: join the two with &&", word->text);
		word->filter = word->filter ? word->filter : all->filter;
		word->stacks |= all->stacks;
		for (unsigned n = 0; n < all->nr_triggers; n++)
			add_trigger(arena, word, all->triggers[n]);
	}
	return 0;
}

/* Reports a usage error that another file has found. */
static int told(int err, struct diag *diag)
{
	int status = err ? usage("%s", buf_str(&diag->msg)) : 0;

	diag_fini(diag);
	return status;
}

static int set_verb(struct options *o, const struct verb *verb)
{
	/* --help and --version win over all other verbs. */
	if (o->verb->takes & TAKES_ANYTHING)
		return 0;
	if (o->verb->option && o->verb != verb && !(verb->takes & TAKES_ANYTHING))
		return usage("%s and %s cannot be done at the same time", o->verb->option, verb->option);
	o->verb = verb;
	o->behind_verb = true;
	return 0;
}

static void add_word(struct options *o, struct word word)
{
	word.behind_verb = o->behind_verb;
	o->behind_verb = false;
	o->words[o->nr_words++] = word;
}

/* An option of tracing means another verb if the words are not definitions. */
static void settle_verb(struct options *o)
{
	for (unsigned i = 0; o->verb == verbs && i < nr_verbs; i++) {
		if (verbs[i].meant && verbs[i].meant(o))
			o->verb = &verbs[i];
	}
}

/* Options without a value. */
static bool *flag_of(struct options *o, int opt)
{
	switch (opt) {
	case 'a':
		return &o->all_tasks;
	case 'q':
		return &o->lines.quiet;
	case OPT_WATCH:
		return &o->keep.watch;
	case OPT_DRY_RUN:
		return &o->keep.dry_run;
	case OPT_DISABLED:
		return &o->keep.disabled;
	case OPT_WAIT:
		return &o->run.wait;
	case OPT_RAW_STRINGS:
		return &o->lines.raw_strings;
	case OPT_HTML:
		return &o->report_html;
	case OPT_KEEP_PRIVILEGES:
		return &o->keep_privileges;
	case OPT_LINES_IN_STACKS:
		return &o->lines.lines_in_stacks;
	default:
		return NULL;
	}
}

/* Options whose value is stored as it is. */
static const char **text_of(struct options *o, int opt)
{
	switch (opt) {
	case OPT_STORE:
		return &o->keep.store;
	case 'o':
		return &o->record.output;
	case OPT_SNAPSHOT:
		return &o->record.snapshot;
	default:
		return NULL;
	}
}

static int take_line(struct options *o, enum line_option opt, const char *arg)
{
	struct diag diag = { 0 };

	return told(options_line(o, opt, arg, &diag), &diag);
}

static int take_schema(struct options *o, const char *arg)
{
	struct buf names = { 0 };

	o->keep.schema = schema_find(arg);
	if (o->keep.schema)
		return 0;
	schema_names(&names);
	usage("--schema wants a database's language (%s), not '%s'", buf_str(&names), arg);
	buf_fini(&names);
	return EXIT_USAGE;
}

/* Options for what is printed, and how much. */
static int take_form(struct options *o, int opt, const char *arg)
{
	struct diag diag = { 0 };

	switch (opt) {
	case OPT_AS:
		o->keep.as_apply = !strcmp(arg, "apply");
		return o->keep.as_apply ? 0 : usage("--as wants apply, not '%s'", arg);
	case OPT_SCHEMA:
		return take_schema(o, arg);
	case OPT_ARRAYS:
		return style_find_arrays(arg, &o->lines.comma_arrays) ? 0 : usage("--arrays wants braces or commas, not '%s'", arg);
	case OPT_SINCE:
	case OPT_UNTIL:
		return told(options_moment(o, opt == OPT_UNTIL, arg, &diag), &diag);
	case OPT_COMPRESS:
		return told(options_packing(arg, &o->record.packing, &diag), &diag);
	case OPT_COUNTER:
		o->record.counters[o->record.nr_counters++] = arg;
		return 0;
	case OPT_ROTATE:
		return told(number_size("--rotate", arg, 1ull << 50, "1048576G", &o->record.rotate, &diag), &diag);
	default:
		return 0;
	}
}

/* Does the option mean this row if it has @arg behind its '=' (NULL: nothing)? */
static bool is_sink(const struct sink *sink, const char *name, const char *arg)
{
	const char *value = sink->option->value;

	return !strcmp(sink->option->name, name) && (arg && value ? !strcmp(arg, value) : arg == value);
}

/* --NAME=ARG; @arg NULL: without a value. */
static int take_sink(struct options *o, const char *name, const char *arg)
{
	const struct sink *sink = NULL;
	const struct sink_option *two[2];
	struct buf values = { 0 };
	unsigned nr = 0;

	for (unsigned i = 0; sinks[i]; i++) {
		if (is_sink(sinks[i], name, arg))
			sink = sinks[i];
		else if (!strcmp(sinks[i]->option->name, name) && sinks[i]->option->value)
			buf_addf(&values, "%s=%s", values.len ? " or " : "", sinks[i]->option->value);
	}
	if (!sink)
		usage("--%s takes %s behind it, or nothing, but not '=%s'", name, buf_str(&values), arg);
	buf_fini(&values);
	if (!sink)
		return EXIT_USAGE;
	if (!o->lines.sink || o->lines.sink == sink) {
		o->lines.sink = sink;
		return 0;
	}
	for (unsigned i = 0; sinks[i]; i++) {
		if (sinks[i] == sink || sinks[i] == o->lines.sink)
			two[nr++] = sinks[i]->option;
	}
	if (!strcmp(two[0]->name, two[1]->name))
		return usage("--%s is given twice, in two forms: give one of them", name);
	return usage("--%s %s, and --%s %s: give one of them", two[0]->name, two[0]->does, two[1]->name, two[1]->does);
}

static int take_answer(struct options *o, enum answer_option opt, const char *arg)
{
	struct diag diag = { 0 };

	if (opt == ANSWER_TOP && options_top_is_live(arg)) {
		opt = ANSWER_LIVE;
		add_word(o, (struct word){ .text = arg });
	}
	return told(options_answer(o, opt, arg, &diag), &diag);
}

static int take_option(struct arena *arena, struct options *o, int opt, const char *arg)
{
	const char **text = text_of(o, opt);
	bool *flag = flag_of(o, opt);

	if (opt >= OPT_VERB || verb_of_letter(opt))
		return set_verb(o, opt >= OPT_VERB ? &verbs[opt - OPT_VERB] : verb_of_letter(opt));
	if (opt >= OPT_ANSWER && opt < OPT_LINE)
		return take_answer(o, (enum answer_option)(opt - OPT_ANSWER), arg);
	if (opt >= OPT_SINK)
		return take_sink(o, sinks[opt - OPT_SINK]->option->name, arg);
	if (opt >= OPT_LINE)
		return take_line(o, (enum line_option)(opt - OPT_LINE), arg);
	if (flag) {
		*flag = true;
		return 0;
	}
	if (text) {
		*text = arg;
		return 0;
	}
	switch (opt) {
	case 1:
		add_word(o, (struct word){ .text = arg });
		return 0;
	case 'f':
		add_word(o, (struct word){ .text = arg, .is_file = true });
		return 0;
	case 'd':
		return parse_seconds(arg, &o->run.duration_ns);
	case 'n':
		return parse_count(arg, &o->run.max_events);
	case OPT_FILTER:
		return take_filter(o, arg);
	case 'k':
		return take_stack(o, STACK_KERNEL);
	case 'u':
		return take_stack(o, STACK_USER);
	case OPT_PAIR:
		o->set.pairs[o->set.nr_pairs++] = arg;
		return 0;
	case OPT_TRIGGER:
		return take_trigger(arena, o, arg);
	default:
		return take_form(o, opt, arg);
	}
}

static int check_words(const struct options *o)
{
	const struct verb *v = o->verb;
	const char *trouble = v->trouble ? v->trouble(o) : NULL;

	if (trouble)
		return usage("%s", trouble);
	if (v->no_words && o->nr_words)
		return usage("unexpected argument '%s'", o->words[0].text);
	return o->nr_words < v->least || (v->most && o->nr_words > v->most) ? usage("%s", v->wants) : 0;
}

/* A snapshot of this run is of rings that overwrite. */
static int check_overwriting(struct options *o)
{
	unsigned takes = o->verb->takes;

	if (o->set.overwrites && !(takes & TAKES_DEFINITIONS))
		return usage("--overwrite is for definitions: for tracing and --keep");
	if (o->record.snapshot && !(takes & TAKES_SNAPSHOT))
		return usage("--snapshot is for tracing and for names of kept probes, not for %s", o->verb->option);
	if (o->record.snapshot && takes & TAKES_DEFINITIONS)
		o->set.overwrites = true;
	if (o->set.overwrites && o->run.max_events)
		return usage("-n ends after the first events, and --overwrite and --snapshot keep the last ones: give one of them");
	return 0;
}

/* Is a process given, and nothing else that chooses tasks? */
static bool names_process(const struct options *o)
{
	struct tasks others = o->set.tasks;

	others.conditions[TASKS_PID][0].nr = 0;
	return o->set.tasks.conditions[TASKS_PID][0].nr == 1 && tasks_is_all(&others) && !o->set.self && !limit_is_set(&o->set.limit);
}

static int check(struct options *o)
{
	unsigned takes = o->verb->takes;
	bool defines = takes & TAKES_DEFINITIONS;
	struct diag diag = { 0 };
	int err;

	if (takes & TAKES_ANYTHING)
		return 0;
	err = check_words(o);
	if (err)
		return err;
	if (o->command && o->verb->keeps)
		return usage("kept probes are for all tasks, so --keep takes no COMMAND");
	err = told(tasks_exist(takes & TAKES_RECORDED || !(defines || takes & TAKES_PROCESS) ? NULL : &o->set.tasks, &diag), &diag);
	if (!err)
		err = told(options_read_check(o, &diag), &diag);
	if (err)
		return err;
	if (!defines && !(takes & TAKES_RECORDED) && !((takes & TAKES_PROCESS) && names_process(o)) &&
	    (!tasks_is_all(&o->set.tasks) || o->set.self || limit_is_set(&o->set.limit)))
		return usage(takes & TAKES_PROCESS ? "%s takes one process (-p PID) and no other option that chooses tasks or limits hits"
						   : "options that choose tasks or limit hits are for definitions only", o->verb->option);
	if (o->command && !o->all_tasks && tasks_lists_pids(&o->set.tasks))
		return usage("COMMAND has none of these pids; add -a to trace tasks that it did not start");
	if (o->command && !(takes & TAKES_COMMAND))
		return usage("a COMMAND is for tracing only");
	if (o->set.nr_pairs && (!defines || o->verb->keeps))
		return usage("--pair is for tracing: both events belong to the run");
	if (o->set.nr_pairs > CHANNEL_PAIRS)
		return usage("--pair can be given %d times", CHANNEL_PAIRS);
	if (o->keep.disabled && !o->verb->keeps)
		return usage("--disabled is for --keep");
	if ((o->keep.dry_run || o->keep.watch) && !(takes & TAKES_APPLY))
		return usage("%s is for --apply", o->keep.dry_run ? "--dry-run" : "--watch");
	if (o->keep.dry_run && o->keep.watch)
		return usage("--dry-run does nothing, so there is nothing to watch for");
	if (o->keep.as_apply && !(takes & TAKES_AS))
		return usage("--as is for --list");
	if (o->run.wait && !(takes & TAKES_WAIT))
		return usage("--wait is for tracing and -r");
	if (o->keep_privileges && !(takes & TAKES_PRIVILEGES))
		return usage("--keep-privileges is for tracing, --pipe, --apply, --read and --report");
	if (o->run.duration_ns && !(takes & TAKES_DURATION))
		return usage("-d is for tracing and --pipe");
	if (o->run.max_events && !(takes & TAKES_EVENTS))
		return usage("-n is for tracing, --pipe, --read and --report");
	if (o->report_html && !(takes & TAKES_REPORT))
		return usage("--html is for --report");
	err = check_overwriting(o);
	if (err)
		return err;
	err = told(options_output_check(o, &diag), &diag);
	if (err)
		return err;
	if ((o->set.machine.kallsyms || o->set.machine.btf || o->set.machine.kcore) && !(takes & TAKES_KERNEL))
		return usage("--kallsyms, --btf and --kcore are for definitions and lists of places");
	if (o->set.machine.vmlinux && !(takes & TAKES_SOURCE) && !(takes & TAKES_STACK_LINES && o->lines.lines_in_stacks))
		return usage("--vmlinux is for definitions, --lines, --vars and --lines-in-stacks");
	if ((o->set.machine.source || o->set.no_inline || o->set.inline_chain) && !(takes & TAKES_SOURCE))
		return usage("--source, --no-inline and --inline-chain are for definitions, --lines and --vars");
	for (unsigned i = 0; !(takes & TAKES_FILES) && i < o->nr_words; i++) {
		if (o->words[i].filter && !(takes & TAKES_RECORDED))
			return usage("--filter is for definitions");
		if (o->words[i].stacks)
			return usage("-k and -u are for definitions");
		if (o->words[i].nr_triggers)
			return usage("--trigger is for definitions");
		if (o->words[i].is_file)
			return usage("%s takes names, not a file", o->verb->option);
	}
	err = told(options_answers_check(o, &diag), &diag);
	return err ? err : told(options_lines_check(o, &diag), &diag);
}

/* The options for verbs are added behind these. */
static const struct option longs[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "duration", required_argument, NULL, 'd' },
	{ "file", required_argument, NULL, 'f' },
	{ "events", required_argument, NULL, 'n' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "since", required_argument, NULL, OPT_SINCE },
	{ "until", required_argument, NULL, OPT_UNTIL },
	{ "disabled", no_argument, NULL, OPT_DISABLED },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "watch", no_argument, NULL, OPT_WATCH },
	{ "as", required_argument, NULL, OPT_AS },
	{ "store", required_argument, NULL, OPT_STORE },
	{ "snapshot", required_argument, NULL, OPT_SNAPSHOT },
	{ "raw-strings", no_argument, NULL, OPT_RAW_STRINGS },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "kernel-stack", no_argument, NULL, 'k' },
	{ "user-stack", no_argument, NULL, 'u' },
	{ "pair", required_argument, NULL, OPT_PAIR },
	{ "trigger", required_argument, NULL, OPT_TRIGGER },
	{ "count", optional_argument, NULL, OPT_ANSWER + ANSWER_COUNT },
	{ "histogram", required_argument, NULL, OPT_ANSWER + ANSWER_HISTOGRAM },
	{ "sum", required_argument, NULL, OPT_ANSWER + ANSWER_SUM },
	{ "avg", required_argument, NULL, OPT_ANSWER + ANSWER_AVG },
	{ "min", required_argument, NULL, OPT_ANSWER + ANSWER_MIN },
	{ "max", required_argument, NULL, OPT_ANSWER + ANSWER_MAX },
	{ "by", required_argument, NULL, OPT_ANSWER + ANSWER_BY },
	{ "top", required_argument, NULL, OPT_ANSWER + ANSWER_TOP },
	{ "interval", required_argument, NULL, OPT_ANSWER + ANSWER_INTERVAL },
	{ "reset", no_argument, NULL, OPT_ANSWER + ANSWER_RESET },
	{ "live", no_argument, NULL, OPT_ANSWER + ANSWER_LIVE },
	{ "style", required_argument, NULL, OPT_LINE + LINE_STYLE },
	{ "color", optional_argument, NULL, OPT_LINE + LINE_COLOUR },
	{ "output", required_argument, NULL, 'o' },
	{ "compress", optional_argument, NULL, OPT_COMPRESS },
	{ "rotate", required_argument, NULL, OPT_ROTATE },
	{ "counter", required_argument, NULL, OPT_COUNTER },
	{ "arrays", required_argument, NULL, OPT_ARRAYS },
	{ "lines-in-stacks", no_argument, NULL, OPT_LINES_IN_STACKS },
	{ "html", no_argument, NULL, OPT_HTML },
	{ "flags", required_argument, NULL, OPT_LINE + LINE_FLAGS },
	{ "tgid", no_argument, NULL, OPT_LINE + LINE_TGID },
	{ "time", required_argument, NULL, OPT_LINE + LINE_TIME },
	{ "clock", required_argument, NULL, OPT_LINE + LINE_CLOCK },
	{ "for", required_argument, NULL, OPT_LINE + LINE_FOR },
	{ "schema", required_argument, NULL, OPT_SCHEMA },
	{ "host", optional_argument, NULL, OPT_LINE + LINE_HOST },
	{ "wait", no_argument, NULL, OPT_WAIT },
	{ "keep-privileges", no_argument, NULL, OPT_KEEP_PRIVILEGES },
	{ "not", no_argument, NULL, OPT_NOT },
};

static size_t most_options(void)
{
	size_t nr_sinks = 0;

	while (sinks[nr_sinks])
		nr_sinks++;
	return ARRAY_SIZE(longs) + nr_sinks + nr_set_options + nr_verbs;
}

/* Rows with one name are one option. */
static void add_sink(struct option *all, unsigned *nr, unsigned row)
{
	const struct sink_option *option = sinks[row]->option;

	for (unsigned i = 0; i < *nr; i++) {
		if (!strcmp(all[i].name, option->name)) {
			all[i].has_arg = optional_argument;
			return;
		}
	}
	all[(*nr)++] = (struct option){ option->name, option->value ? optional_argument : no_argument, NULL, OPT_SINK + (int)row };
}

/* All options, in the form for getopt_long(3). */
static const struct option *all_options(struct arena *arena)
{
	struct option *all = arena_array(arena, struct option, most_options() + 1);
	unsigned nr = ARRAY_SIZE(longs);

	memcpy(all, longs, sizeof(longs));
	for (unsigned i = 0; sinks[i]; i++)
		add_sink(all, &nr, i);
	for (unsigned i = 0; i < nr_set_options; i++)
		all[nr++] = (struct option){ set_options[i].name, set_options[i].has_arg, NULL, OPT_SET + (int)i };
	for (unsigned i = 0; i < nr_verbs; i++) {
		if (verbs[i].option && !verbs[i].meant)
			all[nr++] = (struct option){ verbs[i].option + 2, no_argument, NULL, OPT_VERB + (int)i };
	}
	return all;
}

/* The option of the set that getopt has found; NULL: it is another one. */
static const struct set_option *set_option_of(int opt)
{
	for (unsigned i = 0; i < nr_set_options; i++) {
		if (opt == OPT_SET + (int)i || (set_options[i].letter && opt == set_options[i].letter))
			return &set_options[i];
	}
	return NULL;
}

/* @inverted: --not stands in front of it. */
static int take_one(struct arena *arena, struct options *o, int opt, const char *arg, bool inverted)
{
	const struct set_option *of_set = set_option_of(opt);
	struct diag diag = { 0 };

	if (inverted && !(of_set && of_set->selects))
		return usage("write --not before the option that it inverts: --not --comm sh");
	if (opt == OPT_NOT)
		o->keep.words[o->keep.nr_words++] = SET_OPTION_NOT;
	else if (!of_set)
		return take_option(arena, o, opt, arg);
	else if (of_set->kept)
		o->keep.words[o->keep.nr_words++] = set_option_word(of_set, arena, arg);
	return of_set ? told(set_option_take(of_set, arena, &o->set, inverted, arg, &diag), &diag) : 0;
}

/* getopt has already printed what is wrong with @word. This adds the nearest option, if there is one. */
static int refuse_option(struct arena *arena, const struct option *options, const char *word)
{
	const char **names = arena_array(arena, const char *, most_options()), *name, *nearest;
	bool known = strncmp(word, "--", 2);
	size_t nr = 0;

	name = known ? "" : arena_strndup(arena, word + 2, strcspn(word + 2, "="));
	for (; options[nr].name; nr++) {
		names[nr] = options[nr].name;
		known = known || !strncmp(names[nr], name, strlen(name));
	}
	nearest = known ? NULL : spell_nearest(name, names, nr);
	if (nearest)
		fprintf(stderr, "help: did you mean --%s?\n", nearest);
	fputs("Try 'bprobe --help'.\n", stderr);
	return EXIT_USAGE;
}

int options_parse(struct arena *arena, int argc, char **argv, struct options *ret)
{
	char **args = arena_array(arena, char *, (size_t)argc + 1);
	const struct option *options = all_options(arena);
	struct options o = { .verb = verbs, .words = arena_array(arena, struct word, (size_t)argc),
			     .keep.words = arena_array(arena, const char *, (size_t)argc),
			     .set.pairs = arena_array(arena, const char *, (size_t)argc),
			     .record.counters = arena_array(arena, const char *, (size_t)argc),
			     .set.dialect = DIALECT_DETECT };
	bool command = false, inverted = false;
	int opt, err = 0;

	for (int i = 0; i < argc; i++) {
		command = command || !strcmp(argv[i], "--");
		args[i] = !command && !strncmp(argv[i], "-:", 2)
			  ? arena_printf(arena, "%c%s", NOT_AN_OPTION, argv[i]) : argv[i];
	}
	/* The leading '-' lets words and options mix, and returns them in their order. */
	while (!err && (opt = getopt_long(argc, args, "-ad:f:kn:o:p:quvlrhV", options, NULL)) != -1) {
		if (opt == '?')
			return refuse_option(arena, options, args[optind - 1]);
		err = take_one(arena, &o, opt, unmark(optarg), inverted);
		inverted = opt == OPT_NOT;
	}
	if (err)
		return err;
	if (inverted)
		return usage("--not wants an option after it, which it inverts: --not --comm sh");
	if (optind < argc)
		o.command = argv + optind;
	else if (command)
		return usage("'--' wants a COMMAND after it");
	settle_verb(&o);
	o.set.callers = o.lines.style == STYLE_FUNCTION;
	err = share(arena, &o);
	if (!err)
		err = check(&o);
	if (!err)
		options_lines_host(arena, &o);
	if (!err)
		*ret = o;
	return err;
}
