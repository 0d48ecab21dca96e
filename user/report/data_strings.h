/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * data_strings.h - the texts of a page, each once, in as much room as there is.
 */
#ifndef REPORT_DATA_STRINGS_H
#define REPORT_DATA_STRINGS_H

#include "base/buf.h"
#include "report/strings.h"

struct data_strings {
	const struct strings *names, *texts;
	uint32_t *name_numbers, *text_numbers;	/* on the page, plus 1; 0: not used so far */
	const struct string **all;
	unsigned nr, size;
};

void data_strings_init(struct data_strings *s, const struct strings *names, const struct strings *texts);
void data_strings_fini(struct data_strings *s);

/* The number that a name, or a text, has on the page. */
uint32_t data_strings_name(struct data_strings *s, uint32_t name);
uint32_t data_strings_text(struct data_strings *s, uint32_t text);

/* Appends members: "strings", and "cut", the bytes from which texts are cut so that all are at most @most bytes; 0: none is cut. */
void data_strings_put(const struct data_strings *s, size_t most, struct buf *out);

/* Appends @s as a string of JSON without '<', '>' and '&'. If it has more than @cut bytes, it ends with an ellipsis there. */
void data_put_string(struct buf *out, const char *s, size_t len, size_t cut);

#endif
