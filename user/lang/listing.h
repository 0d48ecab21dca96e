/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * listing.h - compares a probe's listing with words that select probes, or with another listing.
 *
 * A listing is the output of def_print(). A filter and a comment may follow it.
 */
#ifndef LANG_LISTING_H
#define LANG_LISTING_H

#include <stdbool.h>

#include "lang/ast.h"

/*
 * Does the listing, behind its head, begin with these words: the place, then arguments? The kernel finds the probes of a '-:'
 * line in this way (6.12, kernel/trace/trace_kprobe.c, trace_kprobe_match_command_head()). No words: any listing matches.
 */
bool listing_begins(const char *listing, const struct match *words, unsigned nr);

/* Are two listings of one event the same probe? Compares the place and all arguments, but not heads and filters. */
bool listing_same(const char *a, const char *b);

/* The words behind the name in "NAME WORD ...", in @arena; *ret_name is NAME. */
struct match *listing_words(struct arena *arena, const char *text, const char **ret_name, unsigned *ret_nr);

#endif
