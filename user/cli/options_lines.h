/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_lines.h - the options for the form of output lines.
 */
#ifndef CLI_OPTIONS_LINES_H
#define CLI_OPTIONS_LINES_H

#include "base/diag.h"
#include "cli/options.h"

enum line_option { LINE_FLAGS, LINE_TGID, LINE_TIME, LINE_CLOCK, LINE_FOR, LINE_STYLE, LINE_COLOUR, LINE_HOST };

/* Takes one of these options; @arg NULL: it was given without a value. -EINVAL with a sentence in @diag. */
int options_line(struct options *o, enum line_option opt, const char *arg, struct diag *diag);

/*
 * Do the verb, the sink and --style fit together? -EINVAL with a sentence in @diag. Only today's lines have columns. So if the
 * user asks for columns and for no style, *o gets the style of today's lines.
 */
int options_lines_check(struct options *o, struct diag *diag);

/* With --host: asks what this machine is called. What *o gets lives in @arena. */
void options_lines_host(struct arena *arena, struct options *o);

#endif
