// SPDX-License-Identifier: GPL-2.0-only
#include "cli/version.h"

const char version[] = BPROBE_VERSION;
