/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tso.pml - memory as x86-64 shows it: each CPU has a queue of stores that the other CPUs do not see yet.
 *
 * A load takes the newest store to that place in its own CPU's queue, else memory. An instruction that is a full barrier
 * (exchange, compare and exchange, locked add, mfence) waits until the queue is empty. The process `drains` moves stores to
 * memory, in their order, at any time. Programs on one CPU share its queue.
 *
 * Whoever includes this defines CPUS, WORDS (of memory) and QUEUE, the longest queue. An assertion checks that QUEUE is enough.
 */
typedef queue {
	byte stores;
	byte at[QUEUE];
	byte value[QUEUE]
};

byte memory[WORDS];
queue cpus[CPUS];
hidden byte slot;

inline store(cpu, where, what)
{
	d_step {
		assert(cpus[cpu].stores < QUEUE);	/* else QUEUE is too short for the model */
		cpus[cpu].at[cpus[cpu].stores] = where;
		cpus[cpu].value[cpus[cpu].stores] = what;
		cpus[cpu].stores++
	}
}

inline load(cpu, where, result)
{
	d_step {
		result = memory[where];
		slot = 0;
		do
		:: slot < cpus[cpu].stores ->
			if
			:: cpus[cpu].at[slot] == where -> result = cpus[cpu].value[slot]
			:: else
			fi;
			slot++
		:: else -> break
		od
	}
}

#define drained(cpu) (cpus[cpu].stores == 0)

inline drain_one(cpu)
{
	d_step {
		cpus[cpu].stores > 0;
		memory[cpus[cpu].at[0]] = cpus[cpu].value[0];
		cpus[cpu].stores--;
		slot = 0;
		do
		:: slot < cpus[cpu].stores ->
			cpus[cpu].at[slot] = cpus[cpu].at[slot + 1];
			cpus[cpu].value[slot] = cpus[cpu].value[slot + 1];
			slot++
		:: else -> break
		od;
		cpus[cpu].at[slot] = 0;		/* equal queues are equal states */
		cpus[cpu].value[slot] = 0
	}
}

active proctype drains()
{
end:	do
	:: drain_one(0)
#if CPUS > 1
	:: drain_one(1)
#endif
#if CPUS > 2
	:: drain_one(2)
#endif
	od
}
