/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the options of one run of bprobe. cli/options.c reads them from the command line.
 */
#ifndef SET_OPTIONS_H
#define SET_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/report.h"
#include "base/terminal.h"
#include "gen/limit.h"
#include "gen/tasks.h"
#include "lang/ast.h"
#include "lang/trigger.h"
#include "plan/backend.h"
#include "print/columns.h"
#include "print/preset.h"
#include "print/style.h"
#include "print/timebase.h"

struct options;

/* What a verb takes in addition to names. */
enum verb_takes {
	TAKES_DEFINITIONS = 1 << 0,	/* and what belongs to them: files, filters, which tasks and how much */
	TAKES_FILES = 1 << 1,
	TAKES_COMMAND = 1 << 2,
	TAKES_DURATION = 1 << 3,	/* -d */
	TAKES_EVENTS = 1 << 4,		/* -n */
	TAKES_OUTPUT = 1 << 5,		/* -o */
	TAKES_LINES = 1 << 6,		/* the form of the lines of events */
	TAKES_CLOCK = 1 << 7,
	TAKES_KERNEL = 1 << 8,		/* --kallsyms, --btf, --kcore */
	TAKES_WAIT = 1 << 10,		/* --wait */
	TAKES_ANYTHING = 1 << 9,	/* words and options are not checked */
	TAKES_SNAPSHOT = 1 << 11,	/* --snapshot FILE */
	TAKES_SOURCE = 1 << 13,		/* --vmlinux, --source, --no-inline, --inline-chain */
	TAKES_STACK_LINES = 1 << 14,	/* --lines-in-stacks, and --vmlinux for it */
	TAKES_PROCESS = 1 << 12,	/* -p PID, one process: names of programs are those that it has */
};

/* Something bprobe can be asked to do: a row of cli/verbs.c. */
struct verb {
	const char *option;		/* with its dashes; NULL: tracing, which has none */
	/* Its option is also one of tracing. Is this verb meant? NULL: its option is only for this verb. */
	bool (*meant)(const struct options *opts);
	char letter;			/* the same as a short option; 0: none */
	int (*run)(const struct options *opts);	/* returns the exit status */
	unsigned takes;			/* enum verb_takes */
	unsigned least, most;		/* how many words it takes; 0 as @most: any number */
	const char *wants;		/* the usage error for too few or too many words */
	bool no_words;
	const char *(*trouble)(const struct options *opts);	/* checks its words for another usage error; or NULL */
	bool silent;			/* prints nothing on standard output that was asked for */
	bool for_people;		/* what it prints is for people only */
	bool attaches;			/* loads programs anyway, so it may also load one to read memory */
	bool explains;			/* continues without facts of the kernel, as far as possible */
	bool keeps;
	bool takes_synthetic;		/* of kept events, also synthetic ones, which have no probes */
};

/* A definition, a file of definitions (-f), a name of probes, or a glob for --functions. They stay in their order. */
struct word {
	const char *text;
	const char *filter;		/* of a definition, by --filter; or NULL */
	unsigned stacks;		/* of a definition, by -k and -u: bits of enum stack_kind */
	const char **triggers;		/* of a definition, by --trigger */
	unsigned nr_triggers;
	bool is_file;
};

/* The short forms of histograms (set/answers.h). */
struct answers {
	bool wanted;			/* one was given */
	const char *keys;		/* of --count=KEY,... or --by; NULL: the function */
	const char *scale;		/* --histogram FIELD[:STEP]; NULL: none */
	struct { enum hist_modifier how; const char *field; } values[HIST_MAX_VALUES];	/* --sum, --avg, --min, --max */
	unsigned nr_values;
	unsigned count_word;		/* --count without keys: the number of the word behind it */
	const char *count, *by;		/* --count and --by as they were typed; "": --count without keys; NULL: not given */
};

#define OPTIONS_BUFFER_MAX	(1ull << 30)

struct options {
	const struct verb *verb;
	struct word all;		/* of all definitions: options in front of the first one; .text NULL */
	struct word *words;
	unsigned nr_words;
	char **command;			/* NULL-terminated; NULL: none */
	const char **pairs;		/* --pair, in their order */
	unsigned nr_pairs;
	bool all_tasks;			/* -a: also tasks that COMMAND did not start */
	struct tasks tasks;			/* which tasks are traced */
	bool self;			/* bprobe itself is traced, too */
	struct limit limit;		/* applies to each definition */
	bool quiet;			/* no header */
	bool disabled;			/* --keep: do not enable */
	const char **kept;		/* those of the options above that a kept probe is loaded again with, one word each */
	unsigned nr_kept;
	const char *store;		/* where probes are kept; NULL: STORE_DEFAULT */
	bool raw_strings;
	bool comma_arrays;		/* for --style=function: without braces */
	enum dialect dialect;		/* of the definitions; DIALECT_DETECT: decided for each definition */
	const char *output;		/* the trace.dat for the events; NULL: they are printed */
	const struct dat_packing *packing;	/* write version 7 with this compression; NULL: write version 6 */
	uint64_t rotate;		/* bytes of pages in one file; 0: one file for all */
	bool json;			/* print JSON, not lines of text */
	bool lines_in_stacks;		/* print events at the end, with the lines of their stacks' frames */
	bool folded;			/* count stacks, and print them at the end */
	enum style style;		/* of the lines; STYLE_OWN: the style of each definition's dialect */
	enum colour_when colour;
	struct columns columns;		/* for lines of today's style */
	const char *columns_by;		/* the last option that asked for columns, except --time; NULL: none */
	bool time_given;		/* --time was given */
	const struct preset *preset;	/* --for; NULL: not given */
	enum timebase_clock clock;	/* for all printed times */
	bool faithful;			/* ra and rp are the trampoline's address */
	bool enum_names;		/* enumerations by name without :enum */
	bool alias;			/* a function that was renamed may be given by its old name */
	bool verbose;
	const struct backend *attach;	/* NULL: the cheapest backend that can do it */
	bool single;			/* --attach=single: no definitions share a link */
	bool wait;			/* return when the probes are detached */
	bool no_lint;			/* do not search for callers of the functions */
	uint64_t duration_ns;		/* 0: no limit */
	uint64_t max_events;		/* 0: no limit */
	struct answers answers;
	uint64_t top;			/* entries of a histogram that are shown; 0: all */
	uint64_t interval_ns;		/* histograms are printed each time; 0: at the end */
	bool reset;			/* ... and begin at zero then */
	uint64_t hist_memory;		/* bytes of each table that programs count in; 0: the default */
	uint64_t buffer;		/* bytes per CPU, at most OPTIONS_BUFFER_MAX; 0: the default */
	bool overwrites;		/* full rings overwrite their oldest records, and these are not printed */
	const char *snapshot;		/* the file for a snapshot of the rings, or for the first of several; NULL: none */
	bool no_inline;			/* functions of the source without their inlined copies */
	const char *source;		/* --source: the directory of the sources; or NULL */
	bool inline_chain;		/* hits in the source say what is inlined there */
	const char *vmlinux;		/* the file with the kernel's debug information; NULL: it is looked for */
	const char *kallsyms, *btf, *kcore;	/* NULL: those of the running kernel */
};

#endif
