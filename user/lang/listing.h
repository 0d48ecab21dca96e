/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * listing.h - a probe as it is listed, against what is asked of it.
 *
 * A listing is what def_print() prints, and may have a filter and a comment behind.
 */
#ifndef LANG_LISTING_H
#define LANG_LISTING_H

#include <stdbool.h>

#include "lang/ast.h"

/*
 * Does it begin with these words, behind its head: the place, then arguments? So the kernel finds the probe that a '-:' line
 * means (6.12, kernel/trace/trace_kprobe.c, trace_kprobe_match_command_head()). No words: any does.
 */
bool listing_begins(const char *listing, const struct match *words, unsigned nr);

/* Are two of one event the same probe: the place and all arguments, whatever their heads and filters? */
bool listing_same(const char *a, const char *b);

/* The words behind the name in "NAME WORD ...", in @arena; *ret_name is NAME. */
struct match *listing_words(struct arena *arena, const char *text, const char **ret_name, unsigned *ret_nr);

#endif
