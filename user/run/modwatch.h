/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modwatch.h - reports loading and unloading of modules, as the kernel announces them.
 */
#ifndef RUN_MODWATCH_H
#define RUN_MODWATCH_H

#include <stdbool.h>

#include "base/diag.h"

struct modwatch;

/*
 * Module @module was loaded, or with @gone unloaded. NULL: announcements were lost, and any module may have come or gone.
 * After all calls the callee must look up the present state.
 */
typedef void (*modwatch_fn)(void *ctx, const char *module, bool gone);

/* Starts to listen. Modules that are already loaded are not announced. */
int modwatch_open(struct modwatch **ret, struct diag *diag);
void modwatch_close(struct modwatch *w);	/* NULL is fine */

int modwatch_fd(const struct modwatch *w);

/* Calls @fn for each announcement that has arrived. Does not wait. */
void modwatch_serve(struct modwatch *w, modwatch_fn fn, void *ctx);

#endif
