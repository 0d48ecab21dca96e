/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdio.h>

struct session;

/* What every probe of @s counted, one line each, and their sum when there are several. */
void summary_print(const struct session *s, FILE *out);

#endif
