/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.h - the traced COMMAND.
 */
#ifndef TRACE_COMMAND_H
#define TRACE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/signals.h"

struct engine;

struct command {
	char **argv;
	pid_t pid;			/* 0: none */
	int go_fd;			/* a byte written here starts it; -1: started */
	int failed_fd;			/* reports why it could not be executed */
	bool ended;
	int status;			/* as an exit status; valid when ended */
};

/*
 * Forks; the child waits until command_start(). It is created before anything is attached, so that its pid is known. @engine
 * may be NULL: do not mark it. PATH has been searched by then, so this search is not traced as COMMAND's.
 */
int command_prepare(struct command *c, char **argv, const struct engine *engine,
		    const struct signals *signals, struct diag *diag);

/* Lets it execute. Returns 0 or -errno. *ret_own: bprobe's own part failed, and not the execution. */
int command_start(struct command *c, bool *ret_own);

/* Collects the process if it has ended; sets ended and status. */
void command_reap(struct command *c);

/* Asks it to end (SIGTERM), and kills it after two seconds (SIGKILL). It has ended when this returns. */
void command_stop(struct command *c);

/* Stops COMMAND, whether it is only prepared or already runs. */
void command_close(struct command *c);

#endif
