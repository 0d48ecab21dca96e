/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_read.h - the options that choose among recorded events.
 */
#ifndef CLI_OPTIONS_READ_H
#define CLI_OPTIONS_READ_H

#include "stream/options.h"

/* --since or --until (@until). -EINVAL with a sentence in @diag. */
int options_moment(struct options *o, bool until, const char *arg, struct diag *diag);

/*
 * Checks --since, --until, and the options that choose tasks for --read. -EINVAL with a sentence in @diag: the verb does not take one of
 * them, or a recording does not know what it asks for.
 */
int options_read_check(const struct options *o, struct diag *diag);

#endif
