/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist_value.h - the values of a hit that keys, sums and variables of a histogram are made from.
 */
#ifndef HIST_HIST_VALUE_H
#define HIST_HIST_VALUE_H

#include "base/arena.h"
#include "base/diag.h"
#include "lang/trigger.h"
#include "plan/count.h"
#include "print/event.h"

struct text;

enum {
	HIST_STRING_SIZE = 256,		/* bytes of a string in a key or a variable, with its NUL (6.12, MAX_FILTER_STR_VAL) */
};

enum hist_source {
	HIST_FROM_ARGUMENT,
	HIST_FROM_COMM,			/* common_comm (7.2 has it) */
	HIST_FROM_STACK,		/* common_stacktrace, before 6.3 stacktrace */
	HIST_FROM_PID,			/* common_pid */
	HIST_FROM_CPU,			/* common_cpu */
	HIST_FROM_PLACE,		/* __probe_ip, __probe_func */
	HIST_FROM_CALLER,		/* __probe_ret_ip */
	HIST_FROM_TYPE,			/* common_type */
	HIST_FROM_FLAGS,		/* common_flags */
	HIST_FROM_COUNT,		/* common_preempt_count */
	HIST_FROM_TIME,			/* common_timestamp */
	HIST_FROM_HITS,			/* hitcount: 1 */
};

/* A type as the kernel compares it with that of a synthetic event's field. */
struct hist_type {
	const char *name;		/* "u32", "unsigned long", "char[]" */
	const char *own;		/* what the kernel's event calls it, such as "pid_t"; or NULL */
	uint16_t size;			/* in bytes */
	bool is_signed;
};

/* A field with its modifier. */
struct hist_value {
	enum hist_source source;
	const struct layout_field *field;	/* ARGUMENT */
	bool is_string, is_stack;
	bool is_signed;
	enum hist_modifier modifier;
	uint64_t buckets;
	enum hist_clock clock;		/* TIME */
	bool exact;			/* hist.exact: .log2 has one bucket for all negative numbers. (The kernel's 2^63 is also that of -2^63.) */
	const char *name;		/* as the kernel shows it: common_cpu for common_cpu, but cpu for cpu */
};

/*
 * Finds the field @expr (HIST_FIELD) in the event of @layout. @text is the trigger's text, for the caret. -ENOENT: the event has no
 * such field; -EINVAL: this modifier or kind of field is of no use here.
 */
int hist_value_resolve(const struct layout *layout, const char *text, const struct hist_expr *expr, struct hist_value *ret,
		       struct diag *diag);

/*
 * Is the value the number of the place (plan/place_id.h), and not its address? So it is if the name of a place is asked for that no symbol
 * of the kernel names.
 */
bool hist_value_is_place_id(const struct hist_value *v, const struct layout *layout);

/* What the kernel calls the value's type. In @arena. */
struct hist_type hist_value_type(struct arena *arena, const struct hist_value *v);

/* Could the value of @ev not be read? */
bool hist_value_faulted(const struct hist_value *v, const struct event *ev);

/* The number, with .log2 and .buckets applied. @usecs: time stamps are in microseconds. 0 if it could not be read. */
uint64_t hist_value_number(const struct hist_value *v, const struct event *ev, const struct text *t, bool usecs);

/*
 * The innermost frames of the kernel stack as the kernel gives them: addresses behind calls, from the probe's place on, or at a return
 * from the caller on. Frames that there are not are 0.
 */
void hist_value_stack(const struct event *ev, uint64_t to[COUNT_FRAMES]);

/* The string, cut to its size; the rest of @to becomes zero. */
void hist_value_string(const struct hist_value *v, const struct event *ev, const struct text *t, char to[HIST_STRING_SIZE]);

#endif
