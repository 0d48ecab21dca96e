/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_output.h - the options for the content of a trace.dat, and sizes.
 */
#ifndef CLI_OPTIONS_OUTPUT_H
#define CLI_OPTIONS_OUTPUT_H

#include "base/diag.h"
#include "cli/options.h"

/* The packing that --compress (@text NULL) or --compress=@text asks for. -EINVAL with a sentence in @diag. */
int options_packing(const char *text, const struct dat_packing **ret, struct diag *diag);

/* Do the verb and the options for lines fit these options? -EINVAL with a sentence in @diag. */
int options_output_check(const struct options *o, struct diag *diag);

#endif
