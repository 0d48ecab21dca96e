/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_output.h - the options that say what goes into a trace.dat, and sizes.
 */
#ifndef CLI_OPTIONS_OUTPUT_H
#define CLI_OPTIONS_OUTPUT_H

#include "base/diag.h"
#include "cli/options.h"

/*
 * Bytes, also as 256K, 4M or 1G; at most @max, which is @most as text. @option: what wants them. -EINVAL with a sentence
 * in @diag.
 */
int options_size(const char *option, const char *text, uint64_t max, const char *most, uint64_t *ret, struct diag *diag);

/* What --compress (@text NULL) or --compress=@text means. -EINVAL with a sentence in @diag. */
int options_packing(const char *text, const struct dat_packing **ret, struct diag *diag);

/* Do they fit each other, the verb and what is for lines? -EINVAL with a sentence in @diag. */
int options_output_check(const struct options *o, struct diag *diag);

#endif
