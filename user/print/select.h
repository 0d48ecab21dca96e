/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select.h - does an event's filter want it?
 *
 * For what BPF leaves to user space (plan/filter.h, FILTER_USER); says of every event what BPF would say.
 */
#ifndef PRINT_SELECT_H
#define PRINT_SELECT_H

#include "plan/filter.h"
#include "print/event.h"

struct ksyms;
struct text;

/* @text: by which rules and symbols lines are made. */
bool select_event(const struct filter *filter, const struct text *text, const struct event *ev);

#endif
