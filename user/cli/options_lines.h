/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_lines.h - the options that say what a line looks like.
 */
#ifndef CLI_OPTIONS_LINES_H
#define CLI_OPTIONS_LINES_H

#include "base/diag.h"
#include "cli/options.h"
#include "print/text.h"

struct source;

enum line_option { LINE_FLAGS, LINE_TGID, LINE_TIME, LINE_CLOCK, LINE_FOR };

/* Takes one of them. -EINVAL with a sentence in @diag. */
int options_line(struct options *o, enum line_option opt, const char *arg, struct diag *diag);

/*
 * Do they fit each other, the verb, --json and --style? -EINVAL with a sentence in @diag. Who asks for columns asks
 * for lines of today, which are the ones that have them: then *o gets that style.
 */
int options_lines_check(struct options *o, struct diag *diag);

/* What becomes of events as @o says. */
const struct sink *options_lines_sink(const struct options *o);

/* How lines are printed that were asked for so, with symbols of @ks (or NULL); the rules of the context are missing. */
struct text options_lines_text(const struct options *o, const struct ksyms *ks);

/* The one warning of --for, on standard error: what the reader makes of the events of @sources. */
void options_lines_warn(const struct options *o, const struct source *sources, unsigned nr);

#endif
