/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * registry.h - the running bprobes of this machine, so that one can list and
 * remove the probes of another.
 *
 * Each running bprobe owns /run/bprobe/PID.lock (held with flock) and the socket
 * /run/bprobe/PID.sock, both mode 0600 in a directory of mode 0700. A lock that
 * can be taken belongs to one that was killed: its files are removed.
 */
#ifndef RUN_REGISTRY_H
#define RUN_REGISTRY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"

/* The longest NAME that can be asked for: GROUP/EVENT and what a probe of it is, no more than a definition has. */
enum { REGISTRY_NAME_MAX = 4094 };

/* ---- the bprobe that owns probes ---- */

struct registry;

/* What a request asks of the owner. The owner's main loop answers. */
struct registry_ops {
	/* Appends one line for each probe in kprobe_events form, '# comment' included. */
	void (*list)(void *ctx, struct buf *out);
	/*
	 * Removes the probes that match @name ("EVENT", "GROUP/EVENT" or "GROUP/", and words behind it that the
	 * probe's listing must begin with: its place and arguments).
	 * Returns how many went, 0 for none, -errno with a sentence in @why.
	 */
	int (*remove)(void *ctx, const char *name, struct buf *why);
	void *ctx;
};

/*
 * Makes the files under @dir (NULL: /run/bprobe), removing what dead owners left.
 * @dir is made if need be (not its parents) and refused if it is not ours or can
 * be written by others. *ops is copied. -errno with @diag. registry_close()
 * removes the files again; NULL is fine.
 */
int registry_open(const char *dir, const struct registry_ops *ops, struct registry **ret,
		  struct diag *diag);
void registry_close(struct registry *r);

/*
 * The descriptor to poll for reading (an epoll of its own covers the listening
 * socket and its clients), and what to call then: accepts, reads and answers
 * without ever blocking. A client that stalls or sends rubbish is dropped and
 * cannot disturb the owner. The reply to a removal is on its way when this
 * returns, so the owner may end at once.
 */
int registry_fd(const struct registry *r);
void registry_serve(struct registry *r);

/* ---- the one that asks ---- */

/*
 * All probes of all running bprobes, one line each, appended to @out. A bprobe that
 * does not answer within two seconds (stopped, say) is an error, -ETIMEDOUT with
 * @diag naming it and any others, but @out has the probes of all that did. No
 * directory means that none runs: 0.
 */
int registry_list(const char *dir, struct buf *out, struct diag *diag);

/*
 * Removes @name wherever it runs. Returns how many probes went; 0 when no running
 * bprobe has it; -errno with @diag when one could not be asked or refused. All
 * others have removed theirs even then; a note says how many went.
 */
int registry_remove(const char *dir, const char *name, struct diag *diag);

#endif
