/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * later.h - events that are printed only at the end, since the lines of their stacks are looked for then (--lines-in-stacks).
 *
 * Debug information takes a second to read, and a stack may come at any hit. So nothing is looked for while events come: they wait in
 * a file without a name, with what is known of their programs now.
 */
#ifndef PRINT_LATER_H
#define PRINT_LATER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"
#include "print/frames.h"
#include "print/sink.h"

struct later;

struct later_asker {
	/* Fills in the lines of those of @frames that were not asked for yet. Called once for all events that wait. */
	void (*ask)(void *ctx, const struct text *t, struct frames *frames);
	void (*free)(void *ctx);	/* NULL: nothing is to be freed */
};

/*
 * @sink, which must have ->prints, prints the events in the end. What *ret points to is ->later of a struct text, and text_fini() frees
 * it, and with it @ctx. The layouts of events must live until they are printed. -errno with @diag: there is no place for the file; @ctx is freed.
 */
int later_open(const struct sink *sink, const struct later_asker *asker, void *ctx, struct later **ret, struct diag *diag);
void later_close(struct later *l);	/* NULL is fine */

/* The sink that keeps events until its ->end; @l is what it writes to (its @to). It lives as long as @l. */
const struct sink *later_sink(const struct later *l);

/* What was found. A printer asks stack.h for it. */
struct frames *later_frames(const struct later *l);

#endif
