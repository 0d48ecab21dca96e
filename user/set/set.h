/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * set.h - the set of probes of one command: from the words of the command line to
 * attached programs, and back.
 */
#ifndef SET_SET_H
#define SET_SET_H

#include <stdbool.h>

#include "attach/attach.h"
#include "base/diag.h"
#include "kernel/btf/kbtf.h"
#include "kernel/ksyscall.h"
#include "kernel/ktask.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "lang/synthetic.h"
#include "plan/plan.h"
#include "run/detach.h"
#include "run/engine.h"
#include "run/identity.h"
#include "run/selves.h"
#include "set/machine.h"
#include "set/host.h"
#include "set/opts.h"

/* One definition of several places: a pattern, or a line of the source. The numbers are in the first probe of each family. */
struct family {
	const struct probe_def *def;	/* the definition that this came from; NULL: it means one place */
	unsigned nr;			/* > 0: this many probes, starting with this one, belong to it */
	unsigned nr_functions;		/* ... with so many functions */
	unsigned nr_calls;		/* ... of which so many are system calls with such a name */
	unsigned left_out;		/* functions that match the pattern but have no probe */
	const char *why_left_out;	/* ... the reason of most of them, without those that are refused by their names alone; or NULL */
	const char *all_left_out;	/* ... all reasons, "NUMBER: REASON" on a line each; or NULL */
	unsigned nr_repeated;		/* of places in the source: see struct expanded */
	const char *const *files;
	unsigned nr_files;
};

/* One program that is attached to many functions. */
struct many {
	const struct backend *backend;	/* NULL: it is attached to one place */
	const uint64_t *addrs;
	const uint32_t *ids;		/* see struct target */
	unsigned nr;
	const char *why_dearer;		/* why not by a cheaper backend; or NULL */
};

enum probe_state {
	PROBE_READY,			/* it waits for its turn to be attached */
	PROBE_DISABLED,			/* it is loaded, and not attached */
	PROBE_WAITS,			/* its module has not come yet, or has gone */
	PROBE_FAILED,			/* its module came, but it could not be attached: it waits for the next loading */
	PROBE_ACTIVE,			/* it is attached */
	PROBE_DETACHED,			/* it was attached; its counters can still be read */
	PROBE_REMOVED,			/* another bprobe removed it: it never comes back */
};

/* What became of its hits, as far as the rings do not know it. */
struct outcomes {
	bool missed_known;
	uint64_t missed;		/* as last read from the kernel */
	uint64_t filtered;		/* hits that the filter in user space rejected */
	uint64_t undecided;		/* ... because a value could not be read */
	uint64_t overwritten;		/* records that newer ones took the place of; known at the end */
};

struct probe {
	struct probe_def *def;
	struct plan *plan;		/* NULL: waits for its module, which has not come yet */
	struct origin from;
	const struct probe_def *replaced;	/* v13: the previous definition that this one replaces; or NULL */
	struct family family;
	struct many many;
	const char *why_not_inlined;	/* the function may be inlined somewhere, too: why those copies have no probe; or NULL */
	const char *copies_left_out;	/* copies of the function that the compiler made and that have no probe, each with its reason; or NULL */
	struct slot slot;		/* where its hits go */
	struct attached attached;
	struct attached saver;		/* saves parameters for a return probe */
	enum probe_state state;
	bool selects;			/* BPF alone cannot decide its filter */
	struct outcomes outcomes;
};

/* The link that many definitions share: set/bundle.h. */
struct bundle {
	bool is_open;
	struct attached attached;
	int map_fd;			/* of their programs */
	unsigned nr_active;		/* how many of them record */
};

struct set {
	struct arena arena;
	const struct set_host *host;
	void *host_ctx;
	const struct set_opts *opts;
	const struct word *words;	/* of the command line; NULL: the definitions come from elsewhere */
	unsigned nr_words;
	struct machine machine;
	struct ktask task;		/* filled in if the choice of tasks or the limits need it */
	struct identity self;		/* bprobe itself, as programs see it */
	struct engine *engine;
	struct selves selves;		/* the processes that programs leave out */
	struct channel *channel;	/* of all probes; NULL if the host opens channels */
	struct attacher attacher;
	struct probe *probes;
	unsigned nr_probes, size_probes;
	struct bundle bundle;
	unsigned nr_active, nr_waiting;
	struct pair *pairs;		/* --pair */
	unsigned nr_pairs;
	struct synthetic_def **synthetics;	/* events that triggers make */
	struct plan **synthetic_plans;	/* ... with their layouts; set by trigger_run_open() */
	const struct count_made *mades;	/* ... if programs make them; NULL: user space does */
	unsigned nr_synthetics;
	unsigned nr_triggers;		/* of all definitions */
	bool has_switches;		/* triggers of this run switch events, by the map */
	int switch_fd;			/* ... for all, and for each event: struct bp_switch */
	const struct probe_def **removals;	/* '-:' lines that mean no probe of this run */
	unsigned nr_removals, size_removals;
};

