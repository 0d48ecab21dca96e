// SPDX-License-Identifier: GPL-2.0-only
/*
 * version.c - the version that this is. Only this file is built again for each commit.
 */
#include "base/version.h"

const char bprobe_release[] = BPROBE_RELEASE, bprobe_commit[] = BPROBE_COMMIT;
const char version[] = BPROBE_RELEASE "-" BPROBE_COMMIT;
