/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracer.h - one run of bprobe, for trace.c and what serves it.
 */
#ifndef CLI_TRACER_H
#define CLI_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/command.h"
#include "cli/lint_child.h"
#include "cli/output.h"
#include "cli/session.h"
#include "out/text.h"
#include "run/modwatch.h"
#include "run/pace.h"
#include "run/registry.h"
#include "run/ring.h"

/* Why the tracing ends. */
enum end {
	END_NOT,
	END_COMMAND,			/* COMMAND has ended */
	END_LIMIT,			/* -d or -n */
	END_SIGNAL,			/* without COMMAND the first, with it the second one */
	END_REMOVED,			/* the last probe was removed by another bprobe */
	END_CLOSED,			/* nobody reads standard output any more */
	END_OUTPUT,			/* it cannot be written */
};

struct tracer {
	const struct options *opts;
	struct session session;
	struct command command;
	struct lint_child lint;
	struct rings *rings;
	struct pace pace;
	int wait_ms;			/* before the next look at the rings; PACE_WAIT: until they wake */
	struct registry *registry;
	struct modwatch *modules;	/* NULL: no definition names a module */
	bool modules_changed;		/* told of since symbols were last read */
	struct output out;
	int out_err;			/* what output_flush() returned last */
	bool take_all;			/* whether or not the output takes them */
	struct text text;
	uint32_t *lost_shown;		/* of each probe on each CPU: what LOST lines have told */
	uint64_t nr_events;
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC; 0: none */
	struct command_signals signals;
	int signal_fd;
	enum end end;
	bool forwarded;			/* COMMAND was sent a signal: the next one ends bprobe */
};

/* The first reason given is the one. */
void tracer_end(struct tracer *t, enum end why);

/* Prints one record (a ring_record_fn); false: the output takes no more. */
bool tracer_take_record(void *ctx, const struct bp_rec *rec, uint32_t len);

#endif
