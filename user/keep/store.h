/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - kept events: a directory of the BPF file system that plays the part of tracefs.
 *
 *	STORE/+self		bprobe's own processes, whose hits are left out of all events (run/selves.h)
 *	STORE/GROUP/EVENT/	info		what the event is (keep/kept.h)
 *				state		what readers have reported so far
 *				rings bell	its channel
 *				stats saved once switches watch
 *				table0 counted0	what the programs count for the first trigger, and its state
 *				switch tracing	what triggers switch: this event, and all events of the store
 *				prog0 link0..	each probe's program; its link if the event is enabled
 *				saver0 keep0	the program that keeps parameters or the time, and its link
 *				events		5.10: perf events instead of links
 *				on		the event is enabled: all of it is attached
 *				+join1/		probes that joined the event later: the same files
 *
 * A synthetic event has no programs.
 *
 * All state is in this directory: 'rm -r' of an event's directory removes the event from the kernel.
 * Whoever reads or changes the store holds a lock on its directory. The kernel releases this lock when the process
 * ends. An event is created in a directory whose name no group can have. When it is complete, it is renamed.
 * If bprobe was killed before that, the next bprobe removes what is left under such a name.
 */
#ifndef KEEP_STORE_H
#define KEEP_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/attach.h"
#include "base/arena.h"
#include "base/diag.h"
#include "keep/kept.h"
#include "run/channel.h"
#include "run/detach.h"
#include "run/identity.h"
#include "run/losses.h"
#include "run/selves.h"

#define STORE_DEFAULT	"/sys/fs/bpf/bprobe"

/*
 * Leaves this process out of the events kept in @dir (NULL: STORE_DEFAULT), whether they are used or not. It opens only one
 * file, so kept probes see little of this process before it is left out. If this file does not exist, nobody can be left
 * out, and that is no error. Call store_rejoin() at the end; it is fine in any case.
 */
struct left_out {
	struct selves selves;
	struct identity self;
};
void store_leave_out(const char *dir, struct left_out *ret);
void store_rejoin(struct left_out *l);

struct store {
	const char *dir;
	int fd;				/* of the directory; locked */
};

/*
 * Opens and locks the store in @dir (NULL: STORE_DEFAULT), and removes what a killed bprobe left. With @make, creates the
 * store and mounts the BPF file system if necessary. Otherwise a missing store is -ENOENT without a message. -EPERM, -EBUSY
 * (another process holds the lock for long), ... with @diag.
 */
int store_open(const char *dir, bool make, struct store *ret, struct diag *diag);
void store_close(struct store *s);

/*
 * The names in @dir, from @arena: the groups of the store, or the events of a group. @dir need not be open, and need not
 * exist. Returns their number.
 */
unsigned store_names(const char *dir, struct arena *arena, const char ***ret);

/* Is @name in an event's directory the name of a part that joined the event later? No group or event can have such a name. */
bool store_is_join(const char *name);

/* An event of the store. */
struct stored {
	struct kept kept;
	const char *dir;		/* its directory */
	bool joined;			/* it is a part that joined the event later, with its own rings */
	bool enabled;
	bool foreign;			/* bprobe did not make it: only its exact name removes it */
	const char *trouble;		/* why it cannot be used, as text; then only its name is known */
};

/*
 * All events, oldest first, from @arena. Returns their number. Probes that joined an event later are a separate entry with
 * the same name.
 */
unsigned store_list(const struct store *s, struct arena *arena, struct stored **ret);

/*
 * The definition of the kept synthetic event @name of the store in @dir (NULL: STORE_DEFAULT), in @arena; NULL: there is none, or it
 * cannot be read. The store need not be open.
 */
const char *store_find_synthetic(const char *dir, struct arena *arena, const char *name);

/*
 * Opens the table of trigger @number of @ev: its key_size must be set, or is 0 if any is right, or the trigger needs none.
 * -ENOENT: the event has none. -EBADMSG: it is another one. The caller closes it: count_map_close().
 */
int store_open_table(const struct stored *ev, unsigned number, struct count_table *ret);

/*
 * The switch of all events, and that of @ev: maps of one struct bp_switch. A descriptor, which the caller closes, or -errno. -ENOENT: no
 * event has one, or an older bprobe kept @ev.
 */
