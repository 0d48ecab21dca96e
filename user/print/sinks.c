// SPDX-License-Identifier: GPL-2.0-only
/*
 * sinks.c - what an option can make of events instead of lines of text: a row for each.
 */
#include "print/folded.h"
#include "print/sink.h"

const struct sink *const sinks[] = { &sink_json, &sink_json_flat, &sink_folded, NULL };
