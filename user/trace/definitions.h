/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * definitions.h - the definitions of a run: read, one after the other, as
 * writes to kprobe_events would be, but all or nothing.
 */
#ifndef TRACE_DEFINITIONS_H
#define TRACE_DEFINITIONS_H

#include "trace/session.h"

/* Reads the words of s->opts into s->probes; '-:' lines take earlier ones out again. */
int definitions_read(struct session *s, struct diag *diag);

/*
 * One more definition of s->probes. Where its dialect has no names of events it gets one that is
 * free; one of v13 takes the place of those that have its name.
 */
void definitions_add(struct session *s, struct probe_def *def);

/* Is it of a dialect that has names of events, or was one typed? Else its name is made, and is nobody's wish. */
bool definitions_is_named(const struct probe_def *def);

/* Gives @def, which nobody named, its @n-th name (from 2): in @arena. */
void definitions_number(struct arena *arena, struct probe_def *def, unsigned n);

/*
 * The text of a file, or of standard input ("-"), NUL-terminated, into @out. -EINVAL where it is no text, -E2BIG where a line
 * or all of it is longer than definitions can be; else -errno.
 */
int definitions_read_file(const char *path, struct buf *out, struct diag *diag);

/*
 * Several definitions may share an event: of one kind, with the same names and
 * types, and not twice the same. Wants resolved plans (of those that do not wait).
 */
int definitions_check_events(const struct session *s, struct diag *diag);

/* A '-:' line: takes those that it means out of s->probes again. False: none was meant. */
bool definitions_remove(struct session *s, const struct probe_def *removal);

#endif
