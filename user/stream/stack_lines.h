/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack_lines.h - --lines-in-stacks: looks for the lines of stacks' frames when the tracing is over.
 */
#ifndef STREAM_STACK_LINES_H
#define STREAM_STACK_LINES_H

#include "base/diag.h"
#include "elf/builds.h"

struct options;
struct stream;

/* What a recording says of the builds that ran. What it points to must live until text_fini(). */
struct stack_builds {
	const struct builds *builds;
	const char *release;		/* of the kernel; NULL: not known */
};

/*
 * To be called when ->sink and ->text of @s are set. If @o wants lines in stacks, events wait from now on until stream_end(), which
 * looks for the lines. @of: the builds are those of a recording; NULL: of what runs now. -errno with @diag.
 */
int stack_lines_open(const struct options *o, const struct stack_builds *of, struct stream *s, struct diag *diag);

#endif
