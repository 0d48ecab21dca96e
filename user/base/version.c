// SPDX-License-Identifier: GPL-2.0-only
#include "base/version.h"

const char bprobe_release[] = BPROBE_RELEASE, bprobe_commit[] = BPROBE_COMMIT;
const char version[] = BPROBE_RELEASE "-" BPROBE_COMMIT;
