// SPDX-License-Identifier: GPL-2.0-only
/*
 * context.c - what the words of the context are in a kernel.
 */
#include "plan/context.h"

#include "arch/kernel.h"
#include "kernel/features.h"

uint32_t context_tif_resched(unsigned release)
{
	return feature_by_release(FEATURE_TIF_GENERIC, release) ? TIF_RESCHED : TIF_RESCHED_OWN;
}

uint32_t context_tif_lazy(unsigned release)
{
	if (feature_by_release(FEATURE_TIF_GENERIC, release))
		return TIF_RESCHED_LAZY;
	return feature_by_release(FEATURE_TIF_LAZY, release) ? TIF_RESCHED_LAZY_OWN : 0;
}
