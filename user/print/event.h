/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event.h - one hit, decoded: what every form of output is made from.
 */
#ifndef PRINT_EVENT_H
#define PRINT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "bprobe_abi.h"
#include "plan/layout.h"

/*
 * How this kernel's context words are to be read, and what the program itself
 * adds to them while it looks. See context_rules_init().
 */
struct context_rules {
	unsigned release;
	bool counts_preemption;
	unsigned migrate_bias;		/* migrate_disable() calls around it */
	uint32_t tif_resched;		/* mask of TIF_NEED_RESCHED */
	uint32_t tif_lazy;		/* mask of TIF_NEED_RESCHED_LAZY; 0: none */
};

void context_rules_init(struct context_rules *rules, unsigned release, bool counts_preemption);

/*
 * ftrace's five letters for what @rec saw: interrupts, resched, context, preempt
 * depth, migrate depth (kernel/trace/trace_output.c, trace_print_lat_fmt()).
 * Whether it was a trampoline or an int3, whose own exception counts as NMI, @layout says.
 */
void context_flags(const struct context_rules *rules, const struct bp_rec *rec,
		   const struct layout *layout, char flags[5]);

/*
 * The first four letters as 3.x printed them, which is what readers of four columns know: [dX.] [N.] [Hhs.]
 * [0-9a-f.]. What had no letter then, and what is not known, is '.'.
 */
void context_flags4(const struct context_rules *rules, const struct bp_rec *rec,
		    const struct layout *layout, char flags[4]);

/* The first eight as the kernel's common_flags has them (6.12, include/linux/trace_events.h, TRACE_FLAG_*). */
enum context_flag {
	CONTEXT_IRQS_OFF = 0x01, CONTEXT_IRQS_UNKNOWN = 0x02, CONTEXT_NEED_RESCHED = 0x04, CONTEXT_HARDIRQ = 0x08,
	CONTEXT_SOFTIRQ = 0x10, CONTEXT_PREEMPT_RESCHED = 0x20, CONTEXT_NMI = 0x40, CONTEXT_BH_OFF = 0x80,
	CONTEXT_NEED_RESCHED_LAZY = 0x100,
	CONTEXT_DEPTH_UNSURE = 0x200,	/* the depth may be one less */
	CONTEXT_UNKNOWN = 0x400,	/* nothing but interrupts is known */
};

struct context {
	unsigned flags;			/* enum context_flag */
	uint32_t depth, migrate;	/* what the handler adds is taken off */
};

void context_read(const struct context_rules *rules, const struct bp_rec *rec, const struct layout *layout,
		  struct context *ret);

/*
 * The same as the kernel's fields common_flags and common_preempt_count have it (6.12, include/linux/trace_events.h).
 * False: not known.
 */
bool context_numbers(const struct context_rules *rules, const struct bp_rec *rec,
		     const struct layout *layout, uint8_t *ret_flags, uint8_t *ret_count);

struct event {
	const struct layout *layout;
	const struct bp_rec *rec;
	const unsigned char *body;	/* @rec's, with the fields of @layout */
	uint32_t len;			/* bytes of the body */
};

/* Checks that @rec of @len bytes can hold what @layout says. */
bool event_decode(const struct layout *layout, const struct bp_rec *rec, uint32_t len,
		  struct event *ret);

/* p: the probe's address; r: the function's. */
uint64_t event_addr(const struct event *ev);
/* r: where the function returns to. */
uint64_t event_caller(const struct event *ev);

/* Does the value, or this element of it, have its mark: could not be read, or was cut? */
bool event_marked(const struct event *ev, const struct layout_field *f, unsigned element);

/* The address of a symstr. False: it could not be read. */
bool event_symstr(const struct event *ev, const struct layout_field *f, unsigned element,
		  uint64_t *ret);

/* The bytes of a number, as the type says: extended to 64 bits by its sign. */
uint64_t event_number(const struct event *ev, const struct layout_field *f, unsigned element);

/*
 * The text of a string, without its NUL. False: it could not be read. *ret_cut: it
 * was longer than is kept.
 */
bool event_string(const struct event *ev, const struct layout_field *f, unsigned element,
		  const char **ret, uint32_t *ret_len, bool *ret_cut);

#endif
