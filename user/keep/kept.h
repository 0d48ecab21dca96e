/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept.h - what the store knows about a kept event, and its form as text.
 *
 * The text is in a map that is pinned beside the event's programs and rings. A later reader
 * has only this text. It does not resolve the definitions again, so the symbols and types of the
 * kernel at that time are not needed.
 */
#ifndef KEEP_KEPT_H
#define KEEP_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "lang/event_name.h"
#include "plan/count.h"
#include "plan/plan.h"

/*
 * Version of the text and of everything else under the store's directory. Earlier texts can be read, too. What they describe has
 * other rings, so it is not used: see kept_is_current().
 */
enum { KEPT_VERSION = 6, KEPT_OLDEST = 1, KEPT_ABI_OLDEST = 3 };

/* A probe of the event: one program, or two if one program keeps parameters. */
struct kept_probe {
	uint32_t id;			/* bp_rec.probe; unique in the store */
	unsigned line;			/* index of the event's definition that it came from */
	bool has_saver, saver_last;
	bool selects;			/* BPF alone cannot decide its filter */
	const char *module;		/* the module of its function; NULL: the kernel's own, or not known (version 1) */
	uint64_t module_load;		/* modload_id() when the probe was loaded; 0: not known */
	uint64_t file_dev, file_ino;	/* of target.path; 0: no place in a program */
	struct plan plan;		/* only its target, backend and layout */
};

/* A trigger of the event. */
struct kept_trigger {
	unsigned number;		/* of its files in the store; unique in the event's directory */
	const char *text;		/* as it was typed */
	const struct count_table *table;	/* its maps, for a new text; NULL: it is only in a text */
};

struct kept {
	const char *group, *event;
	uint64_t created;		/* CLOCK_MONOTONIC ns */
	const char *version;		/* version of the bprobe that made it */
	unsigned abi;			/* BP_ABI_VERSION of its programs; texts of KEPT_ABI_OLDEST and later are read */
	const char **lines;		/* its definitions, in their listed form */
	const char **sources;		/* each as it was typed, without its filter, for loading it again */
	const char **dialects;		/* ... and its dialect */
	bool *dropped;			/* removed: only its records may still exist; NULL: none (kept_parse() fills in all) */
	unsigned nr_lines;
	const struct kept_trigger *triggers;	/* of all its definitions */
	unsigned nr_triggers;
	bool has_switches;		/* for a new text: what triggers switch is in the maps */
	int tracing_fd, switch_fd;	/* ... of all events, and of this one: struct bp_switch */
	const char **options;		/* other options of the command line, for loading the definitions again */
	unsigned nr_options;
	struct kept_probe *probes;
	unsigned nr_probes;		/* 0: it is a synthetic event of an older bprobe, which only the triggers of a run make */
};

/* Appends the text. */
void kept_print(const struct kept *k, struct buf *out);

/* The same, and reads the text back. -EBADMSG: kept_parse() refuses it, so an event with it could never be listed or removed. */
int kept_write(const struct kept *k, struct buf *out);

/*
 * Reads such a text. *ret and all that it points to are in @arena. -EPROTONOSUPPORT: another version of bprobe wrote it
 * (*ret_by is this version, in @arena, or NULL). -EBADMSG: it is no such text.
 */
int kept_parse(struct arena *arena, const char *group, const char *event, const char *text, struct kept *ret,
	       const char **ret_by);

/* Is it a synthetic event? It has one definition, and no programs: those of other events make it. */
bool kept_is_synthetic(const struct kept *k);

/* Can this bprobe read the records and counters of the event? */
bool kept_is_current(const struct kept *k);

/* Was it kept with --overwrite? */
bool kept_overwrites(const struct kept *k);

/* Is @text written by some version of bprobe? */
bool kept_is_text(const char *text);

/* The state of a definition's module. */
enum kept_module {
	KEPT_MODULE_NONE,		/* the function is the kernel's own, or its module is not known */
	KEPT_MODULE_HERE,
	KEPT_MODULE_MAYBE,		/* version 1: a module of this name is loaded, but maybe it was loaded again */
	KEPT_MODULE_AGAIN,		/* it was unloaded and loaded again: the probe no longer fires */
	KEPT_MODULE_GONE,		/* it is not loaded */
};

/* The state for definition @line; *ret_name is the module's name. */
enum kept_module kept_module(const struct kept *k, unsigned line, const char **ret_name);

/* For a new text: gives the file of a place in a program a name that holds in other processes, too (in @arena). */
void kept_name_file(struct kept_probe *p, struct arena *arena);

/* Is its file still the one that it was kept with? @text is the definition, @at the place in it, for @diag. */
int kept_check_file(const struct kept_probe *p, const char *text, struct span at, struct diag *diag);

/* The stacks of the records of definition @line: bits of enum stack_kind. */
unsigned kept_stacks(const struct kept *k, unsigned line);

/* The number of its definitions that were not removed. */
unsigned kept_count(const struct kept *k);

#endif
