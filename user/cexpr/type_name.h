/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * type_name.h - the name of a type in a cast: "struct iphdr *", "unsigned long", "u32 __user *".
 */
#ifndef CEXPR_TYPE_NAME_H
#define CEXPR_TYPE_NAME_H

#include "cexpr/cexpr.h"

/*
 * Reads the name of a type at the start of @text. Returns its bytes, with the spaces behind it; 0: none is there. *ret_sure: it can be
 * nothing else, because it has a keyword or a '*', or is the name of a number. @ret->at is not touched; the name is in @arena.
 */
size_t type_name_parse(struct arena *arena, const char *text, size_t len, struct cexpr_type *ret, bool *ret_sure);

#endif
