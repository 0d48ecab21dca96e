/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site.h - the place of a hit as a row: its event and its function.
 */
#ifndef REPORT_SITE_H
#define REPORT_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct layout_field;
struct report;
struct text;

/*
 * The number of its row, which is made if it is new. REPORT_ROWS: there is no room for another one. *ret_elapsed: the field with the duration;
 * NULL: none.
 */
uint32_t report_site_of(struct report *r, const struct text *t, const struct event *ev, const struct layout_field **ret_elapsed);

/* The number of a name, without what could be a command to a terminal. INDEX_NONE: it is new, and may not be. */
uint32_t report_name(struct report *r, const char *text, size_t len, bool may_be_new);

#endif
