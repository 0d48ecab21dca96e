/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the options of one run of bprobe. cli/options.c reads them from the command line. set/ never sees them: it gets its own
 * part.
 */
#ifndef STREAM_OPTIONS_H
#define STREAM_OPTIONS_H

#include "base/arena.h"
#include "base/report.h"
#include "base/terminal.h"
#include "print/columns.h"
#include "print/preset.h"
#include "print/sink.h"
#include "print/style.h"
#include "print/timebase.h"
#include "set/opts.h"

struct options;
struct schema;

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
	TAKES_WAIT = 1 << 9,		/* --wait */
	TAKES_ANYTHING = 1 << 10,	/* words and options are not checked */
	TAKES_SNAPSHOT = 1 << 11,	/* --snapshot FILE */
	TAKES_SOURCE = 1 << 12,		/* --vmlinux, --source, --no-inline, --inline-chain */
	TAKES_STACK_LINES = 1 << 13,	/* --lines-in-stacks, and --vmlinux for it */
	TAKES_APPLY = 1 << 14,		/* --dry-run */
	TAKES_METRICS = 1 << 15,	/* -o for any file, and --top */
	TAKES_AS = 1 << 16,		/* --as=FORM */
	TAKES_CONVERSION = 1 << 18,	/* -o for a file that can be made of another one */
	TAKES_REPORT = 1 << 19,		/* --html, -o for any file, and --top */
	TAKES_PROCESS = 1 << 17,	/* -p PID, one process: names of programs are those that it has */
	TAKES_PRIVILEGES = 1 << 21,	/* --keep-privileges */
	TAKES_RECORDED = 1 << 20,	/* what chooses among recorded events: filters, --pid, --tid, --comm, --since, --until */
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
	bool explains;			/* continues without facts of the kernel, as far as possible */
	bool keeps;
	bool takes_synthetic;		/* of kept events, also synthetic ones, which have no probes */
};

/* The form of the lines of events. */
struct lines_opts {
	bool quiet;			/* no header */
	bool raw_strings;
	bool comma_arrays;		/* for --style=function: without braces */
	const struct sink *sink;	/* what an option of its own asks for (sinks[]); NULL: lines of text */
	bool lines_in_stacks;		/* print events at the end, with the lines of their stacks' frames */
	enum style style;		/* STYLE_OWN: the style of each definition's dialect */
	enum colour_when colour;
	struct columns columns;		/* for lines of today's style */
	const char *columns_by;		/* the last option that asked for columns, except --time; NULL: none */
	bool time_given;		/* --time was given */
	const struct preset *preset;	/* --for; NULL: not given */
	enum timebase_clock clock;	/* for all printed times */
	bool names_host;		/* --host: objects say which machine they are from */
	const char *host;		/* ... its name; NULL: the one that it has */
	const struct sender *sender;	/* the same, as it is printed; NULL: they do not say it */
};

/* Files that events are written to. */
struct record_opts {
	const char *output;		/* the file for the events, whose kind its name says (record.h); NULL: they are printed */
	const struct dat_packing *packing;	/* write version 7 with this compression; NULL: write version 6 */
	uint64_t rotate;		/* bytes of pages in one file; 0: one file for all */
	const char **counters;		/* fields that are counters (timeline/counters.h) */
	unsigned nr_counters;
	const char *snapshot;		/* the file for a snapshot of the rings, or for the first of several; NULL: none */
};

/* Events that stay. */
struct keep_opts {
	const char *store;		/* where they are kept; NULL: STORE_DEFAULT */
	bool disabled;			/* do not enable them */
	bool watch;			/* --apply: again whenever a file changes */
	bool as_apply;			/* -l: in the form of files for --apply */
	const struct schema *schema;	/* --schema: the language of the tables; NULL: not given */
	bool dry_run;			/* --apply: only say what would be done */
	bool replaces;			/* a kept event of the same name is replaced, not joined */
	const char **words;		/* the options that they are loaded again with, one word each (set/option.h) */
	unsigned nr_words;
};

/* A limit of time for recorded events. */
struct moment {
	bool given;
	bool relative;			/* it counts from the first event */
	uint64_t ns;			/* it belongs to the range */
};

/* How long a run goes on, and what it shows while it does. */
struct run_opts {
	uint64_t duration_ns;		/* 0: no limit */
	uint64_t max_events;		/* 0: no limit */
	bool wait;			/* return when the probes are detached */
	uint64_t top;			/* entries of a histogram that are shown; 0: all */
	uint64_t interval_ns;		/* histograms are printed each time; 0: at the end */
	bool reset;			/* ... and begin at zero then */
	struct moment since, until;	/* recorded events outside are not shown */
};

struct options {
	const struct verb *verb;
	struct word all;		/* of all definitions: options in front of the first one; .text NULL */
	struct word *words;
	unsigned nr_words;
	bool behind_verb;		/* while the command line is read: its last option was a verb */
	char **command;			/* NULL-terminated; NULL: none */
	bool report_html;		/* --report: a page */
	bool keep_privileges;		/* --keep-privileges: none is given up when the probes are attached */
	bool all_tasks;			/* -a: also tasks that COMMAND did not start; -r --all */
	struct set_opts set;
	struct lines_opts lines;
	struct record_opts record;
	struct keep_opts keep;
	struct run_opts run;
};

#endif
