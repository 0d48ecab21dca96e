/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_verbs.h - what can be done to kept probes but reading them. Each returns the exit status.
 */
#ifndef CLI_KEPT_VERBS_H
#define CLI_KEPT_VERBS_H

#include "base/buf.h"
#include "base/diag.h"

struct match;
struct options;

/* The probes that are to go: by name ("EVENT", "GROUP/EVENT", "GROUP/", patterns; "*": all), and by what they are. */
struct removal {
	const char *name;
	const struct match *words;	/* their place and arguments begin so; see listing_begins() */
	unsigned nr_words;
};

int kept_profile(const struct options *opts);
int kept_format(const struct options *opts);

/* Appends the kept probes as they are listed. -errno with @diag; those that can be listed are. */
int kept_list(const struct options *opts, struct buf *out, struct diag *diag);

/*
 * Removes kept probes. Returns how many went, or -errno with @diag: -EPROTONOSUPPORT where a pattern names what bprobe did
 * not make, which stays.
 */
int kept_remove(const struct options *opts, const struct removal *which, struct diag *diag);

#endif
