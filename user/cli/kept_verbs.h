/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_verbs.h - what can be done to kept probes but reading them. Each returns the exit status.
 */
#ifndef CLI_KEPT_VERBS_H
#define CLI_KEPT_VERBS_H

#include "base/buf.h"
#include "base/diag.h"

struct options;

int kept_enable(const struct options *opts);		/* --enable, --disable */
int kept_clear(const struct options *opts);
int kept_profile(const struct options *opts);
int kept_format(const struct options *opts);

/* Appends the kept probes as they are listed. -errno with @diag; those that can be listed are. */
int kept_list(const struct options *opts, struct buf *out, struct diag *diag);

/* Removes the kept probes called @name ("*": all). Returns how many went, or -errno with @diag. */
int kept_remove(const struct options *opts, const char *name, struct diag *diag);

#endif
