/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * name.h - names of events, groups and arguments: which are allowed, and which are reserved.
 */
#ifndef LANG_NAME_H
#define LANG_NAME_H

#include "lang/parse.h"

/* Is @name an event field that every record has already: common_pid, __probe_ip, ...? */
bool name_is_reserved(const char *name);

/*
 * Parses GRP/EVENT, GRP.EVENT, GRP/ or EVENT behind the head's ':' into p->def.
 * What was not typed stays NULL there.
 */
int name_parse(struct parse *p, struct span at);

/* The same behind '-:'. There only '/' is a separator, and generated names are allowed. */
int name_parse_removed(struct parse *p, struct span at);

/* Fills in the group and the event's name if they were not typed. */
void name_generate(struct parse *p);

#endif
