/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - what one run of bprobe is asked for. cli/options.c reads it from the command line.
 */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "gen/limit.h"
#include "gen/who.h"
#include "lang/ast.h"
#include "plan/backend.h"
#include "print/columns.h"
#include "print/preset.h"
#include "print/style.h"
#include "print/timebase.h"

/* Exit statuses; with a COMMAND, failures of bprobe itself are EXIT_COMMAND_OWN. */
enum {
	EXIT_BAD_DEFINITION = 1,
	EXIT_KERNEL = 2,		/* the kernel refused, or lacks something */
	EXIT_USAGE = 64,
	EXIT_COMMAND_OWN = 125,
	EXIT_COMMAND_REFUSED = 126,	/* found, but not executable */
	EXIT_COMMAND_MISSING = 127,
};

struct options;

/* What a verb takes besides names. */
enum verb_takes {
	TAKES_DEFINITIONS = 1 << 0,	/* and what goes with them: files, filters, which tasks and how much */
	TAKES_FILES = 1 << 1,
	TAKES_COMMAND = 1 << 2,
	TAKES_DURATION = 1 << 3,	/* -d */
	TAKES_EVENTS = 1 << 4,		/* -n */
	TAKES_OUTPUT = 1 << 5,		/* -o */
	TAKES_LINES = 1 << 6,		/* what the lines of events look like */
	TAKES_CLOCK = 1 << 7,
	TAKES_KERNEL = 1 << 8,		/* --kallsyms, --btf, --kcore */
	TAKES_ANYTHING = 1 << 9,	/* words and options are not looked at */
};

/* What bprobe can be asked to do: a row of cli/verbs.c. */
struct verb {
	const char *option;		/* with its dashes; NULL: tracing, which has none */
	char letter;			/* the same as a short option; 0: none */
	int (*run)(const struct options *opts);	/* returns the exit status */
	unsigned takes;			/* enum verb_takes */
	unsigned least, most;		/* words that it wants; 0 as @most: any number */
	const char *wants;		/* the usage error for fewer or more */
	bool no_words;
	const char *(*trouble)(const struct options *opts);	/* another usage error of its words; or NULL */
	bool silent;			/* prints nothing that was asked for, but on standard error */
	bool for_people;		/* what it prints is for people only */
	bool attaches;			/* loads programs, so that it may do so to read memory as well */
	bool explains;			/* goes as far as it can without facts of the kernel */
	bool keeps;
};

/* A definition, a file of them (-f), a name of probes, a glob for --functions; in their order. */
struct word {
	const char *text;
	const char *filter;		/* of a definition, by --filter; or NULL */
	bool is_file;
};

struct options {
	const struct verb *verb;
	struct word *words;
	unsigned nr_words;
	char **command;			/* NULL-terminated; NULL: none */
	bool all_tasks;			/* -a: also those that COMMAND did not start */
	struct who who;			/* which tasks */
	bool self;			/* bprobe itself, too */
	struct limit limit;		/* of each definition */
	bool quiet;			/* no header */
	bool disabled;			/* --keep: do not enable */
	const char **kept;		/* what of the above a kept probe is loaded again with, each as one word */
	unsigned nr_kept;
	const char *store;		/* where probes are kept; NULL: STORE_DEFAULT */
	bool raw_strings;
	bool comma_arrays;		/* of --style=function: without braces */
	enum dialect dialect;		/* of the definitions; DIALECT_DETECT: of each what it shows */
	const char *output;		/* the trace.dat that events go into; NULL: they are printed */
	const struct dat_packing *packing;	/* it is of version 7, compressed so; NULL: of version 6 */
	uint64_t rotate;		/* bytes of pages in one file; 0: all */
	bool json;			/* print JSON, not lines of text */
	enum style style;		/* of the lines; STYLE_OWN: that of each definition's dialect */
	struct columns columns;		/* of lines of today */
	const char *columns_by;		/* the option that asked for them last; NULL: none */
	const struct preset *preset;	/* --for; NULL: nobody in particular */
	enum timebase_clock clock;	/* of all times that are printed */
	bool faithful;			/* ra and rp are the trampoline's address */
	bool alias;			/* functions that were renamed, by their names of today */
	bool verbose;
	const struct backend *attach;	/* NULL: the cheapest that can do it */
	bool no_lint;			/* no search for who calls the functions */
	uint64_t duration_ns;		/* 0: no limit */
	uint64_t max_events;		/* 0: no limit */
	uint64_t buffer;		/* bytes per CPU; 0: the default */
	const char *kallsyms, *btf, *kcore;	/* NULL: the running kernel's */
};

#endif
