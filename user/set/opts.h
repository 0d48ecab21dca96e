/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * opts.h - what a set of definitions is made with. Each host fills it in: from the command line, or from what was kept.
 */
#ifndef SET_OPTS_H
#define SET_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/limit.h"
#include "gen/tasks.h"
#include "lang/ast.h"
#include "lang/trigger.h"
#include "plan/backend.h"

/* Where a definition stands, for errors. */
struct origin {
	const char *file;		/* NULL: on the command line */
	unsigned line;
};

/* A definition, a file of definitions (-f), a name of probes, or a glob for --functions. They stay in their order. */
struct word {
	const char *text;
	const char *filter;		/* of a definition, by --filter; or NULL */
	unsigned stacks;		/* of a definition, by -k and -u: bits of enum stack_kind */
	const char **triggers;		/* of a definition, by --trigger */
	unsigned nr_triggers, size_triggers;
	bool is_file;
	bool behind_verb;		/* it stands right behind an option that is a verb */
	struct origin from;		/* of a definition */
};

/* The short forms of histograms (set/answers.h). */
struct answers {
	bool wanted;			/* one was given, or --live */
	bool live;			/* --live: of each definition one by keys (the names of tasks), and by $elapsed if it has that */
	const char *keys;		/* of --count=KEY,... or --by; NULL: the function */
	const char *scale;		/* --histogram FIELD[:STEP]; NULL: none */
	struct { enum hist_modifier how; const char *field; } values[HIST_MAX_VALUES];	/* --sum, --avg, --min, --max */
	unsigned nr_values;
	unsigned count_word;		/* --count without keys: the number of the word behind it */
	const char *count, *by;		/* --count and --by as they were typed; "": --count without keys; NULL: not given */
};

/* Where the facts about the kernel and about sources are read. */
struct machine_opts {
	const char *kallsyms, *btf, *kcore;	/* NULL: those of the running kernel */
	const char *vmlinux;		/* the file with the kernel's debug information; NULL: it is looked for */
	const char *source;		/* --source: the directory of the sources; or NULL */
};

struct set_opts {
	struct machine_opts machine;

	/* What definitions mean. */
	enum dialect dialect;		/* DIALECT_DETECT: decided for each definition */
	bool alias;			/* a function that was renamed may be given by its old name */
	bool enum_names;		/* enumerations by name without :enum */
	bool faithful;			/* ra and rp are the trampoline's address */
	bool callers;			/* entries also fetch their caller */
	bool no_inline;			/* functions of the source without their inlined copies */
	bool containers;		/* each definition has a field with the cgroup of the task */
	bool inline_chain;		/* hits in the source say what is inlined there */
	const char **pairs;		/* --pair, in their order */
	unsigned nr_pairs;
	struct answers answers;

	/* Which hits count. */
	struct tasks tasks;		/* which tasks are traced */
	bool self;			/* bprobe itself is traced, too */
	struct limit limit;		/* applies to each definition */

	/* How they are attached and recorded. */
	const struct backend *attach;	/* NULL: the cheapest backend that can do it */
	bool single;			/* --attach=single: no definitions share a link */
	bool overwrites;		/* full rings overwrite their oldest records, and these are not printed */
	uint64_t buffer;		/* bytes per CPU, at most SET_BUFFER_MAX; 0: the default */
	uint64_t hist_memory;		/* bytes of each table that programs count in; 0: the default */

	/* What is said about them. */
	bool no_lint;			/* do not search for callers of the functions */
	bool verbose;
};

#define SET_BUFFER_MAX	(1ull << 30)

#endif
