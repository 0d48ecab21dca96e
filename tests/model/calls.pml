/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls.pml - the table of active calls (bpf/calls.bpf.h): a return gets the time of its own call's entry, or none
 *
 * Each task runs on a CPU of its own, and makes calls at one stack pointer, one after the other. All of them have the same places. The
 * time of an entry is a number that no other call has. A return may be missed; then its call leaves its place. The probe of a place is
 * written with the time, and is the same for all. So it is not in the model.
 *
 *	PLACES, TASKS, RUNS	how many; RUNS: calls of each task
 * and what a mistake would be:
 *	NO_BUSY		an entry makes a place its own at once, and then writes the time
 *	PLAIN_END	a return gives its place back by a plain store
 *	SP_FIRST	the place has the stack pointer before it has the time
 *	NO_LOOK		an entry does not look for the place that an earlier call at this stack pointer has left
 */
#define SP(i)	(i)
#define TIME(i)	(PLACES + (i))
#define WORDS	(2 * PLACES)
#define CPUS	TASKS
#define QUEUE	3
#define BUSY	1
#define NONE	255

#include "tso.pml"

/* @was, if the place at @i had this; then it has @to. */
inline exchange(i, was, to)
{
	d_step {
		drained(me);
		if
		:: memory[SP(i)] == was -> memory[SP(i)] = to; done = true
		:: else -> done = false
		fi
	}
}

inline claim(i, was)
{
#ifdef NO_BUSY
	exchange(i, was, sp)
#else
	exchange(i, was, BUSY)
#endif
}

inline fill(i)
{
#ifdef SP_FIRST
	store(me, SP(i), sp);
	store(me, TIME(i), now);
#else
	store(me, TIME(i), now);
	store(me, SP(i), sp);
#endif
}

/* call_begin() */
inline begin()
{
	at = 0;
	mine = NONE;
#ifndef NO_LOOK
	do
	:: at == PLACES || mine != NONE -> break
	:: else ->
		load(me, SP(at), seen);
		if
		:: seen == sp ->
			claim(at, sp);
			if
			:: done -> mine = at
			:: else
			fi
		:: else
		fi;
		at++
	od;
	at = 0;
#endif
	do
	:: at == PLACES || mine != NONE -> break
	:: else ->
		load(me, SP(at), seen);
		if
		:: seen == 0 ->
			claim(at, 0);
			if
			:: done -> mine = at
			:: else
			fi
		:: else
		fi;
		at++
	od;
	if
	:: mine != NONE
	:: else ->
		select(at : 0 .. PLACES - 1);
		skip;
		load(me, SP(at), seen);
		if
		:: seen != BUSY ->
			claim(at, seen);
			if
			:: done -> mine = at
			:: else
			fi
		:: else
		fi
	fi;
	if
	:: mine != NONE -> fill(mine)
	:: else
	fi
}

/* call_end() */
inline end_call()
{
	at = 0;
	do
	:: at == PLACES -> break
	:: else ->
		load(me, SP(at), seen);
		if
		:: seen == sp ->
			load(me, TIME(at), seen);
#ifdef PLAIN_END
			store(me, SP(at), 0);
			done = true;
#else
			exchange(at, sp, 0);
#endif
			assert(!done || seen == now);	/* a wrong pair */
			break
		:: else
		fi;
		at++
	od
}

proctype task(byte me)
{
	byte sp = me + 2, now, runs, at, mine, seen;
	bool done;

	do
	:: runs == RUNS -> break
	:: else ->
		now = me * RUNS + runs + 1;
		begin();
		if
		:: end_call()
		:: skip				/* missed */
		fi;
		skip;
		/* The task may go on elsewhere: only after a full barrier. Equal states are equal. */
		d_step { drained(me); at = 0; mine = 0; seen = 0; done = false };
		runs++
	od
}

init
{
	atomic {
		run task(0);
#if TASKS > 1
		run task(1);
#endif
#if TASKS > 2
		run task(2);
#endif
	}
}
