/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer.h - the answer to a question about the source, as the text that a child sends to its parent.
 */
#ifndef ELF_DWARF_ANSWER_H
#define ELF_DWARF_ANSWER_H

#include "base/buf.h"
#include "elf/dwarf/lines.h"

void answer_print(const struct lines_answer *a, const struct lines_query *q, struct buf *out);

/* Where the answer at @text ends. NULL: it does not. */
char *answer_end(char *text);

/* What is in @text is not trusted. -EBADMSG: it is no answer to @q; *ret is unchanged. Everything in *ret is in @arena. */
int answer_read(struct arena *arena, const char *text, const struct lines_query *q, struct lines_answer *ret);

#endif
