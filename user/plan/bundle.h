/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bundle.h - many definitions behind one link.
 *
 * Each trampoline and each kprobe makes the kernel walk through all of ftrace's records several times: ten million instructions on
 * 6.12, and a grace period when it goes. One link to many functions does that once, whatever each function's program does. So if
 * there are many probes at entries of functions, they share a link. Its program finds out which function was hit, and continues as
 * that function's program (gen/dispatch.h).
 */
#ifndef PLAN_BUNDLE_H
#define PLAN_BUNDLE_H

#include "plan/plan.h"

/*
 * Fewer definitions than this get links of their own. A hit by the shared link costs 213 instructions more than by a trampoline
 * (6.12), and the trampoline costs 13 million more to attach: after 60,000 hits of each definition the trampolines are cheaper. 16
 * definitions attach in 0.1 s on a usual machine anyway.
 */
enum { BUNDLE_MIN = 17 };

/*
 * If enough of @plans can share a link, these are changed: plan->bundled is set, and their backend is the link's. NULLs are left
 * out. Not with facts->attach or facts->single.
 */
void plan_bundle(struct plan *const *plans, unsigned nr, const struct facts *facts);

/* Takes back what plan_bundle() changed in @plan: it has a link of its own then, as with facts->single. */
void plan_unbundle(struct plan *plan);

#endif