/* The first step: a set without definitions. @opts and @ctx must live as long as the set. */
void set_init(struct set *s, const struct set_host *host, void *ctx, const struct set_opts *opts);

/*
 * Each step returns 0 or -errno with @diag. All definitions pass one step before the first definition takes the next step.
 * set_close() undoes all steps that were done.
 */
int set_parse(struct set *s, const struct word *words, unsigned nr_words, struct diag *diag);
int set_open_kernel(struct set *s, struct diag *diag);	/* symbols, types */
int set_resolve(struct set *s, struct diag *diag);
int set_load(struct set *s, bool all_tasks, struct diag *diag);

/*
 * Are bprobe's own hits left out? No, if only COMMAND is traced, if the traced process was named by its number, or with
 * --self.
 */
bool set_leaves_out(const struct set *s, bool all_tasks);

/* What the gates of all definitions test, for loading and for --explain: without descriptors and places in maps. */
struct gate_env set_gate(struct set *s, bool all_tasks);

/*
 * Leaves out bprobe and its process @helper (0: there is none; otherwise the last forked process), unless the user asked to
 * trace them.
 */
int set_leave_out(struct set *s, pid_t helper, struct diag *diag);
int set_attach(struct set *s, struct diag *diag);

/* The part of set_load() for one probe. */
int set_load_probe(struct set *s, struct probe *p, struct diag *diag);
void set_close(struct set *s);

/* Bytes of a ring: what --buffer says, and enough for the largest record; 0: the default. */
uint64_t set_ring_size(const struct set *s);

/* A channel for all definitions, which saves parameters for returns if @saves. Their number may be changed. */
struct channel_opts set_channel_opts(struct set *s, bool saves);

/* The facts for resolving. */
struct facts set_facts(struct set *s);

/* How many hits of @p the kernel has missed so far. False: it does not tell all of them. */
bool set_missed(const struct set *s, const struct probe *p, uint64_t *ret);

/* Detaches one probe; its counters stay readable. */
void set_detach(struct set *s, struct probe *p);
void set_detach_all(struct set *s);

/* Does the kernel need long to detach all probes (DETACH_SLOW_MS)? */
bool set_detaches_slowly(const struct set *s);

/* The same for the probes that @marks has, one for each probe of @s. */
bool set_detaches_some_slowly(const struct set *s, const bool *marks);

/*
 * The first half of set_detach_all(), which is fast: no hit is recorded from now on. The second half is set_hand_over(),
 * or set_detach_all().
 */
void set_stop(struct set *s);

/* Moves what attaches the probes to @to, which closes it. */
void set_hand_over(struct set *s, struct detach *to);

/* Both halves for the probes that @marks has. */
void set_hand_over_some(struct set *s, const bool *marks, struct detach *to);

/* ---- modules that come and go ---- */

/* Does a probe of this set name module @name (NULL: any)? */
bool set_names_module(const struct set *s, const char *name);

/* Reads symbols and types again. What was resolved keeps its addresses. */
int set_reread_symbols(struct set *s, struct diag *diag);

/*
 * Resolves and attaches the waiting probe @p. @ready is called with its index before it is attached; its error refuses the probe.
 * -EAGAIN: its module is still not loaded. After another error the probe counts as failed until the module is loaded once more.
 */
int set_attach_waiting(struct set *s, struct probe *p, int (*ready)(void *ctx, unsigned i, struct diag *diag), void *ctx,
			   struct diag *diag);

/* Does @p belong to a pattern, but not as its first function? Messages about the first one stand for all. */
bool probe_follows(const struct probe *p);

/* Appends the definition that @p came from, in its listed form. */
void probe_print_definition(const struct probe *p, struct buf *out);

/* The same; but if that definition has a pattern, this appends the definition for the one function of @p. */
void probe_print_function(const struct probe *p, struct buf *out);

/*
 * Appends a line of -l: probe_print_definition(), and as a comment what the definition cannot express. @faithful: the
 * comment also mentions this option (kept probes list their options).
 */
void probe_print_listing(const struct probe *p, bool faithful, struct buf *out);

/* Does @p name module @name (NULL: any)? */
bool probe_in_module(const struct probe *p, const char *name);

/* To be called when the module of the attached probe @p was unloaded. From now on @p waits. */
void set_detach_gone(struct set *s, struct probe *p);

/* The module that @p is in, and which loading of this module (modload_id()) to @ret_load. NULL: it is in none, and *ret_load is 0. */
const char *set_find_module(const struct set *s, const struct probe *p, uint64_t *ret_load);

/* Does @p wait for a module? */
bool probe_waits(const struct probe *p);

#endif
