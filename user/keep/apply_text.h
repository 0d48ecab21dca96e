/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apply_text.h - the form of files for --apply: definitions, and indented lines with what belongs to them.
 *
 *	# who opens what
 *	p:open do_sys_openat2 filename=+0($arg2):string
 *	r:opened do_sys_openat2 $retval
 *		filter common_pid != 1
 *		rate 100/s
 *		only kernel 5.15-
 *
 * A block is one definition or several lines of them, and the indented lines below. A blank line ends the list of definitions.
 */
#ifndef KEEP_APPLY_TEXT_H
#define KEEP_APPLY_TEXT_H

#include "base/arena.h"
#include "base/diag.h"

struct apply_line {
	const char *text;		/* without blanks at its end */
	unsigned line;			/* in its file, from 1 */
};

/* An indented line. */
struct apply_setting {
	struct apply_line from;
	const char *name, *value;	/* its first word, and what is behind it; value "": nothing */
	struct span name_at, value_at;	/* in from.text */
};

struct apply_block {
	struct apply_line *definitions;
	unsigned nr_definitions, size_definitions;
	struct apply_setting *settings;
	unsigned nr_settings, size_settings;
};

/*
 * Splits a file's text into blocks. All of *ret is in @arena. -EINVAL with the caret in @diag, whose ->line is set: an indented line has no
 * definition above it.
 */
int apply_text_parse(struct arena *arena, const char *text, struct apply_block **ret, unsigned *ret_nr, struct diag *diag);

/* Which kernels are meant: "5.15", "5.15-", "-6.1", "5.15-6.1"; both ends are meant, too. Releases as in release_running(). */
struct apply_range {
	unsigned from, to;
};

/* -EINVAL: it is no such range, or it is empty. */
int apply_range_parse(const char *text, struct apply_range *ret);

#endif
