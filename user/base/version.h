/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version.h - the version that this is.
 */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* The last version with a number, and the commit that this was built from. */
extern const char bprobe_release[], bprobe_commit[];

/* Both as one word: in a trace.dat, and in the store of kept probes. */
extern const char version[];

/* A project whose code is linked into the program: what packaging/linked.sh found when it was built. "-": unknown. */
struct version_linked {
	const char *project, *version;		/* the last one of the table has no project */
	const char *licence;			/* by SPDX */
	const char *libraries;			/* with blanks between them */
	const char *package, *package_version;	/* of the distribution */
};
extern const struct version_linked version_linked[];

/* The compiler of the program, with its version. */
extern const char version_compiler[];

#endif
