/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * name.h - names of events, groups and arguments: what is allowed, what is taken.
 */
#ifndef LANG_NAME_H
#define LANG_NAME_H

#include "lang/parse.h"

/* An event field that every record has already: common_pid, __probe_ip, ... */
bool name_is_reserved(const char *name);

/*
 * GRP/EVENT, GRP.EVENT, GRP/ or EVENT behind the head's ':', into p->def.
 * What was not typed stays NULL there.
 */
int name_parse(struct parse *p, struct span at);

/* The same behind '-:', where only '/' separates and generated names count. */
int name_parse_removed(struct parse *p, struct span at);

/* Fills in the group and the event's name that were not typed. */
void name_generate(struct parse *p);

#endif
