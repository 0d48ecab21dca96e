/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - the probes of one run: from the words of the command line to
 * attached programs, and back.
 */
#ifndef TRACE_SESSION_H
#define TRACE_SESSION_H

#include <stdbool.h>

#include "attach/attach.h"
#include "base/diag.h"
#include "kernel/btf/kbtf.h"
#include "kernel/features.h"
#include "kernel/ktask.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "plan/plan.h"
#include "run/engine.h"
#include "run/identity.h"
#include "run/kept.h"
#include "run/selves.h"
#include "trace/options.h"

struct probe {
	struct probe_def *def;
	struct plan *plan;		/* NULL: waits for its module, which never came yet */
	const struct probe_def *replaced;	/* v13: the one before, whose place it takes; or NULL */
	const char *file;		/* where the definition stands, for errors; or NULL */
	unsigned line;
	struct slot slot;		/* where its hits go */
	struct attached attached;
	struct attached saver;		/* keeps parameters for a return probe */
	const struct probe_def *pattern;	/* the definition that this came from, or NULL */
	unsigned nr_family;		/* > 0: so many probes, from this one on, are that definition's */
	const uint64_t *addrs;		/* or one program stands at all of these */
	unsigned nr_addrs;
	unsigned nr_calls;		/* of the pattern's functions, those that are system calls by such a name */
	unsigned left_out;		/* functions that the pattern names and that have no probe */
	bool disabled;			/* it is only loaded */
	bool active;			/* attached */
	bool failed;			/* its module came, but it could not be attached */
	bool removed;			/* by another bprobe: never comes back */
	bool missed_known;
	uint64_t missed;		/* as last read from the kernel */
	bool selects;			/* its filter is not decided in BPF alone */
	uint64_t filtered;		/* hits that user space turned away */
};

struct session {
	struct arena arena;
	const struct options *opts;
	struct ksyms *ks;		/* NULL: could not be read (only --explain goes on then) */
	struct kbtf *btf;
	struct kmem *mem;		/* NULL: cannot be read, and */
	const char *mem_missing;	/* this is why */
	struct ktext *text;		/* NULL: no code can be read */
	struct features features;
	struct ktask task;		/* asked when who is traced or the limits need it */
	struct identity self;		/* bprobe, as programs see it */
	struct engine *engine;
	struct selves selves;		/* who is left out of them */
	struct channel *channel;	/* of all probes, unless */
	/* this gives each probe its slot, when programs can be loaded; NULL: they have one channel. */
	int (*open_channels)(struct session *s, bool saves, struct diag *diag);
	struct attacher attacher;
	struct probe *probes;
	unsigned nr_probes, size_probes;
	unsigned nr_active, nr_waiting;
	const struct probe_def **removals;	/* '-:' lines that mean no probe of this run */
	unsigned nr_removals;
};

/*
 * Each step returns 0 or -errno with @diag. All definitions pass one step before
 * the first takes the next; session_close() undoes whatever was done.
 */
int session_parse(struct session *s, const struct options *opts, struct diag *diag);
int session_open_kernel(struct session *s, struct diag *diag);	/* symbols, types */
int session_resolve(struct session *s, struct diag *diag);
int session_load(struct session *s, bool all_tasks, struct diag *diag);

/* Are bprobe's own hits left out? Not where only COMMAND is traced, or what was named by its number, or with --self. */
bool session_leaves_out(const struct session *s, bool all_tasks);

/* bprobe and its process @helper (0: there is none; else the one forked last) are not traced, unless that was asked for. */
int session_leave_out(struct session *s, pid_t helper, struct diag *diag);
int session_attach(struct session *s, struct diag *diag);
void session_close(struct session *s);

/* Bytes of a ring as --buffer has it, and for the largest record; 0: the default. */
uint64_t session_ring_size(const struct session *s);

/* What resolving may ask. */
struct facts session_facts(const struct session *s);

/* Detaches one probe; its counters stay readable. */
void session_detach(struct session *s, struct probe *p);
void session_detach_all(struct session *s);

/* ---- modules that come and go ---- */

/* Does a probe of this session name module @name (NULL: any)? */
bool session_names_module(const struct session *s, const char *name);

/* Symbols and types as they are now; what was resolved keeps its addresses. */
int session_reread_symbols(struct session *s, struct diag *diag);

/*
 * Resolves and attaches @p, which waits. -EAGAIN: its module is still not there. After
 * another error it counts as failed, until the module comes once more.
 */
int session_attach_waiting(struct session *s, struct probe *p, struct diag *diag);

/* Is @p a pattern's function, but not the first? What is said of that is said of all. */
bool session_follows(const struct probe *p);

/* Appends the definition that @p came from, as it is listed. */
void session_print_definition(const struct probe *p, struct buf *out);

/* The same, but where that has a pattern, for the one function that @p is of. */
void session_print_function(const struct probe *p, struct buf *out);

/*
 * As session_print_definition() with what that cannot tell as a comment: a line of -l. @faithful: that is said, too (kept ones
 * list their options).
 */
void session_print_listing(const struct probe *p, bool faithful, struct buf *out);

/* Does @p name module @name (NULL: any)? */
bool session_in_module(const struct probe *p, const char *name);

/* The module of @p, which is attached, has gone: it waits from now on. */
void session_detach_gone(struct session *s, struct probe *p);

/* Notes in @ret which module @p is in, if any, and which loading of it. */
void session_find_module(const struct session *s, const struct probe *p, struct kept_probe *ret);

/* Does @p wait for a module? */
bool session_waits(const struct probe *p);

#endif
