// SPDX-License-Identifier: GPL-2.0-only
/*
 * cold.c - values in memory of a program: the page may not be there when a hit fetches them.
 */
#include "plan/cold.h"

#include "kernel/features.h"
#include "plan/stage.h"

bool cold_may_be_user(const struct plan *plan, const struct fetch *f)
{
	const struct backend *b = plan->layout.backend;

	if (!f->nr_derefs || f->path)		/* a path is the kernel's */
		return false;
	switch (f->src) {
	case FETCH_REG:
	case FETCH_WORD:
		return true;
	case FETCH_VALUE:
		return f->derefs[0].user;
	case FETCH_PLACE:		/* of a function in a program */
		return f->derefs[0].user && b->hit.places[plan->target.is_return] != PLACE_UTASK;
	case FETCH_SAVED:
		return b->hit.shows_params;
	case FETCH_FIELD:		/* other forms are addresses in the event's record */
		return f->form == FIELD_NUMBER;
	default:
		return false;
	}
}

/*
 * Where a program may sleep, the first address in a register is one of a program (user probes), or that of the registers of a system call,
 * which are the kernel's. What the field of an event points to may be either.
 */
bool cold_is_waited_for(const struct plan *plan, const struct fetch *f)
{
	if (!plan->faults_in || !cold_may_be_user(plan, f))
		return false;
	for (unsigned i = 0; i < f->nr_derefs; i++) {
		if (f->derefs[i].user)
			return true;
	}
	return f->nr_derefs > 1 || f->src == FETCH_FIELD;
}

/* Does @test hold for one of the values? */
static bool any(const struct plan *plan, bool (*test)(const struct plan *plan, const struct fetch *f))
{
	for (unsigned i = 0; i < layout_all(&plan->layout); i++) {
		if (test(plan, &plan->fetches[i]))
			return true;
	}
	return false;
}

void cold_settle(struct plan *plan, struct features *features)
{
	const struct backend *b = plan->layout.backend;

	plan->counts_cold = any(plan, cold_may_be_user) && features && feature(features, FEATURE_MAPPINGS);
	plan->faults_in = features && b->waits && b->waits(plan, features);
	plan->faults_in = any(plan, cold_is_waited_for);
}

bool cold_stop_waiting(struct plan *plan)
{
	bool waited = plan->faults_in;

	plan->faults_in = false;
	if (waited)
		stage_settle(plan);
	return waited;
}
