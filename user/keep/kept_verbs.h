/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_verbs.h - the verbs for kept probes, except reading. Each returns the exit status.
 */
#ifndef KEEP_KEPT_VERBS_H
#define KEEP_KEPT_VERBS_H

#include "base/buf.h"
#include "base/diag.h"

struct match;
struct options;

/* Which probes to remove: by name ("EVENT", "GROUP/EVENT", "GROUP/", patterns; "*": all), and by their definition. */
struct removal {
	const char *name;
	const struct match *words;	/* the place and the arguments begin with these words; see listing_begins() */
	unsigned nr_words;
	const char *const *also;	/* names of events that the same command removes, too */
	unsigned nr_also;
};

int kept_profile(const struct options *opts);
int kept_format(const struct options *opts);

/* --schema: prints a table for each. */
int kept_schema(const struct options *opts);

/* Appends the listing of the kept probes. -errno with @diag; even then the listing has all probes that can be listed. */
int kept_list(const struct options *opts, struct buf *out, struct diag *diag);

/*
 * Removes kept probes. Returns the number of removed probes, or -errno with @diag. -EPROTONOSUPPORT: a pattern names
 * something that bprobe did not make; this stays.
 */
int kept_remove(const struct options *opts, const struct removal *which, struct diag *diag);

#endif
