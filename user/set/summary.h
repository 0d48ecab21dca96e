/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.h - the counters of the probes, printed to standard error at the end.
 */
#ifndef SET_SUMMARY_H
#define SET_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

struct layout;
struct set;
struct triggers;

/*
 * Prints what each probe of @s counted, one line each, and the sum if there are several probes. @triggers: those of the run, with what was
 * counted until the last reading; NULL: there are none.
 */
void summary_print(struct set *s, const struct triggers *triggers, FILE *out);

/*
 * Prints advice about losses: the smallest --buffer in which the lost records would have had room, if each CPU has one of
 * @ring_size bytes now and the lost records have @lost_bytes. So the same hits would all have been recorded. @kept: the kept event
 * whose buffer it is; NULL: the buffer of a run.
 */
void summary_advise_buffer(uint64_t ring_size, uint64_t lost_bytes, const char *kept, FILE *out);

/* Bytes of this number of records in a ring. */
uint64_t summary_bytes(const struct layout *l, uint64_t records);

#endif
