/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_switches.h - what triggers of kept events switch: all events of the store, one event, or its histograms.
 */
#ifndef KEEP_KEPT_SWITCHES_H
#define KEEP_KEPT_SWITCHES_H

#include "hist/triggers.h"
#include "keep/store.h"
#include "plan/act.h"

struct kept_switches {
	struct arena *arena;
	const struct stored *list;	/* the events that are kept already */
	unsigned nr;
	int tracing_fd;			/* the switch of all events of the store */
	struct triggers_reach reach;	/* what triggers may name besides the events of the run */
	int *fds;			/* to be closed at the end */
	unsigned nr_fds, size_fds;
};

/* Opens what the store has, or takes a copy of @given, or makes the switch of all (@given -1). The store is locked. -errno with @diag. */
int kept_switches_open(struct arena *arena, const struct stored *list, unsigned nr, int given, struct kept_switches *ret, struct diag *diag);
void kept_switches_close(struct kept_switches *s);	/* one that was not opened, all zeroes, is fine */

/*
 * What triggers may name: the kept events @list, and what their triggers name already. That may be gone or damaged by now; such a trigger
 * must still be listed and removed. Lives in @arena.
 */
const struct triggers_other *kept_others(struct arena *arena, const struct stored *list, unsigned nr, unsigned *ret_nr);

/* The switch of event @group/@event of the list: a descriptor that stays open until the end. -ENOENT: there is none. */
int kept_switches_event(struct kept_switches *s, const char *group, const char *event);

/*
 * What @t writes to, if its event is in the list: see struct act. -ENOENT with @diag: an older bprobe kept the event, or one of those
 * that traceoff means.
 */
int kept_switches_words(struct kept_switches *s, const struct trigger *t, const struct act_word **ret, unsigned *ret_nr,
			struct diag *diag);

/* Refuses @t: @ev was kept by an older bprobe, whose programs have no switch. -ENOENT with @diag. */
int kept_switches_refuse_old(const struct stored *ev, const struct trigger *t, struct diag *diag);

/* Is the store's recording switched off? False also if it has no switch. */
bool kept_switches_all_off(const struct stored *list, unsigned nr);

/* Is the event switched off by a trigger? */
bool kept_switches_is_off(const struct stored *ev);

/* Switches all on or off; -errno with @diag. */
int kept_switches_set_all(const struct stored *list, unsigned nr, bool off, struct diag *diag);

/* Reports events of an older bprobe, which have no switch, on standard error. Returns their number. */
unsigned kept_switches_report_old(const struct stored *list, unsigned nr);

/* Switches the event off, as a trigger does, or on. -ENOENT: it has no switch. Other errors of bpf(2). */
int kept_switches_set(const struct stored *ev, bool off);

/*
 * Refuses to remove @ev while a trigger of an event that stays switches it: -EBUSY with @diag. @goes tells which events are removed, too.
 */
int kept_switches_check_remove(const struct stored *list, unsigned nr, const struct stored *ev,
			       bool (*goes)(void *ctx, const struct stored *ev), void *ctx, struct diag *diag);

#endif
