/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event.h - one decoded hit: the source for every form of output.
 */
#ifndef PRINT_EVENT_H
#define PRINT_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bprobe_abi.h"
#include "plan/context.h"
#include "plan/layout.h"

/*
 * How to read this kernel's context words, and what the program itself adds to them while it reads them. See
 * context_rules_init().
 */
struct context_rules {
	unsigned release;
	bool counts_preemption;
	unsigned migrate_bias;		/* migrate_disable() calls around the program */
	uint32_t tif_resched;		/* mask of TIF_NEED_RESCHED */
	uint32_t tif_lazy;		/* mask of TIF_NEED_RESCHED_LAZY; 0: none */
};

void context_rules_init(struct context_rules *rules, unsigned release, bool counts_preemption);

/*
 * ftrace's five letters for the context of @rec: interrupts, resched, context, preempt depth, migrate depth
 * (kernel/trace/trace_output.c, trace_print_lat_fmt()). @layout tells whether a trampoline or a breakpoint ran the program. The
 * exception of the breakpoint itself counts as NMI.
 */
void context_flags(const struct context_rules *rules, const struct bp_rec *rec,
		   const struct layout *layout, char flags[5]);

/*
 * The first four letters as 3.x printed them, since readers of four columns know these: [dX.] [N.] [Hhs.] [0-9a-f.]. '.'
 * stands for everything that had no letter then or is not known.
 */
void context_flags4(const struct context_rules *rules, const struct bp_rec *rec,
		    const struct layout *layout, char flags[4]);

struct context {
	unsigned flags;			/* enum context_flag */
	uint32_t depth, migrate;	/* without what the handler adds */
};

void context_read(const struct context_rules *rules, const struct bp_rec *rec, const struct layout *layout,
		  struct context *ret);

/*
 * The same in the form of the kernel's fields common_flags and common_preempt_count (6.12, include/linux/trace_events.h).
 * False: not known.
 */
bool context_numbers(const struct context_rules *rules, const struct bp_rec *rec,
		     const struct layout *layout, uint8_t *ret_flags, uint8_t *ret_count);

struct frame;

/* Whose number event.number is: a definition's hits are counted by each CPU, from its creation on. */
struct series {
	uint32_t creation;		/* of what counts: no other one of the same boot has this number; 0: not known */
	uint32_t probe;			/* which definition of those that were created together */
};

/* A range of such numbers for which there is no object. */
struct gap {
	const struct layout *layout;
	struct series series;
	unsigned cpu;
	bool lost;			/* there was no room for these hits; false: they were read, and are not printed */
	uint64_t count;			/* hits of the range that this is true of. Another reader has taken the others */
	uint64_t first, last;
};

struct event {
	const struct layout *layout;
	const struct bp_rec *rec;
	const unsigned char *body;	/* the body of @rec, with the fields of @layout */
	uint32_t len;			/* bytes of the body */
	unsigned hidden_stacks;		/* bits of enum stack_kind: these were recorded, but this hit does not show them */
	struct frame *const *frames;	/* of an event that has waited (later.h): what the user stack's frames were then; NULL in it: not known */
	unsigned nr_frames;
	const struct series *series;	/* NULL: nobody asks for the number, or it is not known */
	uint64_t number;		/* of this hit: bp_rec.seq with 64 bits; only with an @series */
};

/* Checks that the @len bytes of @rec can hold what @layout describes. */
static inline bool event_decode(const struct layout *layout, const struct bp_rec *rec, uint32_t len, struct event *ret)
{
	if (len < BP_BODY_OFF + layout->dyn_off)
		return false;
	*ret = (struct event){ .layout = layout, .rec = rec, .body = (const unsigned char *)rec + BP_BODY_OFF, .len = len - BP_BODY_OFF };
	return true;
}

/* For p: the probe's address. For r: the function's address. */
static inline uint64_t event_addr(const struct event *ev)
{
	uint64_t addr;

	memcpy(&addr, ev->body + LAYOUT_COMMON, sizeof(addr));
	return addr;
}

/* For r: the address that the function returns to. */
static inline uint64_t event_caller(const struct event *ev)
{
	uint64_t addr;

	memcpy(&addr, ev->body + LAYOUT_COMMON + 8, sizeof(addr));
	return addr;
}

/* Is the value, or this element of it, marked as unreadable or cut? */
bool event_marked(const struct event *ev, const struct layout_field *f, unsigned element);

/* The address of a symstr value. False: it could not be read. */
bool event_symstr(const struct event *ev, const struct layout_field *f, unsigned element,
		  uint64_t *ret);

/*
 * How many elements of an array are printed. An array has all; string[*] those before the NULL, or the first LANG_MAX_VECTOR
 * (*ret_more: there are more); a stack its frames.
 */
unsigned event_count(const struct event *ev, const struct layout_field *f, bool *ret_more);

/* The bytes of element @element of TYPE_BYTES. */
const unsigned char *event_bytes(const struct event *ev, const struct layout_field *f, unsigned element);

/* The bytes of a TYPE_BLOCK; *ret_len: how many of them could be read. NULL: none. */
const unsigned char *event_block(const struct event *ev, const struct layout_field *f, unsigned element, uint32_t *ret_len);

/* The bytes of a TYPE_BUFFER. NULL: they could not be read. */
const unsigned char *event_buffer(const struct event *ev, const struct layout_field *f, uint32_t *ret_len);

/* Has a TYPE_BUFFER fewer bytes than it was told to have, because these are too many, or because the rest could not be read? */
bool event_buffer_cut(const struct event *ev, const struct layout_field *f);

/* Is the value faulted? For every type. */
bool event_faulted(const struct event *ev, const struct layout_field *f, unsigned element);

/* The bytes of a number, extended to 64 bits by its sign if the type has one. */
uint64_t event_number(const struct event *ev, const struct layout_field *f, unsigned element);

/* The text of a string, without its NUL. False: it could not be read. *ret_cut: it was longer than the part that is stored. */
bool event_string(const struct event *ev, const struct layout_field *f, unsigned element,
		  const char **ret, uint32_t *ret_len, bool *ret_cut);

#endif
