/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.h - the COMMAND that is traced.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"

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
 * @mask: the signal mask that COMMAND gets.
 */
int command_prepare(struct command *c, char **argv, const struct engine *engine,
		    const sigset_t *mask, struct diag *diag);

/* Lets it execute. Returns 0, or the errno of a failed execvp(2), made negative. */
int command_start(struct command *c);

/* Collects it if it has ended (or with @wait when it has); sets ended and status. */
void command_reap(struct command *c, bool wait);

/* Ends what was prepared or runs. */
void command_close(struct command *c);

#endif
