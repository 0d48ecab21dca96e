// SPDX-License-Identifier: GPL-2.0-only
/*
 * context.c - the state of the traced code, in ftrace's five letters.
 *
 * The program sees the same words as the kernel's own tracer, but from inside
 * its own handler. What the handler adds is subtracted here.
 */
#include "arch/kernel.h"
#include "plan/backend.h"
#include "print/event.h"

/*
 * Each backend knows what its hook adds to the depth. The BPF code around the program disables migration; from 5.12 on this
 * has a counter of its own. Kernels that do not count preemption add nothing; then these bits come from softirq code only.
 */
void context_rules_init(struct context_rules *rules, unsigned release, bool counts_preemption)
{
	*rules = (struct context_rules){
		.release = release,
		.counts_preemption = counts_preemption,
		.migrate_bias = CONTEXT_MIGRATE_BIAS,
		.tif_resched = context_tif_resched(release),
		.tif_lazy = context_tif_lazy(release),
	};
}

static char irq_letter(uint32_t count, uint32_t eflags)
{
	bool unknown = eflags == BP_EFLAGS_UNKNOWN, off = (eflags & FLAGS_INTERRUPTS) != FLAGS_INTERRUPTS_ON;
	/* Disabling bottom halves adds two to the softirq part; serving one sets its lowest bit. */
	bool bh_off = (count & COUNT_SOFTIRQ) > COUNT_SERVING;

	/* Like trace_print_lat_fmt(): known facts win over unknown ones. */
	return off && bh_off ? 'D' : off ? 'd' : bh_off ? 'b' : unknown ? 'X' : '.';
}

static char resched_letter(const struct context_rules *rules, uint32_t count, uint32_t tif)
{
	bool now = tif & rules->tif_resched, lazy = tif & rules->tif_lazy;
	bool folded = !(count & COUNT_NO_RESCHED);
	unsigned which = (now ? 4u : 0) | (lazy ? 2u : 0) | (folded ? 1u : 0);

	return ".plLnNbB"[which];
}

static char context_letter(uint32_t count)
{
	bool nmi = count & COUNT_NMI, hard = count & COUNT_HARDIRQ, soft = count & COUNT_SERVING;

	if (nmi)
		return hard ? 'Z' : 'z';
	if (hard)
		return soft ? 'H' : 'h';
	return soft ? 's' : '.';
}

static char depth_letter(unsigned depth)
{
	return ".123456789abcdef"[MIN(depth, 15u)];
}

struct levels {
	uint32_t count;			/* preempt_count without what the probe's own exception adds */
	uint32_t depth, migrate;	/* without what the handler adds */
	bool unsure;			/* @depth may be one too high */
};

/* Not for a record whose preempt_count is unknown. */
static struct levels levels_of(const struct context_rules *rules, const struct bp_rec *rec,
			       const struct layout *layout)
{
	struct levels l = {
		.count = rec->preempt,
		.migrate = rec->migrate - MIN((unsigned)rec->migrate, rules->migrate_bias),
	};
	const struct backend *backend = layout->backend;
	unsigned adds;

	if (layout->at_breakpoint && l.count & COUNT_NMI)
		l.count -= ONE_NMI + ONE_HARDIRQ;
	l.depth = l.count & COUNT_PREEMPT;
	adds = !rules->counts_preemption || !backend->adds_depth ? 0 : backend->adds_depth(rules->release, layout->is_return);
	l.unsure = backend->hit.depth_unsure && !layout->is_return && l.depth == adds + 1;
	l.depth -= MIN(l.depth, adds);
	return l;
}

void context_flags(const struct context_rules *rules, const struct bp_rec *rec,
		   const struct layout *layout, char flags[5])
{
	struct levels l;

	if (rec->preempt == BP_PREEMPT_UNKNOWN) {
		memcpy(flags, "?????", 5);
		flags[0] = irq_letter(0, rec->eflags);
		return;
	}
	l = levels_of(rules, rec, layout);
	flags[0] = irq_letter(l.count, rec->eflags);
	flags[1] = resched_letter(rules, l.count, rec->tif);
	flags[2] = context_letter(l.count);
	flags[3] = l.unsure ? '?' : depth_letter(l.depth);
	flags[4] = depth_letter(l.migrate);
}

/*
 * 3.x, kernel/trace/trace_output.c, trace_print_lat_fmt(): N means TIF_NEED_RESCHED. An NMI also counts as a hard interrupt
 * (nmi_enter()), and had no letter of its own before 4.8.
 */
void context_flags4(const struct context_rules *rules, const struct bp_rec *rec,
		    const struct layout *layout, char flags[4])
{
	struct context c;
	bool hard, soft;

	context_read(rules, rec, layout, &c);
	hard = c.flags & (CONTEXT_HARDIRQ | CONTEXT_NMI);
	soft = c.flags & CONTEXT_SOFTIRQ;
	flags[0] = c.flags & CONTEXT_IRQS_OFF ? 'd' : c.flags & CONTEXT_IRQS_UNKNOWN ? 'X' : '.';
	flags[1] = c.flags & CONTEXT_NEED_RESCHED ? 'N' : '.';
	flags[2] = hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
	flags[3] = depth_letter(c.flags & (CONTEXT_UNKNOWN | CONTEXT_DEPTH_UNSURE) ? 0 : c.depth);
}

void context_read(const struct context_rules *rules, const struct bp_rec *rec, const struct layout *layout,
		  struct context *ret)
{
	bool known = rec->preempt != BP_PREEMPT_UNKNOWN, irqs_known = rec->eflags != BP_EFLAGS_UNKNOWN;
	struct levels l;

	*ret = (struct context){ .flags = !irqs_known ? CONTEXT_IRQS_UNKNOWN : (rec->eflags & FLAGS_INTERRUPTS) == FLAGS_INTERRUPTS_ON ? 0 : CONTEXT_IRQS_OFF };
	if (!known) {
		ret->flags |= CONTEXT_UNKNOWN;
		return;
	}
	l = levels_of(rules, rec, layout);
	ret->flags |= (rec->tif & rules->tif_resched ? CONTEXT_NEED_RESCHED : 0) |
		      (rec->tif & rules->tif_lazy ? CONTEXT_NEED_RESCHED_LAZY : 0) |
		      (l.count & COUNT_HARDIRQ ? CONTEXT_HARDIRQ : 0) | (l.count & COUNT_SERVING ? CONTEXT_SOFTIRQ : 0) |
		      (l.count & COUNT_NO_RESCHED ? 0 : CONTEXT_PREEMPT_RESCHED) | (l.count & COUNT_NMI ? CONTEXT_NMI : 0) |
		      ((l.count & COUNT_SOFTIRQ) > COUNT_SERVING ? CONTEXT_BH_OFF : 0) |
		      (l.unsure ? CONTEXT_DEPTH_UNSURE : 0);
	ret->depth = l.depth;
	ret->migrate = l.migrate;
}

bool context_numbers(const struct context_rules *rules, const struct bp_rec *rec,
		     const struct layout *layout, uint8_t *ret_flags, uint8_t *ret_count)
{
	struct context c;

	context_read(rules, rec, layout, &c);
	if (c.flags & CONTEXT_UNKNOWN)
		return false;
	*ret_flags = (uint8_t)c.flags;
	*ret_count = (uint8_t)(MIN(c.depth, (unsigned)CONTEXT_MOST_LEVELS) | MIN(c.migrate, (unsigned)CONTEXT_MOST_LEVELS) << 4);
	return true;
}
