// SPDX-License-Identifier: GPL-2.0-only
#include "trace/version.h"

const char release[] = BPROBE_RELEASE, commit[] = BPROBE_COMMIT;
const char version[] = BPROBE_RELEASE "-" BPROBE_COMMIT;
