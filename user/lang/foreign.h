/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign.h - what a text is that is no definition: another tracer's words, a bare
 * function, a line of a source file. Only to help with an error.
 */
#ifndef LANG_FOREIGN_H
#define LANG_FOREIGN_H

#include "lang/parse.h"

/*
 * The first word of @p->text, @head, does not begin a definition. If it is known for what it is, sets @p->diag with what to
 * type, and returns its error; 0: it is not.
 */
int foreign_refuse(struct parse *p, struct span head);

/* Does nothing follow @head that could be a function to probe: only what another tracer does at each hit? */
bool foreign_is_alone(const struct parse *p, struct span head);

/* Is @at a line of a source file, "read_write.c:460", or of a function, "vfs_read:5"? Then as above; 0: no. */
int foreign_refuse_line(struct parse *p, struct span at);

#endif
