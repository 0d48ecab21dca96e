// SPDX-License-Identifier: GPL-2.0-only
/*
 * version.c - the version that this is. Only this file is built again for each commit.
 */
#include "base/version.h"

const char bprobe_release[] = BPROBE_RELEASE, bprobe_commit[] = BPROBE_COMMIT;
const char version[] = BPROBE_RELEASE "-" BPROBE_COMMIT;

#define LINKED(project, version, licence, libraries, package, package_version) { project, version, licence, libraries, package, package_version },
const struct version_linked version_linked[] = {
#include "linked.h"
	{ 0 },
};

const char version_compiler[] =
#ifdef __clang__
	"clang " __clang_version__;
#else
	"gcc " __VERSION__;
#endif
