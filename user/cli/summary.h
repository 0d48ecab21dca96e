/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

struct session;

/* Prints what each probe of @s counted, one line each, and the sum if there are several probes. */
void summary_print(const struct session *s, FILE *out);

/* Prints advice about losses: a size for --buffer. @kept: the kept event whose buffer it is; NULL: the buffer of a run. */
void summary_advise_buffer(uint64_t ring_size, const char *kept, FILE *out);

#endif
