/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

struct session;

/* What every probe of @s counted, one line each, and their sum when there are several. */
void summary_print(const struct session *s, FILE *out);

/* What to do about losses: a size as --buffer takes it. @kept: the kept event whose buffer it is; NULL: it is a run's. */
void summary_advise_buffer(uint64_t ring_size, const char *kept, FILE *out);

#endif
