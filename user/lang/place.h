/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place.h - where a probe goes, for each kind of dynamic events (lang/kind.h).
 *
 * Each parser parses one word into p->def->place. %return makes the definition a DEF_RETURN. plan/ checks whether the symbol, file
 * or event exists, and whether the offset is the start of an instruction.
 */
#ifndef LANG_PLACE_H
#define LANG_PLACE_H

#include "lang/parse.h"

/* place.c. p and r: ADDR or [MOD:]SYM[+OFFS][%return]. */
int place_parse(struct parse *p, struct span at);
void place_print(const struct place *place, struct buf *out);
char *place_event_name(struct parse *p);

/* place_user.c. p and r: PATH:OFFSET[%return][(REF_CTR)], PATH:SYM[+OFFS][%return][(REF_CTR)], PATH:PROVIDER:MARKER. */
bool place_is_user(const struct parse *p, struct span at);
int place_user_parse(struct parse *p, struct span at);
void place_user_print(const struct place *place, struct buf *out);
char *place_user_event_name(struct parse *p);

/* place_function.c. f: [MOD:]SYM[%return]. */
int place_function_parse(struct parse *p, struct span at);
char *place_function_event_name(struct parse *p);

/* place_event.c. t: TRACEPOINT; e: GROUP.EVENT or GROUP/EVENT. */
int place_tracepoint_parse(struct parse *p, struct span at);
char *place_tracepoint_event_name(struct parse *p);
int place_event_parse(struct parse *p, struct span at);
void place_event_print(const struct place *place, struct buf *out);
char *place_event_event_name(struct parse *p);

/* Takes "%return", the only text that may follow a function's name. @at may be empty. */
int place_suffix_parse(struct parse *p, struct span at);

#endif
