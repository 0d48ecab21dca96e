/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asked.h - questions to debug information that were asked, and their answers.
 *
 * To read a debug file costs much, and a question little. So the questions of all definitions are collected, and each file is read once.
 * An answer may bring a new question ($vars: which variables, and then their places), so there are some rounds.
 */
#ifndef PLAN_ASKED_H
#define PLAN_ASKED_H

#include "elf/dwarf/lines.h"

struct asked;

/* asked_close() frees it; what it has answered goes with it. */
struct asked *asked_new(void);
void asked_close(struct asked *a);	/* NULL is fine */

/*
 * lines_ask() for one question. If it was asked before, the answer is at hand. Between asked_collect() and asked_answer() another question is
 * kept for later, with -EAGAIN and nothing in @diag: it must live until then. -EIO there: its file could not be read. @a may be NULL. *ret lives as long as @a, or as @arena.
 */
int asked_ask(struct asked *a, struct arena *arena, int fd, const char *name, const struct lines_query *q, struct lines_answer *ret,
	      struct diag *diag);

/* Begins a round, and ends it by asking what was kept. False: nothing was, or no file could be read: each question is asked alone then. */
void asked_collect(struct asked *a);
bool asked_answer(struct asked *a);

#endif
