/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sleep.pml - a reader that sleeps, and the bell that wakes it: it never sleeps for ever while a finished record is in a ring
 *
 * The steps are those of ring_commit() and ring_bell() (bpf/ring.bpf.h), of bpf_ringbuf_output() and poll() (kernel/bpf/ringbuf.c),
 * and of the reader. See discard.pml for what a step is. Two CPUs have a ring each. Two programs share the first one. A
 * reader that sleeps for ever is a deadlock, which the search reports as an invalid end state.
 *
 *	PLAIN		no exchange, as before 5.12: one program at a time runs on a CPU; a locked add is the barrier
 *	NMI		program 1 and 2 run in an NMI or an int3. If another program holds the bell's lock, they ring in vain
 *	SMALL_BELL	the bell has room for two records only, so ringing can fail for that reason too
 *	LOOK_AT_SEALS	before it sleeps the reader looks for a finished record. Without that, for one that is reserved
 * and what a mistake would be:
 *	PLAIN_SEAL	the seal is a plain store
 *	NO_FENCE	no barrier of the reader between `waiting` and its look at the rings
 *	NO_LOOK		it does not look
 *	DRAIN_ALL	it takes from the bell what is not committed yet too
 *	LATE_DRAIN	it empties the bell after it has set `waiting`
 *	BELL_FIRST	the bell is rung before `waiting` is cleared
 */
#define RINGS	2
#define RECORDS	3			/* longest ring; no place is used again */
#define RESERVED(ring) (ring)
#define WAITING(ring) (RINGS + (ring))
#define SEAL(ring, at) (2 * RINGS + (ring) * RECORDS + (at))
#define WORDS	(2 * RINGS + RINGS * RECORDS)

#define CPUS	3
#define READER	2			/* its CPU */
#define QUEUE	5
#define BELL	5			/* rings of the bell in all, and one of before */
#ifdef SMALL_BELL
#define FULL	2
#else
#define FULL	BELL
#endif

#include "tso.pml"

bool running[2];			/* bpf_prog_active, before 5.12 */

/* The bell, a ring buffer of the kernel. */
bool locked;
byte produced, consumed;
bool busy[BELL];			/* reserved, not committed */
bool irq_work;				/* a wake-up is on its way */
bool queued;				/* the reader is in poll() */
bool woken;

/* bpf_ringbuf_output(), with BPF_RB_FORCE_WAKEUP. Locked instructions are drained(). */
inline ring_bell(cpu, nmi)
{
	if
	:: atomic { drained(cpu) && !locked -> locked = true };
		if
		:: produced - consumed >= FULL -> locked = false
		:: else ->
			atomic { mine = produced % BELL; busy[mine] = true; produced++ };
			locked = false;
			busy[mine] = false;
			irq_work = true
		fi
	:: drained(cpu) && locked && nmi			/* trylock */
	fi;
	mine = 0
}

proctype program(byte cpu; byte runs; bool nmi)
{
	byte at, waiting, mine;

	do
	:: runs == 0 -> break
	:: atomic {
		runs > 0 ->
		runs--;
#ifdef PLAIN
		!running[cpu] -> running[cpu] = true
#endif
	   };
#ifdef PLAIN
		load(cpu, RESERVED(cpu), at);
		store(cpu, RESERVED(cpu), at + 1);
		store(cpu, SEAL(cpu, at), 1);
		drained(cpu);				/* locked add to bp_ring.fence */
#else
		atomic { drained(cpu); at = memory[RESERVED(cpu)]; memory[RESERVED(cpu)] = at + 1 };
#ifdef PLAIN_SEAL
		store(cpu, SEAL(cpu, at), 1);
#else
		atomic { drained(cpu); memory[SEAL(cpu, at)] = 1 };
#endif
#endif
		load(cpu, WAITING(cpu), waiting);
		if
		:: waiting ->
#ifdef BELL_FIRST
			ring_bell(cpu, nmi);
			store(cpu, WAITING(cpu), 0)
#else
			store(cpu, WAITING(cpu), 0);
			ring_bell(cpu, nmi)
#endif
		:: else
		fi;
		atomic {
#ifdef PLAIN
			running[cpu] = false;
#endif
			at = 0; waiting = 0
		}
	od
}

/* The interrupt that wakes whoever is in poll(). */
active proctype waker()
{
end:	do
	:: atomic { irq_work -> irq_work = false; woken = woken || queued }
	od
}

inline empty_bell()
{
#ifdef DRAIN_ALL
	consumed = produced
#else
	do
	:: consumed != produced && !busy[consumed % BELL] -> consumed++
	:: else -> break
	od
#endif
}

/* What is seen at the front of a ring: does the reader have something to do? */
#ifdef LOOK_AT_SEALS
#define seen(ring) (taken[ring] < RECORDS && memory[SEAL(ring, taken[ring])])
#else
#define seen(ring) (memory[RESERVED(ring)] != taken[ring])
#endif

proctype reader()
{
	byte taken[RINGS];
	bool armed;

again:
	/* rings_pass(), and disarm() in it */
	if
	:: armed ->
		store(READER, WAITING(0), 0);
		store(READER, WAITING(1), 0);
#ifndef LATE_DRAIN
		empty_bell();
#endif
		armed = false
	:: else
	fi;
	do
	:: atomic { taken[0] < memory[RESERVED(0)] && memory[SEAL(0, taken[0])] -> taken[0]++ }
	:: else -> break
	od;
	do
	:: atomic { taken[1] < memory[RESERVED(1)] && memory[SEAL(1, taken[1])] -> taken[1]++ }
	:: else -> break
	od;
	if
	:: taken[0] + taken[1] == RUNS0 + RUNS1 + RUNS2 -> goto all
	:: else
	fi;

	/* rings_arm() */
	armed = true;
	store(READER, WAITING(0), 1);
	store(READER, WAITING(1), 1);
#ifndef NO_FENCE
	drained(READER);
#endif
#ifdef LATE_DRAIN
	empty_bell();
#endif
#ifndef NO_LOOK
	if
	:: seen(0) -> goto again
	:: else
	fi;
	if
	:: seen(1) -> goto again
	:: else
	fi;
#endif
	/* poll() */
	queued = true;
	do
	:: atomic { produced != consumed -> queued = false; woken = false; break }
	:: else -> woken -> woken = false
	od;
	goto again;
all:	skip
}

init {
	atomic {
		if
		:: true
		:: memory[WAITING(0)] = 1; memory[WAITING(1)] = 1; produced = 1		/* a reader was killed */
		fi;
		run program(0, RUNS0, false);
#ifdef NMI
		run program(0, RUNS1, true);
		run program(1, RUNS2, true);
#else
		run program(0, RUNS1, false);
		run program(1, RUNS2, false);
#endif
		run reader()
	}
}
