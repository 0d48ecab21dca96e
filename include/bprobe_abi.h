/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bprobe_abi.h - the contract between bpf/ and user/: the data that both sides read or write.
 *
 * A record in a ring:
 *
 *	0         56        64           fixed     marks       dyn        size
 *	| bp_rec  | common_*| ip, args … | pad to 8 | u64 bits | strings … |
 *	          `-- the body: its layout is that of the event's format text'
 *
 * The body begins with the four common fields. They are the last 8 bytes of
 * struct bp_rec. BPF leaves some of them empty (type, flags, depth); user space
 * fills those in. Each value whose read can fault has one bit in the marks. Each
 * string has one bit in the marks that means "cut". A string that could not be
 * read has length 0 in its __data_loc.
 *
 * Any change to this file changes the ABI: raise BP_ABI_VERSION. Only enum bp_patch is not part of it: its values are replaced
 * before a program is loaded.
 */
#ifndef BPROBE_ABI_H
#define BPROBE_ABI_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define BP_ABI_VERSION	7
#define BP_ABI_OLDEST	7		/* oldest version whose records and counters can be read */
#define BP_COMM_LEN	16

/*
 * The rings of a channel are the elements of one array map, which can be mapped into memory. An element is a struct bp_ring in
 * its first page, the data, and room for one record more:
 *
 *	0              4096               4096 + bytes        4096 + bytes + the longest record
 *	| struct bp_ring | data ............. | the end of a record that began before the end of the data |
 *
 * A position grows for ever; `position & (bytes - 1)` is where it is in the data. A record is contiguous and a multiple of 8
 * bytes long. Only its first 8 bytes, its seal, say that it is there:
 *
 *	seal of a finished record = position ^ bp_ring.secret ^ ((size | BP_SEAL_*) << 48)
 *
 * What a record left there before has another position in its seal, so it is never taken for this one. The secret is a random
 * number, so no string that somebody puts into a record looks like a seal.
 *
 * A program moves bp_ring.reserved on by compare and exchange, fills the record, and stores its seal as the last thing. Programs
 * may nest on a CPU, be preempted, and share a ring. Before 5.12 BPF has no such exchange: there a program is never preempted, and each
 * possible CPU has a ring of its own. Only a tracepoint's program may run in the midst of another one, in an interrupt. So plain stores
 * do, with bp_ring.busy around them: a program that finds it set has no room.
 *
 * The newest record may give back its end before it is finished: `reserved` goes back to the end of what it needs.
 *
 * A ring that discards refuses a record for which there is no room before bp_ring.free + bytes. The reader moves bp_ring.free.
 *
 * A ring that overwrites has BP_RING_PARTS parts. No record crosses the end of a part: the rest of the part is a record with
 * BP_SEAL_PAD. bp_ring.committed[part] is the number of bytes that were ever finished in it. A program enters a part only if
 * all of the part's earlier laps are finished: committed == laps * the size of a part. Otherwise it drops its record. So no late
 * program writes into a record of a later lap. The records are valid from this position on: `reserved`, rounded up to a part,
 * minus bytes. A reader looks at `reserved` again after it has copied.
 */
#define BP_RING_DATA	4096		/* offset of the data in an element */
#define BP_RING_PARTS	16
#define BP_SEAL_SHIFT	48
#define BP_SEAL_DROPPED	1ull		/* not an event: a filter rejected it, or its strings needed a longer record */
#define BP_SEAL_PAD	3ull		/* not an event either: only its seal was written */
#define BP_SEAL_FLAGS	7ull

struct bp_ring {
	/* written by programs */
	__u64 reserved;			/* position behind the newest record */
	__u64 fence;			/* written as a barrier before 5.12 */
	__u64 busy;			/* before 5.12: 1 while `reserved` is tested and changed */
	__u64 pad0[5];
	/* written by the reader */
	__u64 free;			/* position: everything before it may be overwritten */
	__u32 waiting;			/* 1: a reader sleeps; who rings the bell clears it */
	__u32 pad1;
	__u64 pad2[6];
	/* written once, before programs run */
	__u64 secret;
	__u64 bytes;			/* of the data: a power of two */
	__u64 flags;			/* BP_RING_* */
	__u64 pad3[5];
	/* written by programs, if the ring overwrites */
	__u64 committed[BP_RING_PARTS];
};
_Static_assert(sizeof(struct bp_ring) == 320, "struct bp_ring is ABI");

#define BP_RING_OVERWRITES 1ull		/* bp_ring.flags */

struct bp_rec {
	__u64 seal;
	__u64 ts;			/* CLOCK_MONOTONIC ns, read after the record was reserved */
	__u32 probe;			/* number of the definition: in this bprobe, or among the kept events */
	__u32 seq;			/* bp_stat.hits, low half: this hit is number seq of its definition on its CPU, from 1 on */
	__u32 tgid;
	__u16 cpu;
	__u16 migrate;			/* task_struct.migration_disabled, as the program sees it */
	__u32 preempt;			/* preempt_count(), as the program sees it; or UNKNOWN */
	__u16 tif;			/* thread_info.flags, low 16 bits */
	__u16 eflags;			/* the flags register of the traced code, low 16 bits; or UNKNOWN */
	char comm[BP_COMM_LEN];
	/* ---- the body ---- */
	__u16 common_type;
	__u8 common_flags;
	__u8 common_preempt_count;
	__s32 common_pid;		/* the thread, in the initial pid namespace */
};
_Static_assert(sizeof(struct bp_rec) == 64, "struct bp_rec is ABI");

#define BP_BODY_OFF		56	/* offset of the body in a record */
#define BP_PREEMPT_UNKNOWN	0xffffffffu
#define BP_EFLAGS_UNKNOWN	0xffffu

/* One for each possible CPU. Each has its own cache line. */
struct bp_cpu {
	__u64 preempt_addr;		/* address of this CPU's preempt_count; 0: not looked up yet */
	__u64 reserved[7];
};
_Static_assert(sizeof(struct bp_cpu) == 64, "struct bp_cpu is ABI");

/*
 * The counters of a group of definitions are the only value of one map:
 *
 *	0          64                                     64 + (CPUs << shift)
 *	| bp_head  | CPU 0: bp_stat of each | CPU 1 ... | bp_rate of each definition |
 *
 * The shift is BP_PATCH_STATS_SHIFT.
 */
struct bp_head {
	__u64 cleared;			/* records with an earlier time stamp were cleared: CLOCK_MONOTONIC ns; 0: none were */
	__u64 reserved[7];
};
_Static_assert(sizeof(struct bp_head) == 64, "struct bp_head is ABI");

/*
 * The processes whose hits are ignored: bprobe's own processes. This is the only value of a map. Each run has its own map; all
 * kept events of a store share one map. The number of a process selects its row, and the process uses one of the two entries of
 * that row. An entry may stay after its process has ended. A later process with the same number started after `since`, so its
 * hits are not ignored.
 */
#define BP_SELF_ROWS	512		/* a power of two */
#define BP_SELF_NONE	0xffffffffu	/* not 0: that is the idle task, and interrupts during it are traced */

struct bp_self {
	__u32 tgid;			/* in the initial pid namespace, or BP_SELF_NONE */
	__u32 reserved;
	__u64 since;			/* CLOCK_MONOTONIC ns */
};
_Static_assert(sizeof(struct bp_self) == 16, "struct bp_self is ABI");

struct bp_selves {
	struct bp_self rows[BP_SELF_ROWS][2];
};
_Static_assert(sizeof(struct bp_selves) == 16384, "struct bp_selves is ABI");

/* Hits of tasks that are not traced are not counted. Any other hit is counted in one of the first three. */
struct bp_stat {
	__u64 hits;			/* to be recorded */
	__u64 filtered;			/* rejected by the filter */
	__u64 limited;			/* rejected by a limit (rate, once) */
	__u64 lost;			/* the part of `hits` that found no room in the ring */
	__u64 faults;			/* the part of `hits` with a value that could not be read */
	__u32 ring;			/* of the CPU, set by user space; BP_RING_NONE: nothing is recorded or counted any more */
	__u32 unpaired;			/* --pair: hits that found no room to begin a pair, or end none and are not recorded */
	__u64 undecided;		/* the part of `filtered` whose condition needs a value that could not be read */
	__u32 deepest;			/* returns of user functions at the deepest level that the kernel keeps: calls below it have none */
	__u32 cold;			/* values that could not be read, in memory that the task has, but that was not there yet */
};
_Static_assert(sizeof(struct bp_stat) == 64, "struct bp_stat is ABI");

#define BP_RING_NONE	0xffffffffu

struct bp_rate {
	__u64 next;			/* CLOCK_MONOTONIC ns at which the bucket will be full again */
};
_Static_assert(sizeof(struct bp_rate) == 8, "struct bp_rate is ABI");

/* An entry of a histogram's table: the value of a hash map. */
struct bp_tally {
	__u64 hits;
	__u64 sums[2];
	char comm[BP_COMM_LEN];		/* of the task that made the entry, if the histogram shows it; else zeroes */
};
_Static_assert(sizeof(struct bp_tally) == 40, "struct bp_tally is ABI");

/*
 * Behind the bp_tally, if the entry has variables: all that is kept of one hit is one version. A program that wants to read or write it adds
 * 1 to `lock`. If the lower half is 1 then, no other program reads or writes, until it has taken the 1 back. Nobody waits. A program that
 * finds others adds 1 to the upper half instead, if its hit changes what is kept: the version is not that of the last hit any more. A version
 * is valid if it has the number that the upper half has. A program that is preempted in between goes on later, so no entry is locked for ever.
 */
struct bp_version {
	__u64 lock;			/* lower half: programs that read or write; upper half: hits that could not write */
	__u64 number;			/* the upper half when the version was written */
	__u64 time;			/* of the hit: CLOCK_MONOTONIC ns */
	__u64 reserved;
};
_Static_assert(sizeof(struct bp_version) == 32, "struct bp_version is ABI");

/* A variable of it. Behind this is a number, or a text of 256 bytes. */
struct bp_slot {
	__u64 set;			/* 0: it has no value */
};
_Static_assert(sizeof(struct bp_slot) == 8, "struct bp_slot is ABI");

/* Each table has a map with one such value, and so has each other trigger with a count. */
struct bp_count_state {
	__u64 paused;			/* not 0: nothing is counted */
	__u64 dropped;			/* hits that could not be counted, because the table was full */
	__u64 generation;		/* the first 8 bytes of keys, if the table has generations */
	__s64 left;			/* with a count: how often it still acts; below 0: several CPUs took the last one */
	__u64 raced;			/* hits that set nothing off, because others read or wrote the same variables at the same time */
	__u64 reserved[3];
};
_Static_assert(sizeof(struct bp_count_state) == 64, "struct bp_count_state is ABI");

/*
 * What triggers switch: an array of these is the value of a map. One of them is for the store or the run; its `off` is the opposite
 * of tracefs' tracing_on. Each event has one, too; there `off` is the kernel's soft-disabled state.
 */
struct bp_switch {
	__u64 off;			/* not 0: hits make no records, but their triggers act */
	__u64 reserved[7];
};
_Static_assert(sizeof(struct bp_switch) == 64, "struct bp_switch is ABI");

/*
 * What a return probe needs of the entry of the same call. An entry probe saves it. The key identifies the call: by the task, the
 * probe, and the stack pointer after the return. The first BP_REG_PARAMS parameters come in registers; the others are words on the stack.
 *
 * A value of the map has as many bytes as the channel's definitions need: only the time; or all up to the time; or the time, too.
 */
struct bp_saved_key {
	__u64 sp;
	__u32 pid;
	__u32 probe;
};
_Static_assert(sizeof(struct bp_saved_key) == 16, "struct bp_saved_key is ABI");

#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#define BP_REG_PARAMS	8
#else
#define BP_REG_PARAMS	6
#endif
#define BP_SAVED_PARAMS	14

struct bp_saved {
	__u64 param[BP_SAVED_PARAMS];
	__u64 caller;			/* the return address of the call */
	__u64 time;			/* CLOCK_MONOTONIC ns; 0: not known */
};
_Static_assert(sizeof(struct bp_saved) == 128, "struct bp_saved is ABI");

#define BP_SAVED_NO_TIME	120	/* bytes of a value without the time */
_Static_assert(BP_SAVED_NO_TIME == __builtin_offsetof(struct bp_saved, time), "the time is the last");

/*
 * Where BPF has compare and exchange, and only times are saved, that map is another one. Its only value is a table of the calls that
 * are active. The sum of the stack pointer and the probe selects a place (BP_CALLS_HASH). A call is in this place or in one of
 * those behind it.
 *
 * Stack pointers of programs are not unique: tasks of a fork have the same ones. There the number of the task is mixed with the stack
 * pointer, and a return makes a place BP_CALLS_BUSY before it believes whose it is.
 *
 * sp[] says what is in a place: 0, nothing; BP_CALLS_BUSY, a program is writing it; else the stack pointer of a call. It is changed
 * only by compare and exchange, or by the program that has made it BP_CALLS_BUSY. While a call is active, nothing else runs with
 * its stack pointer. So only the call's own programs write this stack pointer and take it out. If all its places are taken, the
 * oldest of the other calls loses its place.
 *
 * There are eight places for each of 16384 calls. The square is there because stacks have equal distances: with the factor alone,
 * there are distances at which most of the calls have the same places.
 */
#define BP_CALLS_BITS		17
#define BP_CALLS		(1 << BP_CALLS_BITS)
#define BP_CALLS_NEAR		8			/* how many places a call can have; a power of two */
#define BP_CALLS_BUSY		1
#define BP_CALLS_HASH(sum)	((sum) * (sum) * 0x9e3779b97f4a7c15ull >> (64 - BP_CALLS_BITS))

struct bp_call {
	__u32 probe;
	__u32 pid;			/* of the task: a later task may have the same stack, and an execve may change it */
	__u64 time;			/* CLOCK_MONOTONIC ns */
};

struct bp_calls {
	__u64 sp[BP_CALLS + BP_CALLS_NEAR];
	struct bp_call call[BP_CALLS + BP_CALLS_NEAR];
};
_Static_assert(sizeof(struct bp_calls) == 24 * (BP_CALLS + BP_CALLS_NEAR), "struct bp_calls is ABI");

/*
 * When tasks were last put on a CPU whose bpf_prog_active is set: it skips kprobe programs (bpf/probe.bpf.c, bp_note_skip). CLOCK_MONOTONIC ns.
 * The number of a task selects its word; tasks may share one.
 */
#define BP_SKIPS	4096		/* a power of two */

/*
 * How long the state of CPUs has been such that tasks may miss programs there, for pairs whose events are of different tasks:
 * the words behind those of tasks.
 */
#define BP_SKIPS_UNSURE	(BP_SKIPS)		/* how many CPUs are in this state */
#define BP_SKIPS_SURE	(BP_SKIPS + 1)	/* when one of them was last seen to have left it: CLOCK_MONOTONIC ns */
#define BP_SKIPS_CPUS	(BP_SKIPS + 2)	/* 1 for each CPU that is in it */

/*
 * --pair: the last hit of the first event that has no hit of the second one yet. The key is the address of the task's
 * task_struct, or the value of the field. Each pair has a map.
 */
struct bp_pair {
	__u64 time;			/* of the hit: bp_rec.ts, or of a hit that was lost; 0: it is not known, or was taken */
	__u64 seal;			/* BP_PAIR_SEAL: the entry's memory may be given to another key at any time */
};
_Static_assert(sizeof(struct bp_pair) == 16, "struct bp_pair is ABI");

#define BP_PAIR_SEAL(time, key)	((time) ^ ((key) + 1) * 0x9e3779b97f4a7c15ull)

/*
 * Where BPF has compare and exchange, and the key is the task, most tasks need no entry in that map. The only value of another map is a
 * table of places, and the address of a task selects its place (BP_PAIR_HASH). If nobody has the place, the task gets it by compare and
 * exchange, and keeps it until nothing refers to the task any more. Meanwhile only programs that the task itself runs into use it. If
 * another task has the place, the first map is used. A task that has a place may have an older entry there, at which nobody looks.
 */
#define BP_PAIR_BITS	15
#define BP_PAIR_HASH(task)	((task) * 0x9e3779b97f4a7c15ull >> (64 - BP_PAIR_BITS))

struct bp_pair_place {
	__u64 task;			/* the address of its task_struct; 0: nobody has the place */
	__u64 time;			/* as bp_pair.time */
};

struct bp_pair_places {
	struct bp_pair_place place[1 << BP_PAIR_BITS];
};
_Static_assert(sizeof(struct bp_pair_places) == 16 << BP_PAIR_BITS, "struct bp_pair_places is ABI");

/*
 * Until 5.15 the kernel cannot unwind a stack at a return. Then the entry saves the stack for the return of the same call,
 * under the key above.
 */
struct bp_saved_stack {
	__u64 len;			/* bytes */
	__u64 frames[127];		/* LAYOUT_MAX_FRAMES */
};
_Static_assert(sizeof(struct bp_saved_stack) == 1024, "struct bp_saved_stack is ABI");

/*
 * Where a program makes the text of a path (:path), from its end to its start: behind the record that is being filled, which gives this
 * memory back. Behind the text is room for a name, because the verifier does not know how name and text are related.
 */
#define BP_PATH_TEXT	4096		/* bytes with the NUL */
#define BP_PATH_NAME	255		/* bytes of a part */
#define BP_PATH_PARTS	64
#define BP_PATH_CHANGED	(1 << 16)	/* a bit beside the number of bytes: something was renamed or mounted meanwhile */

struct bp_path {
	__u64 bytes;			/* of the text with its NUL, which ends with BP_PATH_TEXT; 0: it could not be read */
	__u64 at;			/* where the text so far begins */
	__u64 start;			/* ... without parts: in front of " (deleted)" */
	__u64 fits;			/* ... with the last part that leaves room for "..." */
	__u64 left;			/* parts that it may still have */
	__u64 dentry;
	__u64 root_dentry, root_mount;	/* of the task */
	__u64 mount, mnt_root, mnt_parent, mnt_mountpoint;	/* the mount, and what it has; 0: there is none */
	__u64 word[8];
	__u8 text[BP_PATH_TEXT + BP_PATH_NAME + 1];
};
_Static_assert(sizeof(struct bp_path) == 4512, "struct bp_path is ABI");

/*
 * Where a program makes a record that is no record of a ring, or not yet: the value of an array map with BP_SCRATCH_LEVELS elements for each
 * CPU. A program takes an element that nobody has. Programs may nest on a CPU, and be preempted. If all elements of its CPU are taken, the
 * hit is counted as lost.
 */
#define BP_SCRATCH_LEVELS	4

struct bp_scratch {
	__u64 taken;			/* 1: a program has it */
	__u64 fence;			/* written as a barrier before 5.12 */
	__u64 reserved[6];
	/* ---- the record, and room behind it ---- */
};
_Static_assert(sizeof(struct bp_scratch) == 64, "struct bp_scratch is ABI");

/* What the generated fetch code returns. */
#define BP_FETCH_FILLED	1		/* a string filled its short space: fetch again with more space */
#define BP_FETCH_FAULT	2		/* a value could not be read */
#define BP_FETCH_FILTERED 4		/* the filter rejects this record */
#define BP_FETCH_LIMITED 8		/* a limit rejects this record */
#define BP_FETCH_COUNTED 16		/* the hit needs no record: it was counted in tables, or something is switched off */
#define BP_FETCH_UNDECIDED 32		/* with BP_FETCH_FILTERED: the filter rejects it because a value could not be read */
#define BP_FETCH_AGAIN	64		/* the hit is fetched again, after it has waited for its memory: BP_FAULTS_IN_ONCE */
#define BP_FETCH_USED_SHIFT 8		/* from this bit on: bytes of the long record that its strings take, or a few more */

/* BP_PATCH_FAULTS_IN */
#define BP_FAULTS_IN_NEVER	0	/* the program may not sleep */
#define BP_FAULTS_IN_AGAIN	1	/* what could not be read is waited for, and all is fetched again */
#define BP_FAULTS_IN_ONCE	2	/* ... and what acts by the record acts only then: the record's first word says so to the fetch code */

/* BP_PATCH_PREEMPT_VAR */
#define BP_PREEMPT_SEARCH	0	/* by helpers, at the address BP_PATCH_PREEMPT */
#define BP_PREEMPT_LOAD		1	/* BTF has this variable, and BP_PATCH_PREEMPT_CODE is used */
#define BP_PREEMPT_CAST		2	/* at that address, by BP_PATCH_CAST_CODE */

/* BP_PATCH_SWITCHED: what the program tests before it reserves a record */
#define BP_SWITCHED_NEITHER	0	/* nothing switches it, or its triggers' code tests both */
#define BP_SWITCHED_BOTH	1	/* BP_PATCH_TRACING and BP_PATCH_EVENT */
#define BP_SWITCHED_TRACING	2	/* BP_PATCH_TRACING; its triggers' code tests the other one */

/*
 * Immediates in the compiled program that mark the places of values. Each definition has its own copy of the program, with its own values:
 * user/gen/patch.c replaces the immediates. No other constant of the program may have these values.
 */
#define BP_PATCH_BASE	0x42500000
enum bp_patch {
	BP_PATCH_PROBE = BP_PATCH_BASE,	/* the definition's number: bp_rec.probe */
	BP_PATCH_FETCH,			/* becomes the body of the fetch code */
	BP_PATCH_FETCH_LONG,		/* a function that begins with this becomes the body for long strings */
	BP_PATCH_FAULT_IN,		/* a function that begins with this becomes the one that waits for user memory */
	BP_PATCH_FAULTS_IN,		/* BP_FAULTS_IN_*: is there such a function, and may the program sleep? */
	BP_PATCH_COUNT,			/* becomes the code of triggers that act before a record is reserved */
	BP_PATCH_COUNTS,		/* 1: there is such code; else 0 */
	BP_PATCH_SWITCHED,		/* BP_SWITCHED_*: which of the next two the program tests */
	BP_PATCH_TRACING,		/* 64 bits: becomes the address of the bp_switch of the store or the run */
	BP_PATCH_EVENT,			/* 64 bits: ... of the event */
	BP_PATCH_CPUS,			/* number of possible CPUs */
	BP_PATCH_STATS,			/* 64 bits: becomes the address of the first CPU's bp_stat */
	BP_PATCH_STATS_SHIFT,		/* 1 << this is the size of one CPU's statistics in bytes */
	BP_PATCH_SHORT,			/* bytes to reserve at first */
	BP_PATCH_LONG,			/* bytes to reserve after a string has filled its space; 0: never */
	BP_PATCH_STRINGS,		/* offset in the record where the strings begin */
	BP_PATCH_SCRATCH,		/* not 0: the record is made in a bp_scratch with so many bytes, and copied into the ring if somebody wants it */
	BP_PATCH_ONLY_COUNTS,		/* 1: each hit only counts, and never becomes a line */
	BP_PATCH_HEAD_TIME,		/* 1: bp_rec.ts is filled in; else nobody reads it */
	BP_PATCH_HEAD_PID,		/* ... common_pid */
	BP_PATCH_HEAD_COMM,		/* ... comm */
	BP_PATCH_HEAD_PLACE,		/* ... the places in front of the arguments */
	BP_PATCH_HEAD_LINE,		/* ... what else a line needs */
	BP_PATCH_SHRINKS,		/* 1: a short record gives back what its strings and stacks do not need */
	BP_PATCH_SECRET,		/* 64 bits: bp_ring.secret */
	BP_PATCH_SHORT_SEAL,		/* 64 bits: the secret with the short size */
	BP_PATCH_RING_BYTES,		/* bp_ring.bytes */
	BP_PATCH_RING_MASK,		/* bp_ring.bytes - 8 */
	BP_PATCH_OVERWRITES,		/* 1: the ring overwrites, else 0 */
	BP_PATCH_PART_MASK,		/* the size of a part - 1 */
	BP_PATCH_PART_SHIFT,		/* 1 << this is the size of a part */
	BP_PATCH_ATOMICS,		/* 1: BPF has compare and exchange */
	BP_PATCH_RESERVE_CODE,		/* two instructions that become a compare and exchange, or a store and a barrier */
	BP_PATCH_COMMIT_CODE,		/* two instructions that are replaced by an exchange, or by a store and a barrier */
	BP_PATCH_SAVES_STACK,		/* 1: the entry probe saves the stack for the return */
	BP_PATCH_SELVES,		/* 64 bits: becomes the address of bp_selves */
	BP_PATCH_CALLS,			/* 64 bits: becomes the address of bp_calls */
	BP_PATCH_PAIR_PLACES,		/* 64 bits: becomes the address of bp_pair_places */
	BP_PATCH_NESTS,			/* 1: the program may run while it is running on the same CPU already */
	BP_PATCH_SELF,			/* 0: no process is ignored */
	BP_PATCH_ALL_TASKS,		/* 0: trace only the tasks marked in bp_tasks */
	BP_PATCH_FUNC,			/* 64 bits: address of the probed function */
	BP_PATCH_FUNC_IP,		/* user probes: 1: bpf_get_func_ip() knows the function that returns */
	BP_PATCH_USER,			/* 1: stack pointers of programs, which tasks may share; 0: of the kernel */
	BP_PATCH_FRAME,			/* trampolines: size of the parameters in the context, in bytes */
	BP_PATCH_FLAGS,			/* kprobe.multi: 1: the context shows the flags */
	BP_PATCH_CAST,			/* 1: memory can be loaded by a cast, and BP_PATCH_CAST_CODE is used */
	BP_PATCH_CAST_CODE,		/* instructions that are replaced by such loads */
	BP_PATCH_SESSION_RETURN,	/* an instruction that is replaced by a call: does the function return now? */
	BP_PATCH_SESSION_COOKIE,	/* ... by a call: the address of the word that the entry saves for the return */
	BP_PATCH_WATCHES,		/* 1: bp_skips says when tasks may have missed programs */
	BP_PATCH_ACTIVE,		/* 64 bits: per-CPU address of bpf_prog_active */
	BP_PATCH_SAVES_TIME,		/* 1: the entry saves its time for the return */
	BP_PATCH_PAIR_ENDS,		/* 1: its hits end pairs; 0: they begin them */
	BP_PATCH_PAIR_FIELD,		/* 1: a field is the key, and BP_PATCH_PAIR_KEY is used; 0: the task */
	BP_PATCH_SILENT,		/* 1: nobody wants the record of a hit: it is counted, and begins a pair */
	BP_PATCH_PAIR_SIEVE,		/* 1: only the record shows whether the filter takes a hit */
	BP_PATCH_PAIR_KEY,		/* becomes the code that fetches the field */
	BP_PATCH_TAKE_CODE,		/* two instructions that are replaced by an exchange with 0, or by a load and a store */
	BP_PATCH_SESSION_PARAM,		/* two instructions that are replaced by a load of the parameter to save; its place in the context, in bytes */
	BP_PATCH_RENAME_LOCK,		/* 64 bits: address of the kernel's rename_lock; 0: unknown */
	BP_PATCH_MOUNT_LOCK,		/* 64 bits: ... of mount_lock */
	BP_PATCH_RETHOOK,		/* 64 bits: address of arch_rethook_trampoline; 0: there is none */
	BP_PATCH_PERCPU,		/* 64 bits: address of __per_cpu_offset[] */
	BP_PATCH_PREEMPT,		/* 64 bits: per-CPU address of the variable that has preempt_count; 0: unknown */
	BP_PATCH_PREEMPT_VAR,		/* BP_PREEMPT_*: how preempt_count is read */
	BP_PATCH_PREEMPT_WIDE,		/* 1: it has 64 bits, in 7.3's order */
	BP_PATCH_PREEMPT_CODE,		/* four instructions that are replaced by a read of the variable */
	BP_PATCH_TRAMPOLINE,		/* 64 bits: address of kretprobe_trampoline if ip shows it; else 0 */
	BP_PATCH_INST_TABLE,		/* 64 bits: address of kretprobe_inst_table (5.10); 0: there is none */
	BP_PATCH_END
};

/* Each task has one byte as its mark, indexed by pid. One map entry holds this many bytes. */
#define BP_TASKS_PER_ENTRY	64

#endif
