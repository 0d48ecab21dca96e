/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * histogram_priv.h - what histogram.c and histogram_open.c share.
 */
#ifndef HIST_HISTOGRAM_PRIV_H
#define HIST_HISTOGRAM_PRIV_H

#include "hist/histogram.h"

/* References of one histogram at most: those in its expressions, and one for each parameter and tracked value of its actions. */
enum { HIST_REFS_MAX = 64 + HIST_MAX_ACTIONS * (HIST_MAX_PARAMS + 1) };

/* Variables of one histogram at most: typed ones, and one for each parameter of its actions. */
enum { HIST_VARS_MAX = HIST_MAX_VARS + HIST_MAX_ACTIONS * HIST_MAX_PARAMS };

#endif
