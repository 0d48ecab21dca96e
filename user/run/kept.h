/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept.h - what the store knows of a kept event, and its form as text.
 *
 * The text lies in a map that is pinned beside the event's programs and rings. Who reads
 * it later has only that: no definition is resolved again, so the kernel's symbols and types of
 * then do not matter.
 */
#ifndef RUN_KEPT_H
#define RUN_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "plan/plan.h"

/* Of the text and of everything else under the store's directory. What is of version 1 can be used, too. */
enum { KEPT_VERSION = 2, KEPT_OLDEST = 1 };

/* A probe of the event: one program, or two with the one that keeps parameters. */
struct kept_probe {
	uint32_t id;			/* bp_rec.probe; no other in the store has it */
	unsigned line;			/* which of the event's definitions it came from */
	bool has_saver, saver_last;
	bool selects;			/* its filter is not decided in BPF alone */
	const char *module;		/* whose function it is; NULL: the kernel's own, or in version 1 not known */
	uint64_t module_load;		/* modload_id() when it was loaded for that; 0: not known */
	struct plan plan;		/* its target, backend and layout, no more */
};

struct kept {
	const char *group, *event;
	uint64_t created;		/* CLOCK_MONOTONIC ns */
	const char *version;		/* of the bprobe that made it */
	unsigned abi;			/* BP_ABI_VERSION of its programs */
	const char **lines;		/* its definitions, as they are listed */
	const char **sources;		/* each as it was typed, without its filter, for loading it again */
	const char **dialects;		/* ... and in which dialect */
	bool *dropped;			/* removed: only its records may be there; NULL: none was (kept_parse() gives all) */
	unsigned nr_lines;
	const char **options;		/* what else the command line said of them, for loading them again */
	unsigned nr_options;
	struct kept_probe *probes;
	unsigned nr_probes;
};

/* Appends the text. */
void kept_print(const struct kept *k, struct buf *out);

/*
 * Reads such a text; all that *ret holds is in @arena. -EPROTONOSUPPORT: another version of bprobe wrote it (*ret_by is
 * which, in @arena, or NULL); -EBADMSG: it is no such text.
 */
int kept_parse(struct arena *arena, const char *group, const char *event, const char *text, struct kept *ret,
	       const char **ret_by);

/* Is @text one that some version of bprobe has written? */
bool kept_is_text(const char *text);

/* What has become of the module that a definition is in. */
enum kept_module {
	KEPT_MODULE_NONE,		/* it is the kernel's own function, or not known */
	KEPT_MODULE_HERE,
	KEPT_MODULE_MAYBE,		/* there is one of that name, of version 1: maybe it was loaded again */
	KEPT_MODULE_AGAIN,		/* it was unloaded and loaded again: the probe never fires any more */
	KEPT_MODULE_GONE,		/* it is not loaded */
};

/* Of definition @line; *ret_name is the module's name. */
enum kept_module kept_module(const struct kept *k, unsigned line, const char **ret_name);

/* How many of its definitions have not been removed. */
unsigned kept_count(const struct kept *k);

/* Are these two names of one event? What joined it later has its name, too. */
bool kept_same_event(const char *group, const char *event, const char *other_group, const char *other_event);

/* Does @name ("EVENT", "GROUP/EVENT", "GROUP/", all with * ? [] as in file names) mean this event? */
bool kept_name_matches(const char *group, const char *event, const char *name);

#endif
