// SPDX-License-Identifier: GPL-2.0-only
#include "trace/version.h"

const char version[] = BPROBE_VERSION;
