/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modwatch.h - modules that come and go, as the kernel announces them.
 */
#ifndef RUN_MODWATCH_H
#define RUN_MODWATCH_H

#include <stdbool.h>

#include "base/diag.h"

struct modwatch;

/*
 * Module @module came, or with @gone went; NULL: announcements were lost, any may
 * have come or gone. What is there now has to be looked up when all are told.
 */
typedef void (*modwatch_fn)(void *ctx, const char *module, bool gone);

/* Starts listening; modules that are loaded already are not announced. */
int modwatch_open(struct modwatch **ret, struct diag *diag);
void modwatch_close(struct modwatch *w);	/* NULL is fine */

int modwatch_fd(const struct modwatch *w);

/* Calls @fn for each announcement that has come, without waiting. */
void modwatch_serve(struct modwatch *w, modwatch_fn fn, void *ctx);

#endif
