/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * registry.h - the running bprobes of this machine, so that one can list and
 * remove the probes of another.
 *
 * Each running bprobe owns /run/bprobe/PID.lock (held with flock) and the socket
 * /run/bprobe/PID.sock, both mode 0600 in a directory of mode 0700. If a lock can
 * be taken, its owner was killed: its files are removed.
 */
#ifndef REGISTRY_REGISTRY_H
#define REGISTRY_REGISTRY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"

/* The longest NAME in a request: GROUP/EVENT and the words of a probe, no longer than a definition can be. */
enum { REGISTRY_NAME_MAX = 4094 };

/* ---- the bprobe that owns probes ---- */

struct registry;

/* What a request asks of the owner. The owner's main loop answers. */
struct registry_ops {
	/* Appends one line for each probe in kprobe_events form, '# comment' included. */
	void (*list)(void *ctx, struct buf *out);
	/*
	 * Removes the probes that match @name: "EVENT", "GROUP/EVENT" or "GROUP/". Words may follow; then the place and the
	 * arguments in the probe's listing must begin with them. Returns the number of removed probes (0 for none), or
	 * -errno with a sentence in @why.
	 */
	int (*remove)(void *ctx, const char *name, struct buf *why);
	void *ctx;
};

/*
 * Creates the files under @dir (NULL: /run/bprobe), and removes the files of dead owners. If necessary @dir is created (not
 * its parents). It is refused if it is not ours or if others can write to it. *ops is copied. -errno with @diag.
 * registry_close() removes the files again; NULL is fine.
 */
int registry_open(const char *dir, const struct registry_ops *ops, struct registry **ret,
		  struct diag *diag);
void registry_close(struct registry *r);

/*
 * registry_fd(): the descriptor to poll for reading (an epoll of its own, for the listening socket and its clients).
 * registry_serve(): to be called then; it accepts, reads and answers, and never blocks. A client that stalls or sends
 * invalid data is dropped and cannot disturb the owner. When this function returns, the reply to a removal has been sent. So
 * the owner may end at once.
 */
int registry_fd(const struct registry *r);
void registry_serve(struct registry *r);

/* ---- the one that asks ---- */

/*
 * Appends all probes of all running bprobes to @out, one line each. If a bprobe does not answer within two seconds (for
 * example because it is stopped), the result is -ETIMEDOUT and @diag names it and any others. Even then @out has the probes
 * of all that did answer. If the directory does not exist, no bprobe runs: 0.
 */
int registry_list(const char *dir, struct buf *out, struct diag *diag);

/*
 * Removes @name from every running bprobe. Returns the number of removed probes; 0 if no running bprobe has it; -errno with
 * @diag if one could not be asked or refused. Even then all others have removed theirs; a note tells how many probes were
 * removed.
 */
int registry_remove(const char *dir, const char *name, struct diag *diag);

#endif
