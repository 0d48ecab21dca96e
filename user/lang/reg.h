/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reg.h - %REG, and advice for users who write another name.
 */
#ifndef LANG_REG_H
#define LANG_REG_H

#include "lang/parse.h"

/* Parses all of @at, the '%' included. On failure *ret is unchanged. */
int reg_parse(struct parse *p, struct span at, enum reg *ret);

#endif
