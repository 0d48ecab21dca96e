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

/* place.c. p and r: ADDR or [MOD:]SYM[@ADDR][+OFFS][%return]. The module "vmlinux" means the kernel's own functions. */
int place_parse(struct parse *p, struct span at);
void place_print(const struct place *place, struct buf *out);
char *place_event_name(struct parse *p);

/*
 * place_source.c. Places that debug information has: FILE:LINE, FUNCTION:LINE, FUNCTION@FILE[:LINE]; in front of each may be
 * MODULE: (of a program: its path, which is not in @at).
 */
bool place_is_source(const struct parse *p, struct span at);

/* Can arguments at p->def->place be C? Of programs' functions only debug information knows names. */
bool place_takes_c(const struct parse *p);
int place_source_parse(struct parse *p, struct span at, struct place *ret);

/* -EINVAL: it is FILE: without a line. The name of a module has no '.', so it is no place in a module that is not loaded yet. Else 0. */
int place_refuse_file(struct parse *p, struct span at);
void place_source_print(const struct place *place, struct buf *out);
char *place_source_event_name(struct parse *p);

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
