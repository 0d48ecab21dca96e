/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arg.h - the arguments of a definition: [NAME=]EXPRESSION[:TYPE] ...
 */
#ifndef LANG_ARG_H
#define LANG_ARG_H

#include "lang/parse.h"

/* Parses @nr words into p->def. The kind and place of p->def must be known. */
int args_parse(struct parse *p, const struct span *words, unsigned nr);

/* Checks the name of p->def's argument @i: the name must be free, and must not be a field that every event has. */
int arg_check_name(struct parse *p, const struct arg *arg, unsigned i);

#endif
