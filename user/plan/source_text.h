/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source_text.h - the text of a source file's lines.
 */
#ifndef PLAN_SOURCE_TEXT_H
#define PLAN_SOURCE_TEXT_H

#include <stdbool.h>

#include "base/arena.h"

struct source_text {
	const char *path;		/* of the file that was read */
	const char **lines;		/* without their ends; line 1 is lines[0] */
	unsigned nr;
};

/*
 * Reads the file that the compiler had as @path. @dir: a directory with the sources, in which the file has the same path from some
 * '/' on; NULL: the file is where the compiler had it. Everything in *ret is in @arena. A negative errno: it cannot be read.
 */
int source_text_read(struct arena *arena, const char *path, const char *dir, struct source_text *ret);

/* Does the line match the pattern, if the blanks of both are left out? As perf probe's lazy patterns: all of the line. */
bool source_text_matches(struct arena *arena, const char *line, const char *pattern);

#endif
