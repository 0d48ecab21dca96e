/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * discard.pml - a ring that discards: programs that nest, are preempted and share it, and a reader that is killed
 *
 * The steps are those of capture() and ring_reserve (bpf/), and of the reader (include/bprobe_abi.h). Each access to shared
 * memory is a step of its own. Any other process may run between two steps: that is preemption. An interrupt is one case of
 * it, in which the other process runs to its end.
 *
 * A place in the ring is a word. A record is its seal and one or two words. The ring has 4 words and room for the end of a record.
 *
 *	PLAIN		no exchange, as before 5.12: one program at a time runs on a CPU, and each CPU has its own ring
 *	STOP		user space switches recording off at any time
 *	KILLS=n		how often the reader is killed
 *	VARIED		each program makes long and short records. Else program 0 makes long ones, the others short ones
 * and what a mistake would be:
 *	NEST		PLAIN, but programs nest
 *	NO_FENCE	PLAIN, without a locked add after `reserved` was moved
 *	PLAIN_RESERVE	load and store in place of compare and exchange
 *	SIZE_SEAL	a seal without the position
 *	EARLY_SEAL	the seal before the last word
 *	EARLY_FREE	`free` is moved before a record was written out
 *	COUNT_FIRST	a hit is counted before the ring is looked up
 */
#define BYTES	4
#define SLOTS	6
#define FREE	6
#define RESERVED 7
#define WORDS	8

#ifdef PLAIN
#define CPUS	2
#define QUEUE	8
#else
#define CPUS	3
#define QUEUE	4
#endif
#define READER	(CPUS - 1)	/* its CPU */
#define TRIES	2

#ifndef KILLS
#define KILLS	1
#endif

#include "tso.pml"

#define DROPPED	1
#ifdef SIZE_SEAL
#define seal_of(at, size, flags) (64 + (size) * 2 + (flags))
#else
#define seal_of(at, size, flags) (64 + (at) * 8 + (size) * 2 + (flags))
#endif
#define finished(seal, at)	((seal) >= 64 && (seal) - ((seal) & 7) == seal_of(at, 0, 0))
#define seal_size(seal)		(((seal) & 7) / 2)
#define name_of(id, seq)	(1 + (id) * 16 + (seq))		/* what each word of a record holds */

byte hits[3];			/* bp_stat.hits */
byte lost_seqs[3];		/* bit n: hit n found no room */
byte ended;			/* programs */
bool stopped;			/* bp_stat.ring is BP_RING_NONE */
bool running;			/* bpf_prog_active, before 5.12 */
bool kill;

/* What the checks know: */
byte reserved_by[SLOTS];	/* whose record begins in this word */
byte taken_seq[3];		/* last hit that was written out */
byte freed_seq[3];		/* and that was, when `free` was moved for the last time */
byte stamped;			/* behind this position no record has a time stamp */
hidden byte each;

byte before;			/* the clock, when the reader read it: records with a time stamp up to it are before this position */

/* This record never was one, so its time stamp does not count. */
inline given_back(from)
{
	d_step {
		if
		:: stamped > from -> stamped = from
		:: else
		fi;
		if
		:: before > from -> before = from
		:: else
		fi
	}
}

#define count(id) d_step { hits[id]++; seq = hits[id] }

#ifndef VARIED
#define may_be_long(id)	(id == 0)
#define may_be_short(id) (id != 0)
#else
#define may_be_long(id)	true
#define may_be_short(id) true
#endif
#define may_be_dropped(id) (id == 1)

inline lost(id)
{
	lost_seqs[id] = lost_seqs[id] | (1 << seq)
}

/* Compare and exchange. `was` shows whether it succeeded. */
inline exchange_reserved(from, to)
{
#ifdef PLAIN
	store(cpu, RESERVED, to);
	was = from
#elif defined(PLAIN_RESERVE)
	d_step { drained(cpu); memory[RESERVED] = to; was = from }
#else
	d_step {
		drained(cpu);
		was = memory[RESERVED];
		if
		:: was == from -> memory[RESERVED] = to
		:: else
		fi
	}
#endif
}

inline store_seal(flags)
{
#ifdef PLAIN
	store(cpu, at % BYTES, seal_of(at, size, flags));
	drained(cpu)
#else
	d_step { drained(cpu); memory[at % BYTES] = seal_of(at, size, flags) }
#endif
}

