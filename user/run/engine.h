/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * engine.h - BPF programs and maps of one bprobe.
 *
 * The compiled programs are opened once; each definition gets a copy of its own
 * with its fetch code put in place of the stub.
 */
#ifndef RUN_ENGINE_H
#define RUN_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "bprobe_abi.h"
#include "plan/plan.h"
#include "run/channel.h"

struct engine;
struct features;
struct ksyms;
struct ktask;
struct limit;
struct who;

struct engine_opts {
	const struct features *features;
	struct kbtf *btf;		/* types to relocate by; NULL: libbpf looks for them itself */
	bool saves;			/* some definition keeps parameters */
	/* May engine_load() be asked for programs of that backend, at entries or at returns? */
	bool (*may_load)(void *ctx, const struct backend *backend, bool is_return);
	void *ctx;
	bool all_tasks;			/* else only those marked by engine_mark_self() and theirs */
	bool leaves_out;		/* hits of the processes that the channel names (run/selves.h) */
	/* Borrowed as long as the engine. who and limit: NULL for none; task is for these. */
	const struct who *who;
	const struct limit *limit;
	const struct ktask *task;
	unsigned pid_level;		/* of who->pidns */
};

/*
 * Loads the programs. -EPERM, -EOPNOTSUPP, -ENOMEM, ... with
 * a sentence in @diag. engine_close() frees all of it; NULL is fine.
 */
int engine_open(const struct engine_opts *opts, const struct ksyms *ks, struct engine **ret,
		struct diag *diag);
void engine_close(struct engine *e);

/* What the kernel's @err means for programs and maps; returns it. */
int engine_explain_open(struct diag *diag, int err);

/* Does this kernel (5.11 to 5.15) need channels that keep something for each return? */
bool engine_hides_caller(const struct engine *e);

/* Where a definition's hits go. */
struct slot {
	const struct channel *channel;
	unsigned index;			/* its number there */
	uint32_t id;			/* bp_rec.probe */
	unsigned behind;		/* so many numbers behind the one whose limits it shares */
};

/*
 * Loads @plan's own program. *ret_fd is the caller's.
 */
int engine_load(struct engine *e, const struct plan *plan, const struct slot *slot, int *ret_fd,
		struct diag *diag);

/*
 * Does @plan need an entry probe: to keep parameters for its return, or because
 * this kernel (5.11 to 5.15) does not show a return probe its caller?
 */
bool engine_needs_saver(const struct engine *e, const struct plan *plan);

/*
 * Of several probes at one place the last one attached runs first. To see the
 * caller's address (5.11 to 5.15) the entry probe must run before the return probe
 * has put its trampoline there; else it comes first, so that no call is missed.
 */
bool engine_saver_is_last(const struct engine *e);

/*
 * Loads the entry probe that keeps parameters for the return probe @plan, which
 * was loaded with the same @slot. *ret_fd is the caller's.
 */
int engine_load_saver(struct engine *e, const struct plan *plan, const struct slot *slot, int *ret_fd,
		      struct diag *diag);

/* Starts following forks and execs, so that marks are inherited. */
int engine_follow(struct engine *e, struct diag *diag);

/* Marks the calling task as traced: to be called in COMMAND's process before exec. */
int engine_mark_self(const struct engine *e);

#endif
