/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist_sort.h - the order in which the entries of a histogram are shown.
 */
#ifndef HIST_HIST_SORT_H
#define HIST_HIST_SORT_H

#include "hist/histogram.h"

/* A key of @e that is a number. */
uint64_t hist_key_number(const struct hist_entry *e, const struct hist_key *k);

/*
 * The entries of @table in the order of @h's sort=; those that are equal in it in the order of their keys. The caller frees the list, but
 * not the entries.
 */
struct hist_entry **hist_sort(const struct histogram *h, const struct hist_table *table, size_t *ret_nr);

#endif
