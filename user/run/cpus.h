/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpus.h - the CPUs that there are, and those that may come.
 */
#ifndef RUN_CPUS_H
#define RUN_CPUS_H

#include <stdbool.h>

unsigned cpus_possible(void);		/* at least 1 */
bool cpus_online(unsigned cpu);

#endif
