/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_triggers.h - the triggers of kept events.
 */
#ifndef CLI_KEPT_TRIGGERS_H
#define CLI_KEPT_TRIGGERS_H

#include "lang/trigger.h"
#include "run/kept.h"

/*
 * Parses the texts of @nr kept triggers into a list, in their order; *ret is NULL if there are none. All lives in @arena. Errors as
 * trigger_parse().
 */
int kept_triggers_parse(struct arena *arena, const struct kept_trigger *triggers, unsigned nr, const struct trigger **ret,
			struct diag *diag);

#endif
