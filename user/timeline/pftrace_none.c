// SPDX-License-Identifier: GPL-2.0-only
/*
 * pftrace_none.c - takes the place of pftrace.c where protobuf-c is missing.
 */
#include "timeline/encoder.h"

const struct encoder encoder_pftrace = { .name = "Perfetto's protobuf", .missing = "this bprobe was built without protobuf-c" };
