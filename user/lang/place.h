/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place.h - where a probe goes: ADDR or [MOD:]SYM[+OFFS][%return].
 */
#ifndef LANG_PLACE_H
#define LANG_PLACE_H

#include "lang/parse.h"

/*
 * Parses one word into p->def->place. %return makes the definition a DEF_RETURN.
 * plan/ checks whether the symbol and the module exist, and whether the offset is
 * the start of an instruction.
 */
int place_parse(struct parse *p, struct span at);

#endif
