/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign.h - recognizes text that is not a definition: the syntax of another tracer,
 * a function name alone, a line of a source file. Only used to improve an error message.
 */
#ifndef LANG_FOREIGN_H
#define LANG_FOREIGN_H

#include "lang/parse.h"

/*
 * @head is the first word of @p->text, and does not begin a definition. If the text is recognized, sets @p->diag with advice on
 * what to type, and returns the error. 0: it is not recognized.
 */
int foreign_refuse(struct parse *p, struct span head);

/* @head is a whole definition: "t:sched:sched_switch", "p:c:malloc". If it is another tracer's, acts as above. */
int foreign_refuse_lonely(struct parse *p, struct span head);

/* True if no word behind @head can be a function to probe: only what another tracer does at each hit may follow. */
bool foreign_is_alone(const struct parse *p, struct span head);

/* Is @at a line of a source file, "read_write.c:460", or of a function, "vfs_read:5"? Then acts as above; 0: it is neither. */
int foreign_refuse_line(struct parse *p, struct span at);

/* Does it end as the name of a source file does? */
bool foreign_is_source_file(const struct parse *p, struct span at);

/* Is @at a line of a source file, as above? */
bool foreign_is_line(const struct parse *p, struct span at);

#endif
