// SPDX-License-Identifier: GPL-2.0-only
/*
 * fetches.c - questions about how values are found.
 */
#include "plan/fetches.h"

struct visit {
	bool (*each)(void *ctx, const struct fetch *source);
	void *ctx;
};

static bool visit_leaf(void *ctx, const struct calc *leaf)
{
	const struct visit *v = ctx;

	return v->each(v->ctx, leaf->leaf);
}

bool fetch_any_source(const struct fetch *f, bool (*each)(void *ctx, const struct fetch *source), void *ctx)
{
	struct visit v = { each, ctx };

	return f->src == FETCH_CALC ? calc_any_leaf(f->calc, visit_leaf, &v) : each(ctx, f);
}

static bool is_of(void *ctx, const struct fetch *source)
{
	return source->src == *(const enum fetch_src *)ctx;
}

bool fetch_has_source(const struct fetch *f, enum fetch_src src)
{
	return fetch_any_source(f, is_of, &src);
}

static bool needs_record(void *ctx, const struct fetch *f)
{
	(void)ctx;
	return f->src == FETCH_COMM || f->src == FETCH_TEXT || f->src == FETCH_CALLER || f->src == FETCH_PLACE;
}

bool fetch_wants_record(const struct fetch *f)
{
	return fetch_any_source(f, needs_record, NULL);
}

bool fetch_can_fail(const struct fetch *f)
{
	return f->nr_derefs || (f->src == FETCH_CALC && calc_reads(f->calc)) || fetch_has_source(f, FETCH_SAVED) ||
	       fetch_has_source(f, FETCH_ELAPSED) || fetch_has_source(f, FETCH_PERCPU);
}
