/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peers.h - events from outside during tracing: other bprobes that list and
 * remove probes (registry/registry.h), and modules that come and go (run/modwatch.h).
 * @ctx is always the struct tracer.
 */
#ifndef TRACE_PEERS_H
#define TRACE_PEERS_H

#include <stdbool.h>

#include "base/buf.h"

void peers_list(void *ctx, struct buf *out);
int peers_remove(void *ctx, const char *name, struct buf *why);
void peers_module_changed(void *ctx, const char *module, bool gone);

/* To be called after all changes were reported. Attaches each waiting probe that can be attached now. */
struct tracer;
void peers_attach_waiting(struct tracer *t);

#endif
