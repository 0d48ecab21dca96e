/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notes.h - what the user should know about accepted definitions.
 */
#ifndef SET_NOTES_H
#define SET_NOTES_H

#include <stdio.h>

struct set;

/* What the user should know about accepted definitions: what has no effect, what waits, and what is probably not meant. */
void notes_print(const struct set *s, FILE *out);

/* Says that the kernel has refused the cheaper backend, and why. */
struct plan;
struct probe_def;
void note_fallback(const struct probe_def *def, const struct plan *plan, FILE *out);

#endif
