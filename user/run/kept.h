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

/* Of the text and of everything else under the store's directory. */
enum { KEPT_VERSION = 1 };

/* A probe of the event: one program, or two with the one that keeps parameters. */
struct kept_probe {
	uint32_t id;			/* bp_rec.probe; no other in the store has it */
	unsigned line;			/* which of the event's definitions it came from */
	bool has_saver, saver_last;
	bool selects;			/* its filter is not decided in BPF alone */
	struct plan plan;		/* its target, backend and layout, no more */
};

struct kept {
	const char *group, *event;
	uint64_t created;		/* CLOCK_MONOTONIC ns */
	const char *version;		/* of the bprobe that made it */
	const char **lines;		/* its definitions, as they are listed */
	const char **sources;		/* each as it was typed, without its filter, for loading it again */
	const char **dialects;		/* ... and in which dialect */
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

/* Does @name ("EVENT", "GROUP/EVENT", "GROUP/", all with * ? [] as in file names) mean this event? */
bool kept_name_matches(const char *group, const char *event, const char *name);

#endif
