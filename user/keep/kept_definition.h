/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_definition.h - the definitions of a kept event, parsed again.
 */
#ifndef KEEP_KEPT_DEFINITION_H
#define KEEP_KEPT_DEFINITION_H

#include "base/diag.h"
#include "keep/kept.h"
#include "lang/ast.h"

/*
 * Parses definition @line of @k as it was typed, with its filter and its stacks, for the event that it was kept as. *ret and all that it
 * points to are in @arena. -EBADMSG and the errors of its dialect, with @diag.
 */
int kept_definition(struct arena *arena, const struct kept *k, unsigned line, struct probe_def **ret, struct diag *diag);

#endif
