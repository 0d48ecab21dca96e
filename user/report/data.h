/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * data.h - a report as JSON, for the page's script. page/data.js says what its members are.
 *
 * It is one line of ASCII and UTF-8 without '<', '>' and '&', so nothing in it ends the element that it stands in.
 */
#ifndef REPORT_DATA_H
#define REPORT_DATA_H

#include <stddef.h>

#include "base/buf.h"

struct report;

/* Appends at most @most bytes: texts are cut where they must be. What is not text is always less than 21 million bytes. */
void data_put(struct report *r, size_t most, struct buf *out);

/* Appends @text as HTML shows it. */
void data_put_html(struct buf *out, const char *text, size_t len);

#endif
