/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * head.h - which parts of a record's head somebody reads.
 *
 * A hit that only counts in tables (gen/table_code.h) never becomes a line. So its program leaves out what no key, value, filter or
 * action of it needs.
 */
#ifndef PLAN_HEAD_H
#define PLAN_HEAD_H

struct count_made;
struct plan;

/* The CPU and common_type are always there. */
enum head_part {
	HEAD_TIME = 1 << 0,		/* the time stamp */
	HEAD_PID = 1 << 1,		/* common_pid */
	HEAD_COMM = 1 << 2,		/* the task's name */
	HEAD_PLACE = 1 << 3,		/* the places in front of the arguments */
	HEAD_LINE = 1 << 4,		/* what only a line needs: number, flags, preempt_count, tgid */
	HEAD_ALL = (1 << 5) - 1,
};

/* The head_parts that @plan's program must fill in. Its stages must be settled. */
unsigned head_parts(const struct plan *plan);

/* The same for the record of the synthetic event @made, which has them of the record of its maker. */
unsigned head_parts_made(const struct count_made *made);

#endif