int store_open_tracing(const struct stored *events, unsigned nr);
int store_open_switch(const struct stored *ev);

/* ---- change ---- */

/* A probe to keep: its programs are loaded, and attached unless the event shall be disabled. */
struct store_probe {
	/* saver: NULL if there is none. Both NULL: of a synthetic event; or for store_replace(), if nothing changes. */
	const struct attached *attached, *saver;
};

/* The processes left out of all events of @s. Creates the map if there is none yet. -errno with @diag. */
int store_selves(const struct store *s, struct selves *ret, struct diag *diag);

/* The smallest number, not below @from, that no probe of @events has. */
uint32_t store_free_id(const struct stored *events, unsigned nr, uint32_t from);

/*
 * Prepares an event, or a part that joins an existing event: pins all of it under a name that no list shows. store_commit()
 * makes everything visible that was prepared. -errno with @diag; when the store is closed, everything that was not committed
 * is removed.
 */
int store_prepare(const struct store *s, const struct kept *k, const struct channel *c,
		  const struct store_probe *probes, struct diag *diag);
int store_commit(const struct store *s, struct diag *diag);

/* Removes what was prepared and not committed. */
void store_abandon(const struct store *s);

/*
 * Removes an event from the kernel, with everything that its descriptors hold. A part that joined is removed alone; but if
 * the event has no definitions of its own any more, the last part takes the event with it. -errno with @diag: the event is
 * unchanged. Removed means unlisted; files may remain until the next use of the store.
 * It is detached when this returns; or if @later is not NULL, when the caller closes what this adds to @later.
 */
int store_remove(const struct store *s, const struct stored *ev, struct detach *later, struct diag *diag);

/*
 * The same for those of its definitions that are marked in @lines. The other definitions and all records stay. What was
 * dropped earlier stays dropped.
 */
int store_drop(const struct store *s, const struct stored *ev, const bool *lines, struct diag *diag);

/* Attaches or detaches all its probes: all or none. It is fine if this is already so. */
int store_enable(const struct stored *ev, const struct attacher *at, struct diag *diag);
int store_disable(const struct stored *ev, struct diag *diag);

/*
 * Gives @ev other programs, and attached if @ev is enabled. @k describes @ev from now on. @c: another channel, for which the
 * programs are loaded; what the old one has is lost; NULL: they are loaded for the one that @ev has. If an error happens before
 * all programs are there, nothing has changed. -errno with @diag.
 */
int store_replace(const struct stored *ev, const struct kept *k, const struct channel *c, const struct store_probe *probes,
		  struct diag *diag);

/* ---- use ---- */

/* An event that is being read: see store_use(). */
struct store_use {
	struct channel *channel;
	int dir_fd;			/* locked by a reader that consumes; -1: not locked */
	uint64_t *lost_before;		/* number of lost records when it was last emptied */
	uint64_t *missed;		/* for each probe: misses from earlier times when it was enabled */
	uint64_t *filtered;		/* for each probe: records that readers' filters have rejected */
	uint64_t *cleared;		/* for each probe: records that were dropped or overwritten until it was last emptied, as far as
					   its rings overwrite */
	struct losses *losses;		/* for each probe and CPU: which records and losses readers have reported */
	void *state;			/* the mapping that holds these arrays */
	size_t state_size;
};

/*
 * Opens the rings and counters of @ev. With @consume no other process may consume: -EBUSY with that process in @diag.
 * -EPROTONOSUPPORT with @diag: see store_check_version(). The store need not stay open. store_unuse() closes.
 */
int store_use(const struct stored *ev, bool consume, struct store_use *ret, struct diag *diag);
void store_unuse(struct store_use *u);

/*
 * Can this bprobe read the records and counters of @ev? If an older version kept it, it can be listed, detached, removed, and
 * kept anew. -EPROTONOSUPPORT with @diag, which says that --renew does the last.
 */
int store_check_version(const struct stored *ev, struct diag *diag);

/* Is the event still in the store? */
bool store_use_lives(const struct store_use *u);

/* The number of hits for which probe @i did not run. False: this kernel does not count them. */
bool store_missed(const struct stored *ev, const struct attacher *at, const struct store_use *u, unsigned i,
		  uint64_t *ret);

#endif
