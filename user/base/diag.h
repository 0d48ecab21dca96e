/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diag.h - describes an error: what is wrong, where in the text, and what to do about it.
 *
 * The only way to report errors. A function returns 0 or -errno, and writes the details to its caller's diag, which is always the last
 * argument. report.h prints a diag.
 *
 *	bprobe: unknown register '%zx'
 *	  p:open do_sys_openat2 flags=%zx
 *	                              ^~~
 *	  help: ...
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/buf.h"
#include "base/span.h"

struct diag {
	const char *text;	/* the text that the span is a part of; NULL: no caret; borrowed */
	const char *file;	/* where the text came from, or NULL; borrowed */
	unsigned line;		/* line of @file, from 1 */
	int err;		/* the -errno that was returned */
	struct span at;
	struct buf msg;		/* one sentence, no final full stop */
	struct buf notes;	/* whole lines to print after the caret, each ends with '\n' */
};

/* A diag starts as all zeroes. fini frees its memory and zeroes it. */
void diag_fini(struct diag *d);

/*
 * Records an error and returns @err (a negative errno), so that callers can write 'return diag_at(...)'. A second error
 * replaces the first one and its notes. diag_set is for errors that no part of the text caused.
 */
int diag_at(struct diag *d, int err, struct span at, const char *fmt, ...) PRINTF_LIKE(4, 5);
int diag_set(struct diag *d, int err, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds one line after the caret ("help: ..."); @fmt has no newline. */
void diag_note(struct diag *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Appends the whole report, as shown above, to @out, for a program called @prog. Control characters in all texts are
 * escaped (see escape.h). The caret is below the place as it is displayed.
 */
void diag_format(const struct diag *d, const char *prog, struct buf *out);

#endif
