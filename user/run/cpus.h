/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpus.h - possible CPUs and online CPUs.
 */
#ifndef RUN_CPUS_H
#define RUN_CPUS_H

#include <stdbool.h>

unsigned cpus_possible(void);		/* at least 1 */
bool cpus_online(unsigned cpu);

#endif
