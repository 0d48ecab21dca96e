/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * overwrite.pml - a ring that overwrites: programs, one of them slow, and a reader that takes a snapshot at any time
 *
 * The steps are those of reserve_over() and ring_commit() (bpf/ring.bpf.h), and of the reader (include/bprobe_abi.h). See
 * discard.pml for what a step is. The ring has two parts of 3 words. Records have 2 or 3 words, so a part holds one, and two
 * records are a lap.
 *
 *	PLAIN		no exchange, as before 5.12: one program at a time runs on a CPU
 * and what a mistake would be:
 *	NEST		PLAIN, but programs nest
 *	NO_COMMITTED	a part is entered though an earlier lap is not finished
 *	NO_SECOND_LOOK	the reader does not look at `reserved` again
 *	EARLY_COMMIT	`committed` grows before the record is filled
 */
#define PART	3
#define PARTS	2
#define BYTES	(PART * PARTS)
#define COMMITTED BYTES
#define RESERVED (COMMITTED + PARTS)
#define WORDS	(RESERVED + 1)

#ifdef PLAIN
#define CPUS	1
#define QUEUE	8
#else
#define CPUS	2
#define QUEUE	4
#endif
#define TRIES	2

#include "tso.pml"

#define PAD	1
#define seal_of(at, size, flags) (128 + (at) * 6 + ((size) - 1) * 2 + (flags))
#define finished(seal, at) ((seal) >= seal_of(at, 1, 0) && (seal) <= seal_of(at, 3, PAD))
#define seal_size(seal) ((((seal) - 128) % 6) / 2 + 1)
#define seal_flags(seal) ((seal) & 1)
#define name_of(id, at)	(1 + (at) * 3 + (id))		/* what each word of a record holds */
#define named(word, at)	((word) >= name_of(0, at) && (word) <= name_of(2, at))

#define part_of(at)	((at) / PART % PARTS)
#define lap_of(at)	((at) / BYTES)
#define rounded_up(at)	(((at) + PART - 1) / PART * PART)
#define oldest(reserved) (rounded_up(reserved) - BYTES)

byte ended;
bool running;

#ifndef VARIED
#define may_be_long(id)	(id == 0)
#define may_be_short(id) (id != 0)
#else
#define may_be_long(id)	true
#define may_be_short(id) true
#endif

