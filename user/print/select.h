/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select.h - does an event pass its filter?
 *
 * For filters that BPF leaves to user space (plan/stage.h, STAGE_USER). The answer is always the one that BPF would give.
 */
#ifndef PRINT_SELECT_H
#define PRINT_SELECT_H

#include "plan/filter_plan.h"
#include "print/event.h"

struct ksyms;
struct text;

/* @text: the rules and symbols that lines are made with. */
bool select_event(const struct filter *filter, const struct text *text, const struct event *ev);

/* @ev does not pass @filter: would it, with other values in place of those that could not be read? */
bool select_undecided(const struct filter *filter, const struct text *text, const struct event *ev);

#endif
