/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cold.h - values in memory of a program: the page may not be there when a hit fetches them.
 */
#ifndef PLAN_COLD_H
#define PLAN_COLD_H

#include <stdbool.h>

#include "plan/plan.h"

struct features;

/* May one of the reads of @f be of user memory? The parameters of a return count only if the return's own context has them. */
bool cold_may_be_user(const struct plan *plan, const struct fetch *f);

/* Does a hit of @plan wait for @f's memory if it is not there? Then its value is known only when the record has been filled. */
bool cold_is_waited_for(const struct plan *plan, const struct fetch *f);

/*
 * Sets what @plan's program does about such memory: it waits (plan.faults_in) if its backend may sleep, or it counts (plan.counts_cold) if the
 * kernel can tell. @features NULL: neither. The backend must have been chosen.
 */
void cold_settle(struct plan *plan, struct features *features);

/* The kernel has refused a program that sleeps: @plan's does not wait from now on. False: it did not wait. */
bool cold_stop_waiting(struct plan *plan);

#endif
