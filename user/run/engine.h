/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * engine.h - the BPF programs and maps of one bprobe.
 *
 * The compiled programs are opened once. Each definition gets its own copy,
 * with its fetch code in place of the stub.
 */
#ifndef RUN_ENGINE_H
#define RUN_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "bprobe_abi.h"
#include "gen/gate.h"
#include "plan/plan.h"
#include "run/channel.h"

struct engine;
struct features;
struct ksyms;

struct engine_opts {
	struct features *features;	/* borrowed for the lifetime of the engine */
	struct kbtf *btf;		/* types to relocate by; NULL: libbpf finds them itself */
	bool saves;			/* some definition saves something of the entry for its return */
	bool saves_time;		/* some definition saves the time of the entry */
	bool saves_stacks;		/* ... the stack of the entry */
	bool paths;			/* some definition makes paths */
	bool waits;			/* some definition's program may wait for memory */
	bool pairs;			/* some definitions begin or end pairs */
	bool makes;			/* programs make synthetic events */
	bool links;			/* some definitions have variables for others (probe_def.is_linked) */
	/* May engine_load() be called for this backend, at entries or at returns? */
	bool (*may_load)(void *ctx, const struct backend *backend, bool is_return);
	/*
	 * Is told the size of each program that was loaded, and how many instructions the verifier walked in how many microseconds. NULL:
	 * the verifier is not asked.
	 */
	void (*loaded)(void *ctx, const struct plan *plan, unsigned nr_insns, uint64_t verified, uint64_t usecs);
	void *ctx;
	/*
	 * What gates test, without descriptors and places in maps. What it points to is borrowed for the lifetime of the engine.
	 * marks: only tasks marked by engine_mark_self() and their children; leaves_out: see run/selves.h.
	 */
	struct gate_env gate;
};

/*
 * Loads the programs. -EPERM, -EOPNOTSUPP, -ENOMEM, ... with a sentence in @diag. engine_close() frees everything; NULL is
 * fine. The types of @opts->btf are freed (kbtf_forget()): each struct kbtf_id from before is invalid.
 */
int engine_open(const struct engine_opts *opts, const struct ksyms *ks, struct engine **ret,
		struct diag *diag);
void engine_close(struct engine *e);

/* Explains in @diag what the kernel's @err means for programs and maps; returns @err. */
int engine_explain_open(struct diag *diag, int err);

/* Must channels save something for each return on this kernel (5.11 to 5.15)? */
bool engine_hides_caller(const struct engine *e);

/* Where the hits of a definition go. */
struct slot {
	struct channel *channel;
	unsigned index;			/* its number in the channel */
	uint32_t id;			/* bp_rec.probe */
	struct act_word event;		/* its bp_switch, if the channel has one for all */
	unsigned behind;		/* its distance behind the definition whose limits it shares */
};

/* Loads the program of @plan. The caller owns *ret_fd. */
int engine_load(struct engine *e, const struct plan *plan, const struct slot *slot, int *ret_fd,
		struct diag *diag);

/*
 * Loads the program that a link of many definitions runs (plan/bundle.h). At a hit of plan->target.addrs[i] it continues as the
 * program @prog_fds[i]. The addresses are ascending, none twice. The caller owns *ret_fd, and *ret_map_fd, which must stay open
 * as long as the program is attached.
 */
int engine_load_dispatcher(const struct engine *e, const struct plan *plan, const int *prog_fds, int *ret_fd, int *ret_map_fd, struct diag *diag);

/*
 * Does @plan need an entry probe? Either to save parameters or the time for its return, or because this kernel (5.11 to 5.15) does not
 * show the caller to a return probe.
 */
bool engine_needs_saver(const struct engine *e, const struct plan *plan);

/*
 * If several probes are at one place, the last attached one runs first. Two entry probes must run before the return probe has put its
 * trampoline on the stack: one that saves the caller's address (5.11 to 5.15), and one that unwinds the stack (before 5.16). These are
 * attached last. All others are attached first, so that no call is missed.
 */
bool engine_saver_is_last(const struct engine *e, const struct plan *plan);

/*
 * Loads the entry probe that saves parameters or the time for the return probe @plan, which was loaded with the same @slot. The caller
 * owns *ret_fd.
 */
int engine_load_saver(struct engine *e, const struct plan *plan, const struct slot *slot, int *ret_fd,
		      struct diag *diag);

/*
 * Where the records of the next synthetic event go: to be called for each of them, in the order of their numbers (struct count_made), before a
 * definition is loaded.
 */
void engine_set_made(struct engine *e, const struct slot *slot);

/*
 * Durations of @plan are certain only if it is known when tasks may have missed programs: then engine_watch() must be called for
 * its channel before it is loaded. The channel owns the link. @for_all: for every backend that @plan may get later.
 */
bool engine_must_watch(const struct engine *e, const struct plan *plan, bool for_all);
int engine_watch(struct engine *e, struct channel *ch, struct diag *diag);

/* For pair @nr of the channel, whose key is the task: removes what tasks that are gone have left. The channel owns the link. */
int engine_clean_pair(struct engine *e, struct channel *ch, unsigned nr, struct diag *diag);

/*
 * Waits until programs that were running have ended, so that what was recorded before channel_stop() is complete. Takes one grace
 * period of the kernel.
 */
void engine_wait_for_programs(void);

/* Starts to follow forks and execs, so that children inherit the mark. */
int engine_follow(struct engine *e, struct diag *diag);

/* Marks the calling task as traced. Must be called in COMMAND's process before exec. */
int engine_mark_self(const struct engine *e);

/* The descriptor that engine_mark_self() needs in that process. */
int engine_mark_fd(const struct engine *e);

#endif
