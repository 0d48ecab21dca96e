/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - kept events: a directory of the BPF file system that plays the part of tracefs.
 *
 *	STORE/+self		bprobe's own processes, whose hits are left out of all events (run/selves.h)
 *	STORE/GROUP/EVENT/	info		what the event is (run/kept.h)
 *				state		what readers have told so far
 *				rings ring0..	its channel
 *				stats saved once
 *				prog0 link0..	each probe's program; a link where it is enabled
 *				saver0 keep0	the one that keeps parameters, and its link
 *				events		5.10: perf events in place of links
 *				on		the event is enabled: all of it is attached
 *				+join1/		probes that joined the event later: the same files
 *
 * Nothing else remembers anything: 'rm -r' of an event's directory removes the event from the kernel.
 * Whoever looks at the store or changes it holds a lock on its directory, which the kernel takes away
 * with the process. An event is made in a directory whose name no group can have, and renamed when it is whole;
 * what a killed bprobe left under such a name is removed by the next one.
 */
#ifndef RUN_STORE_H
#define RUN_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/attach.h"
#include "base/arena.h"
#include "base/diag.h"
#include "run/channel.h"
#include "run/identity.h"
#include "run/kept.h"
#include "run/selves.h"

#define STORE_DEFAULT	"/sys/fs/bpf/bprobe"

/*
 * This process leaves itself out of the events that are kept in @dir (NULL: STORE_DEFAULT), whether they are used or not. It opens
 * one file only. So kept probes see little of this process before it is left out. Without that file nobody can be left out,
 * and that is no error. store_rejoin() is for its end; fine in any case.
 */
struct left_out {
	struct selves selves;
	struct identity self;
};
void store_leave_out(const char *dir, struct left_out *ret);
void store_rejoin(struct left_out *l);

struct store {
	const char *dir;
	int fd;				/* of the directory, locked */
};

/*
 * Opens and locks the store in @dir (NULL: STORE_DEFAULT), and removes what a killed bprobe left. With @make it is made, and the
 * BPF file system mounted, if need be; else -ENOENT, without words, where there is none. -EPERM, -EBUSY
 * (somebody holds the lock for long), ... with @diag.
 */
int store_open(const char *dir, bool make, struct store *ret, struct diag *diag);
void store_close(struct store *s);

/*
 * The names in @dir, the store's for its groups or a group's for its events, which need not be open nor even there; from
 * @arena. Returns their number.
 */
unsigned store_names(const char *dir, struct arena *arena, const char ***ret);

/* Is this name in an event's directory that of a part which joined the event later? No group or event can have such a name. */
bool store_is_join(const char *name);

/* An event of the store. */
struct stored {
	struct kept kept;
	const char *dir;		/* its directory */
	bool joined;			/* it is a part of the event that joined later, with rings of its own */
	bool enabled;
	bool foreign;			/* it was not made by bprobe: removed only by its very name */
	const char *trouble;		/* why it cannot be used, in words; then only its name is known */
};

/*
 * All events, the first one made first; from @arena. Returns their number. Probes that joined an event later are an event of the
 * same name in this list.
 */
unsigned store_list(const struct store *s, struct arena *arena, struct stored **ret);

/* ---- change ---- */

/* What is to be kept: the programs are loaded, and attached unless it is to be disabled. */
struct store_probe {
	/* The latter: NULL where there is none. store_replace(): both, where nothing changes. */
	const struct attached *attached, *saver;
};

/* The processes that are left out of all events of @s: made if there are none yet. -errno with @diag. */
int store_selves(const struct store *s, struct selves *ret, struct diag *diag);

/* The smallest number from @from on that no probe of @events has. */
uint32_t store_free_id(const struct stored *events, unsigned nr, uint32_t from);

/*
 * Prepares an event, or what joins one that there is: everything of it is pinned, under a name that no list shows.
 * store_commit() shows all that are prepared. -errno with @diag; whoever closes the store removes what was not committed.
 */
int store_prepare(const struct store *s, const struct kept *k, const struct channel *c,
		  const struct store_probe *probes, struct diag *diag);
int store_commit(const struct store *s, struct diag *diag);

/*
 * Takes an event out of the kernel: what hangs on descriptors goes with them. A part that joined goes alone, but the last one takes
 * the event with it where the event has no definitions of its own any more. -errno with @diag: it is there as before;
 * once no list shows it, it is removed, even where some of its files stay until the store is used next.
 */
int store_remove(const struct store *s, const struct stored *ev, struct diag *diag);

/*
 * The same for those of its definitions that are marked in @lines; the others, and all records, stay. What had been dropped
 * stays so.
 */
int store_drop(const struct store *s, const struct stored *ev, const bool *lines, struct diag *diag);

/* Attaches or detaches all its probes; all or none. Fine if that is so already. */
int store_enable(const struct stored *ev, const struct attacher *at, struct diag *diag);
int store_disable(const struct stored *ev, const struct attacher *at, struct diag *diag);

/*
 * Gives @ev, which is as @k says from now on, other programs: loaded for its channel, and attached if @ev is enabled. On
 * an error before they are all there nothing has changed. -errno with @diag.
 */
int store_replace(const struct stored *ev, const struct kept *k, const struct store_probe *probes, struct diag *diag);

/* ---- use ---- */

/* An event that is read: see store_use(). */
struct store_use {
	struct channel *channel;
	int dir_fd;			/* locked by the one that consumes; -1: by nobody */
	uint64_t *lost_before;		/* records that were lost when it was emptied last */
	uint64_t *missed;		/* of each probe, when it was enabled before */
	uint64_t *filtered;		/* of each probe: records that readers' filters have turned away */
	uint32_t *told;			/* of each probe and CPU: losses that readers have told of */
	void *state;			/* the mapping that these are in */
	size_t state_size;
};

/*
 * Opens the rings and counters of @ev. With @consume no other may: -EBUSY with the other's process in @diag. The store need
 * not stay open. store_unuse() closes.
 */
int store_use(const struct stored *ev, bool consume, struct store_use *ret, struct diag *diag);
void store_unuse(struct store_use *u);

/* Is it still in the store? */
bool store_use_lives(const struct store_use *u);

/* Hits for which probe @i did not run. False: this kernel does not count them. */
bool store_missed(const struct stored *ev, const struct attacher *at, const struct store_use *u, unsigned i,
		  uint64_t *ret);

#endif
