/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * context.h - the words of a record that say in which context its hit was: who reads them, in user space and in programs.
 */
#ifndef PLAN_CONTEXT_H
#define PLAN_CONTEXT_H

#include <stdint.h>

/* The parts of preempt_count (6.12, include/linux/preempt.h), as from 5.10 to 7.2. preempt_read() in bpf/ puts 7.3's into this order. */
enum {
	COUNT_PREEMPT	= 0x000000ff,
	COUNT_SERVING	= 0x00000100,	/* lowest bit of the softirq part: a softirq is being served */
	COUNT_SOFTIRQ	= 0x0000ff00,
	COUNT_HARDIRQ	= 0x000f0000,
	COUNT_NMI	= 0x00f00000,
	ONE_HARDIRQ	= 0x00010000,
	ONE_NMI		= 0x00100000,
};

enum {
	CONTEXT_MIGRATE_BIAS = 1,	/* migrate_disable() calls around a program */
	CONTEXT_MOST_LEVELS = 15,	/* that common_preempt_count can tell, of each of its two */
};

/* The first eight are those of the kernel's common_flags (6.12, include/linux/trace_events.h, TRACE_FLAG_*). */
enum context_flag {
	CONTEXT_IRQS_OFF = 0x01, CONTEXT_IRQS_UNKNOWN = 0x02, CONTEXT_NEED_RESCHED = 0x04, CONTEXT_HARDIRQ = 0x08,
	CONTEXT_SOFTIRQ = 0x10, CONTEXT_PREEMPT_RESCHED = 0x20, CONTEXT_NMI = 0x40, CONTEXT_BH_OFF = 0x80,
	CONTEXT_NEED_RESCHED_LAZY = 0x100,
	CONTEXT_DEPTH_UNSURE = 0x200,	/* the depth may be one less */
	CONTEXT_UNKNOWN = 0x400,	/* only the interrupt state is known */
};

/* The masks of TIF_NEED_RESCHED and TIF_NEED_RESCHED_LAZY in bp_rec.tif, in a kernel of @release (kernel/release.h); 0: it has none. */
uint32_t context_tif_resched(unsigned release);
uint32_t context_tif_lazy(unsigned release);

#endif
