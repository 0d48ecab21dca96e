/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * definitions.h - the definitions of a run: read one after the other, like
 * writes to kprobe_events, but all or nothing.
 */
#ifndef SET_DEFINITIONS_H
#define SET_DEFINITIONS_H

#include "set/set.h"

/* Reads the words of s->opts into s->probes. '-:' lines remove earlier definitions again. */
int definitions_read(struct set *s, struct diag *diag);

/*
 * Adds one more definition to s->probes. If its dialect has no event names, the definition gets a free name. A definition of
 * v13 replaces those that have its name.
 */
void definitions_add(struct set *s, struct probe_def *def);

/* Does its dialect have event names, or was a name typed? Otherwise bprobe made the name, and nobody asked for this name. */
bool definitions_is_named(const struct probe_def *def);

/* Gives @def, whose name bprobe made, its @n-th name (from 2), in @arena. */
void definitions_number(struct arena *arena, struct probe_def *def, unsigned n);

/*
 * A trigger belongs to its event: each definition of the event gets those of the others. To be called once, before anything is
 * resolved.
 */
void definitions_share_triggers(struct set *s);

/*
 * Gives each of s->probes the one dialect that is possible, once the kernel's types are known (set/dialects.c); nothing is
 * resolved yet. -EINVAL: several are possible. With --style=function entries also fetch their caller.
 */
int dialects_settle(struct set *s, struct diag *diag);

/*
 * Finds the functions of all patterns of the set (set/expand.c). If one program cannot serve a pattern, its definition
 * becomes one probe for each function. Needs symbols. 0 or -errno with @diag.
 */
int expand_patterns(struct set *s, struct diag *diag);

/*
 * Probe @i has a function without a symbol. If debug information knows where this function is inlined, the probe is replaced by one
 * for each of these places, each with its plan. False: nothing has changed, but for @diag if debug information knows the function: why it
 * cannot be probed there. That it has no symbol is the smaller part of the truth then.
 */
bool expand_inlined(struct set *s, unsigned i, struct diag *diag);

/*
 * Reads the text of a file, or of standard input ("-"), NUL-terminated, into @out. -EINVAL: it is no text. -E2BIG: a line or
 * the whole text is longer than definitions can be. Otherwise -errno.
 */
int definitions_read_file(const char *path, struct buf *out, struct diag *diag);

/*
 * Several definitions may share an event. They must be of one kind, have the same names and types, and no two may be equal.
 * Needs resolved plans (except for probes that wait).
 */
int definitions_check_events(const struct set *s, struct diag *diag);

/* Carries out a '-:' line: removes the definitions that it means from s->probes. False: it meant none. */
bool definitions_remove(struct set *s, const struct probe_def *removal);

/* Adds the kept synthetic events that triggers of this set make, and that no definition describes. */
int definitions_find_synthetics(struct set *s, struct diag *diag);

#endif