/* As in discard.pml. */
inline exchange_reserved(from, to)
{
#ifdef PLAIN
	store(cpu, RESERVED, to);
	was = from
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

inline store_seal(where, bytes, flags)
{
#ifdef PLAIN
	store(cpu, (where) % BYTES, seal_of(where, bytes, flags));
	drained(cpu)
#else
	d_step { drained(cpu); memory[(where) % BYTES] = seal_of(where, bytes, flags) }
#endif
}

/* A locked add on all kernels. */
inline part_commit(where, bytes)
{
	d_step {
		drained(cpu);
		memory[COMMITTED + part_of(where)] = memory[COMMITTED + part_of(where)] + (bytes)
	}
}

proctype program(byte id; byte cpu; byte runs)
{
	byte at, start, was, size, tries;

	do
	:: runs == 0 -> break
	:: atomic {
		runs > 0 ->
		runs--;
#if defined(PLAIN) && !defined(NEST)
		!running -> running = true
#endif
	   };
		/* reserve_over() */
		atomic {
			if
			:: may_be_short(id) -> size = 2
			:: may_be_long(id) -> size = 3
			fi;
			tries = TRIES;
			load(cpu, RESERVED, at)
		};
again:		if
		:: at % PART + size > PART -> start = rounded_up(at)
		:: else -> start = at
		fi;
#ifndef NO_COMMITTED
		if
		:: start % PART == 0 && memory[COMMITTED + part_of(start)] != lap_of(start) * PART -> goto next	/* lost */
		:: else
		fi;
#endif
		atomic {
			exchange_reserved(at, start + size);
			if
			:: was == at
			:: was != at && tries == 1 -> goto next		/* lost */
			:: was != at && tries > 1 -> at = was; tries--; goto again
			fi
		};
		if
		:: start != at -> store_seal(at, start - at, PAD); part_commit(at, start - at)
		:: else
		fi;
#ifdef EARLY_COMMIT
		part_commit(start, size);
#endif

		/* record_fill() and the fetch code */
		atomic {
			store(cpu, start % BYTES + 1, name_of(id, start));
			if
			:: size == 3 -> store(cpu, start % BYTES + 2, name_of(id, start))
			:: else
			fi
		};

		/* ring_shrink() */
		if
#ifndef EARLY_COMMIT
		:: atomic {
			size == 3 ->
			exchange_reserved(start + 3, start + 2);
			if
			:: was == start + 3 -> size = 2
			:: else
			fi
		   }
#endif
		:: true
		fi;

		/* ring_commit() */
		store_seal(start, size, 0);
#ifndef EARLY_COMMIT
		part_commit(start, size);
#endif
next:		atomic {
#ifdef PLAIN
			running = false;
#endif
			at = 0; start = 0; was = 0; size = 0; tries = 0
		}
	od;
	ended++
}

proctype reader()
{
	byte copy[PART];
	byte at, end, first, seal;

	/*
	 * A copy of one part, word by word. Records do not cross its ends, and it is accepted or not as a whole, so the other
	 * part would only take time between the two looks at `reserved`; and any time may pass there.
	 */
	atomic {
		end = memory[RESERVED];
		if
		:: first = oldest(end)
		:: first = oldest(end) + PART
		fi;
		if
		:: end > first + PART -> end = first + PART
		:: else
		fi;
		at = first
	};
	do
	:: at < end -> atomic { copy[at - first] = memory[at % BYTES]; at++ }
	:: else -> break
	od;

	at = first;
	d_step {
#ifndef NO_SECOND_LOOK
		if
		:: oldest(memory[RESERVED]) > at -> end = 0		/* programs may write there now */
		:: else
		fi;
#endif
		do
		:: at < end ->
			seal = copy[at - first];
			if
			:: finished(seal, at) ->
				if
				:: !(seal_flags(seal) & PAD) ->
					assert(named(copy[at - first + 1], at));		/* not torn */
					assert(seal_size(seal) == 2 || copy[at - first + 1] == copy[at - first + 2])
				:: else
				fi;
				at = at + seal_size(seal)
			:: else -> break		/* a program is still in this part */
			fi
		:: else -> break
		od;
		at = 0; end = 0; first = 0; seal = 0;
		copy[0] = 0; copy[1] = 0; copy[2] = 0
	};

#if !defined(NO_COMMITTED) && !defined(EARLY_COMMIT)
	/* When all is quiet, all is there. */
	atomic {
		ended == PROGRAMS;
		drained(0);
		at = oldest(memory[RESERVED]);
		do
		:: at < memory[RESERVED] ->
			seal = memory[at % BYTES];
			assert(finished(seal, at));
			assert(seal_flags(seal) == PAD || (named(memory[at % BYTES + 1], at)));
			at = at + seal_size(seal)
		:: else -> break
		od;
		assert(at == memory[RESERVED])
	}
#endif
}

init {
	atomic {
		/* The ring was full once: it has two records of an earlier lap. */
		memory[0] = seal_of(0, 3, 0); memory[1] = name_of(0, 0); memory[2] = name_of(0, 0);
		memory[3] = seal_of(3, 2, 0); memory[4] = name_of(0, 3); memory[5] = seal_of(5, 1, PAD);
		memory[RESERVED] = 6; memory[COMMITTED] = 3; memory[COMMITTED + 1] = 3;
		run program(0, 0, RUNS0);
		run program(1, 0, RUNS1);
#if PROGRAMS > 2
		run program(2, 1, RUNS2);
#endif
		run reader()
	}
}
