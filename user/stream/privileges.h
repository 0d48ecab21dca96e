/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * privileges.h - gives up what this process may do and does not need any more, and says so.
 */
#ifndef STREAM_PRIVILEGES_H
#define STREAM_PRIVILEGES_H

#include "kernel/rights.h"

struct options;

/* Keeps what @r has (rights_keep()). Does nothing with --keep-privileges. With -v a line on standard error says what is kept. */
void privileges_keep(const struct options *o, const struct rights *r);

#endif