proctype program(byte id; byte cpu; byte runs)
{
	byte seq, at, was, size, tries;

	do
	:: runs == 0 -> break
	:: atomic {
		runs > 0 ->
		runs--;
#if defined(PLAIN) && !defined(NEST)
		!running -> running = true		/* before 5.12 a second program is not called */
#endif
	   };
#ifdef COUNT_FIRST
		count(id);
#endif
		atomic {
			if
			:: stopped -> goto next
			:: else
			fi;
#ifndef COUNT_FIRST
			count(id);
#endif
			/* ring_reserve */
			if
			:: may_be_short(id) -> size = 2
			:: may_be_long(id) -> size = 3
			fi;
			tries = TRIES;
			load(cpu, RESERVED, was);
			at = was
		};
		do
		:: atomic { at + size - memory[FREE] > BYTES || tries == 0 -> lost(id); goto next }
		:: else ->
			atomic {
				exchange_reserved(at, at + size);
				if
				:: was == at -> reserved_by[at % BYTES] = name_of(id, seq); break
				:: else -> at = was; tries--
				fi
			}
		od;
#if defined(PLAIN) && !defined(NO_FENCE)
		drained(cpu);
#endif
#ifdef EARLY_SEAL
		store_seal(0);
#endif

		/* record_fill() and the fetch code */
		atomic {
			if
			:: at + 1 > stamped -> stamped = at + 1
			:: else
			fi;
			store(cpu, at % BYTES + 1, name_of(id, seq));
			if
			:: size == 3 -> store(cpu, at % BYTES + 2, name_of(id, seq))
			:: else
			fi
		};
#ifndef EARLY_SEAL
		/* ring_shrink(): a long record gives back what its string did not need */
		if
		:: atomic {
			size == 3 ->
			exchange_reserved(at + 3, at + 2);
			if
			:: was == at + 3 -> size = 2
			:: else
			fi
		   }
		:: true
		fi;

		/* ring_commit() */
		if
		:: store_seal(0)
		:: atomic {		/* a filter rejected it: give_back() */
			may_be_dropped(id) ->
			hits[id]--;
			exchange_reserved(at + size, at);
			if
			:: was == at + size -> given_back(at); goto next
			:: else
			fi
		   }
		   store_seal(DROPPED)
		fi;
#endif
next:		atomic {
#ifdef PLAIN
			running = false;
#endif
			seq = 0; at = 0; size = 0; tries = 0; was = 0
		}
	od;
	ended++
}

#define of(name) ((name - 1) / 16)
#define seq_of(name) ((name - 1) % 16)

/* A whole record was written out. What is missing between its number and the last one was lost. */
inline write_out(name)
{
	d_step {
		each = taken_seq[of(name)] + 1;
		assert(seq_of(name) >= each);			/* in order, and once */
		do
		:: each < seq_of(name) ->
			assert(lost_seqs[of(name)] & (1 << each));	/* none is missed */
			each++
		:: else -> break
		od;
		taken_seq[of(name)] = seq_of(name);
		each = 0
	}
}

/* Two stores in the queue are enough to let programs see any earlier `free`. */
inline move_free()
{
	d_step {
		cpus[READER].stores < 2;
		cpus[READER].at[cpus[READER].stores] = FREE;
		cpus[READER].value[cpus[READER].stores] = taken;
		cpus[READER].stores++;
		freed_seq[0] = taken_seq[0];
		freed_seq[1] = taken_seq[1];
		freed_seq[2] = taken_seq[2]
	}
}

proctype reader()
{
	byte taken, end_of_pass, seal, word;

again:	{
		/* Another reader can start when the lock of the killed one is gone, so after its stores. */
		atomic { drained(READER); taken = memory[FREE] };
		do
		:: atomic {
			ended == PROGRAMS && memory[RESERVED] == taken && drained(0) && drained(READER) -> break
		   }
		:: atomic {
			memory[RESERVED] != taken || ended == PROGRAMS ->
			before = stamped		/* the clock is read */
		   }
		   atomic {
			end_of_pass = memory[RESERVED]
		   }
			/* Records before the clock's time are before the end of the pass. */
			assert(end_of_pass >= before);
			do
			:: taken < end_of_pass ->
				seal = memory[taken % BYTES];
				if
				:: !finished(seal, taken) -> break
				:: else
				fi;
				if
				:: seal & DROPPED
				:: else ->
#ifdef EARLY_FREE
					atomic { taken = taken + seal_size(seal); move_free(); taken = taken - seal_size(seal) };
#endif
					atomic {
						word = memory[taken % BYTES + 1];
						assert(word == reserved_by[taken % BYTES]);	/* not torn */
						assert(seal_size(seal) == 2 || word == memory[taken % BYTES + 2]);
						write_out(word)
					}
				fi;
				atomic { taken = taken + seal_size(seal); seal = 0; word = 0 }
			:: else -> break
			od;
			atomic {
				move_free();
				end_of_pass = 0;
				before = 0;
				seal = 0
			}
		od
	} unless {
		atomic {
			kill ->
			kill = false;
			taken = 0; end_of_pass = 0; before = 0; seal = 0; word = 0;
			taken_seq[0] = freed_seq[0];
			taken_seq[1] = freed_seq[1];
			taken_seq[2] = freed_seq[2];
			goto again
		}
	};
	each = 0;
	do
	:: each < 3 ->
		byte next = taken_seq[each] + 1;
		do
		:: next <= hits[each] ->
			assert(lost_seqs[each] & (1 << next));		/* hits = written out + lost */
			next++
		:: else -> break
		od;
		each++
	:: else -> break
	od
}

proctype killer() { kill = true }
proctype stopper() { stopped = true }

init {
	atomic {
		/* The ring was full once. It is empty, with the seals of that lap. */
		if
		:: memory[0] = seal_of(0, 2, 0); memory[1] = 1; memory[2] = seal_of(2, 2, 0); memory[3] = 1; memory[FREE] = 4
		:: memory[0] = seal_of(0, 3, 0); memory[1] = 1; memory[2] = 1; memory[3] = seal_of(3, 3, 0); memory[4] = 1; memory[5] = 1;
		   memory[FREE] = 6
		fi;
		memory[RESERVED] = memory[FREE];
		run program(0, 0, RUNS0);
#if PROGRAMS > 1
		run program(1, 0, RUNS1);
#endif
#if PROGRAMS > 2
		run program(2, 1, RUNS2);
#endif
		run reader();
#if KILLS > 0
		run killer();
#endif
#if KILLS > 1
		run killer();
#endif
#ifdef STOP
		run stopper();
#endif
	}
}
