/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.h - the COMMAND that is traced.
 */
#ifndef TRACE_COMMAND_H
#define TRACE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "trace/signals.h"

struct engine;

struct command {
	char **argv;
	pid_t pid;			/* 0: none */
	int go_fd;			/* a byte here lets it start; -1: started */
	int failed_fd;			/* says why it could not be executed */
	bool ended;
	int status;			/* as an exit status, when ended */
};

/*
 * Forks; the child waits until command_start(). It is made before anything is
 * attached, so that its pid is known. @engine may be NULL: do not mark it.
 * PATH has been searched by then, so the search is not counted as COMMAND's.
 */
int command_prepare(struct command *c, char **argv, const struct engine *engine,
		    const struct signals *signals, struct diag *diag);

/*
 * Lets it execute. Returns 0, or -errno; *ret_own says whether it was bprobe's own
 * part that failed, and not the execution.
 */
int command_start(struct command *c, bool *ret_own);

/* Collects it if it has ended; sets ended and status. */
void command_reap(struct command *c);

/*
 * Asks it to end (SIGTERM), and after two seconds makes it (SIGKILL); it has ended
 * when this returns.
 */
void command_stop(struct command *c);

/* Stops what was prepared or runs. */
void command_close(struct command *c);

#endif
