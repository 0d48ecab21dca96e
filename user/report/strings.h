/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * strings.h - texts, each once, by their numbers.
 */
#ifndef REPORT_STRINGS_H
#define REPORT_STRINGS_H

#include "base/arena.h"
#include "report/index.h"

struct string {
	const char *text;		/* ends with a NUL */
	uint32_t len;
};

/* Starts as all zeroes. */
struct strings {
	struct arena arena;
	struct index index;
	struct string *all;
	unsigned nr, size;
	uint64_t bytes;			/* of all texts */
};

void strings_fini(struct strings *s);

/* The number of this text, of which a copy is made if it is new. If memory runs out, the process ends. */
uint32_t strings_add(struct strings *s, const char *text, size_t len);

/* The same; INDEX_NONE: there is no such text. */
uint32_t strings_find(const struct strings *s, const char *text, size_t len);

#endif
