/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_lines.h - the options for the form of output lines.
 */
#ifndef CLI_OPTIONS_LINES_H
#define CLI_OPTIONS_LINES_H

#include "base/diag.h"
#include "cli/options.h"
#include "print/text.h"

struct source;

enum line_option { LINE_FLAGS, LINE_TGID, LINE_TIME, LINE_CLOCK, LINE_FOR, LINE_STYLE, LINE_COLOUR };

/* Takes one of these options; @arg NULL: it was given without a value. -EINVAL with a sentence in @diag. */
int options_line(struct options *o, enum line_option opt, const char *arg, struct diag *diag);

/*
 * Do the verb, --json and --style fit together? -EINVAL with a sentence in @diag. Only today's lines have columns. So if the
 * user asks for columns and for no style, *o gets the style of today's lines.
 */
int options_lines_check(struct options *o, struct diag *diag);

/* The sink that @o asks for. @fd: where lines go. */
const struct sink *options_lines_sink(const struct options *o, int fd);

/* The form of lines for @fd that @o asks for, with symbols of @ks (or NULL). The caller must add the rules of the context. */
struct text options_lines_text(const struct options *o, const struct ksyms *ks, int fd);

/* Prints the one warning of --for to standard error: what the reading program does with the events of @sources. */
void options_lines_warn(const struct options *o, const struct source *sources, unsigned nr);

#endif
