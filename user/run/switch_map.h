/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switch_map.h - maps of struct bp_switch: what triggers switch on and off.
 */
#ifndef RUN_SWITCH_MAP_H
#define RUN_SWITCH_MAP_H

#include <stdbool.h>

#include "bprobe_abi.h"
#include "plan/act.h"

/* Makes a map of @nr switches, all on. Returns its descriptor, which the caller closes, or -errno. */
int switch_map_create(unsigned nr);

/* Is @fd such a map, of at least @nr switches? */
bool switch_map_is(int fd, unsigned nr);

/* The place of the word `off` of switch @i. */
struct act_word switch_map_word(int fd, unsigned i);

/* The switch @i; -errno. */
int switch_map_read(int fd, unsigned i, struct bp_switch *ret);

/* Switches @i on or off; -errno. */
int switch_map_set(int fd, unsigned i, bool off);

#endif
