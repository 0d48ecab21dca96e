/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * order.h - the rows of a report's tables, the largest first.
 */
#ifndef REPORT_ORDER_H
#define REPORT_ORDER_H

#include <stdint.h>

struct report;

/* The numbers of all rows: by their events, equal ones as they came. The caller frees with free(3). */
uint32_t *order_sites(const struct report *r);
uint32_t *order_tasks(const struct report *r);
uint32_t *order_rows(const struct report *r);

/* By the sum of their durations. */
uint32_t *order_latencies(const struct report *r);

#endif
