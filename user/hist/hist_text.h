/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist_text.h - keys and values of a histogram as people read them, and as JSON.
 */
#ifndef HIST_HIST_TEXT_H
#define HIST_HIST_TEXT_H

#include "hist/histogram.h"

/*
 * Appends the name of the place with this number (plan/place_id.h). False: no probe of @h, and of those that share its table, has it: @n is
 * an address.
 */
bool hist_text_place(const struct histogram *h, const struct hist_key *k, uint64_t n, struct buf *out);

/* The name of a key or a value for a headline: "function" for __probe_ip.sym, "count" for hitcount. */
const char *hist_text_name(const struct hist_expr *e);

/*
 * Appends a key of @e as lines print its type, without control characters: a name where there is one. Of a bucket it is the interval:
 * "(4, 8]".
 */
void hist_text_key(const struct histogram *h, const struct hist_key *k, const struct hist_entry *e, const struct text *t, struct buf *out);

/* The interval of the bucket @n of such a key as hist_text_is_scale() knows. */
void hist_text_bucket(const struct hist_key *k, uint64_t n, struct buf *out);

/*
 * The frames of a key that is a stack, from the traced function on. Returns their number.
 */
unsigned hist_text_frames(const struct histogram *h, const struct hist_key *k, const struct hist_entry *e, uint64_t ret[COUNT_FRAMES + 1]);

/* Appends value @i of @e. */
void hist_text_value(const struct histogram *h, unsigned i, const struct hist_entry *e, struct buf *out);

/* The largest number of the bucket of .buckets that begins with @n. Those at both ends of all numbers may be smaller than the others. */
uint64_t hist_text_bucket_last(const struct hist_value *v, uint64_t n);

/* Is the key one of numbers in buckets, .log2 or .buckets? */
bool hist_text_is_scale(const struct hist_key *k);

/*
 * Appends one line, an object: "event", the names of keys and values with what each entry has, and the totals. @ts: CLOCK_MONOTONIC ns.
 * The first @top entries; 0: all.
 */
void hist_text_json(const struct histogram *h, const struct hist_table *table, const struct text *t, uint64_t ts, size_t top,
		    struct buf *out);

#endif
