/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arg.h - the arguments of a definition: [NAME=]EXPRESSION[:TYPE] ...
 */
#ifndef LANG_ARG_H
#define LANG_ARG_H

#include "lang/parse.h"

/* Parses @nr words into p->def, whose kind and place must be known. */
int args_parse(struct parse *p, const struct span *words, unsigned nr);

/* May p->def's argument @i be called so: is the name free, and is it no field of every event's? */
int arg_check_name(struct parse *p, const struct arg *arg, unsigned i);

#endif
