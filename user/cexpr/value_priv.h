/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value_priv.h - what value.c and operators.c share.
 */
#ifndef CEXPR_VALUE_PRIV_H
#define CEXPR_VALUE_PRIV_H

#include "cexpr/value.h"

/* What a pointer points to, or the element of an array. */
bool c_target_of(struct c_look *l, const struct c_type *t, const struct cexpr *e, struct c_type *ret);

/* A number that is calculated. */
struct c_value c_result(const struct calc *c, struct c_type type, bool user);

/* operators.c */
bool c_take_unary(struct c_look *l, const struct cexpr *e, struct c_value *v);
bool c_take_binary(struct c_look *l, const struct cexpr *e, struct c_value *v);

#endif
