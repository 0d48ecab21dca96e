// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_calls.c - the table of active calls (bpf/calls.bpf.h), compiled for this machine.
 *
 * Times are numbers that are given once. So a time tells its call.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bprobe_abi.h"
#include "tap.h"

static struct bp_calls table;
static _Thread_local uint64_t probe = 7, task_nr = 100, given;
static _Atomic uint64_t last_time;

static uint64_t next_time(void)
{
	given = atomic_fetch_add(&last_time, 1) + 1;
	return given;
}

/* What bpf/patch.bpf.h and bpf/ring.bpf.h have for programs. */
#define __u64 uint64_t
#define PATCH(which) probe
#define PATCH64(which) (uintptr_t)&table
#define PATCH_OP(value, op, which) ((value) + probe)
#define READ_SHARED(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_SHARED(x, value) (*(volatile typeof(x) *)&(x) = (value))
#define barrier() atomic_signal_fence(memory_order_seq_cst)
#define bpf_ktime_get_ns next_time
#define bpf_get_current_pid_tgid() task_nr
#define __u32 uint32_t
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wint-conversion"
#include "../../bpf/calls.bpf.h"

enum { TASKS = 4, CALLS = 100000 };

/* @nr stack pointers whose calls have the same first place. */
static void find_neighbours(uint64_t *sps, unsigned nr)
{
	uint64_t sp = 0xffffc90000003f00, want = BP_CALLS_HASH(sp + probe);

	for (unsigned i = 0; i < nr; sp += 0x4000) {
		if (BP_CALLS_HASH(sp + probe) == want)
			sps[i++] = sp;
	}
}

static unsigned used(void)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(table.sp); i++)
		nr += table.sp[i] != 0;
	return nr;
}

static uint64_t begin(uint64_t sp)
{
	call_begin(sp);
	return given;
}

/* A function that calls itself @deep times. */
static bool recurse(uint64_t sp, unsigned deep)
{
	uint64_t time = begin(sp);
	bool good = !deep || recurse(sp - 0x60, deep - 1);

	return call_end(sp, task_nr) == time && good;
}

/* As many calls as have room with one first place, and one more. */
static void full(void)
{
	uint64_t sps[BP_CALLS_NEAR + 1], times[BP_CALLS_NEAR + 1], time;
	unsigned found = 0, wrong = 0;

	find_neighbours(sps, ARRAY_SIZE(sps));
	for (unsigned i = 0; i < BP_CALLS_NEAR; i++)
		times[i] = begin(sps[i]);
	for (unsigned i = 0; i < BP_CALLS_NEAR; i++)
		found += call_end(sps[i], task_nr) == times[i];
	CHECK(found == BP_CALLS_NEAR && !used(), "%d calls with the same places have their times", BP_CALLS_NEAR);

	found = 0;
	for (unsigned i = 0; i <= BP_CALLS_NEAR; i++)
		times[i] = begin(sps[i]);
	for (unsigned i = 0; i <= BP_CALLS_NEAR; i++) {
		time = call_end(sps[i], task_nr);
		found += time == times[i];
		wrong += time && time != times[i];
	}
	CHECK(found == BP_CALLS_NEAR && !wrong && !used(), "with one more, one has none");

	/* The oldest was left by a task that died. It has the lowest time, wherever it is. */
	for (unsigned i = 0; i <= BP_CALLS_NEAR; i++)
		times[i] = begin(sps[i]);
	CHECK(!call_end(sps[0], task_nr), "... the oldest");
	for (unsigned i = 1; i <= BP_CALLS_NEAR; i++)
		found -= call_end(sps[i], task_nr) == times[i];
	CHECK(!found && !used(), "... and no other");
}

enum { ACTIVE = 16384 };	/* as doc/bprobe.1 says */

/* So many calls are active at a time, some in each stack: each has its time. */
static void many(uint64_t distance, unsigned in_stack)
{
	static uint64_t times[ACTIVE];
	unsigned found = 0;

#define SP(i)	(0xffffc90000003f58 + (i) / in_stack * distance - (i) % in_stack * 0x68)
	for (unsigned i = 0; i < ACTIVE; i++)
		times[i] = begin(SP(i));
	for (unsigned i = ACTIVE; i--;)
		found += call_end(SP(i), task_nr) == times[i];
	CHECK(found == ACTIVE && !used(), "%d calls, %u in each stack, stacks at a distance of %#lx", ACTIVE, in_stack,
	      (unsigned long)distance);
}

static void missed(void)
{
	uint64_t sp = 0xffffc90000103f00, time;

	begin(sp);
	time = begin(sp);
	CHECK(used() == 1, "a call takes the place of an earlier one whose return was missed");
	CHECK(call_end(sp, task_nr) == time && !call_end(sp, task_nr) && !used(), "... has its own time, once");

	time = begin(sp);
	probe++;
	CHECK(!call_end(sp, task_nr), "another probe's return does not take it");
	begin(sp);
	call_end(sp, task_nr);
	probe--;
	CHECK(call_end(sp, task_nr) == time && !used(), "... nor its entry");

	begin(sp);
	task_nr++;
	CHECK(!call_end(sp, task_nr), "a later task with the same stack does not get the time of one that died");
	time = begin(sp);
	CHECK(call_end(sp, task_nr) == time && !used(), "... and its next call takes that place");
}

/* All tasks' calls have the same places, and each has more of them than there is room for. */
static void *task(void *arg)
{
	const uint64_t *mine = arg;
	uint64_t times[BP_CALLS_NEAR], seed = mine[0];
	unsigned long wrong = 0;

	for (unsigned i = 0; i < CALLS; i++) {
		unsigned deep;

		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		deep = 1 + (seed >> 61);
		for (unsigned k = 0; k < deep; k++)
			times[k] = begin(mine[k]);
		for (unsigned k = deep; k--;) {
			uint64_t time = seed >> (30 + k) & 7 ? call_end(mine[k], task_nr) : 0;	/* an eighth are missed */

			wrong += time && time != times[k];
		}
	}
	return (void *)wrong;
}

static void contend(void)
{
	static uint64_t sps[TASKS * BP_CALLS_NEAR];
	unsigned long wrong = 0;
	pthread_t threads[TASKS];
	void *of_task;

	find_neighbours(sps, ARRAY_SIZE(sps));
	for (unsigned i = 0; i < TASKS; i++) {
		if (pthread_create(&threads[i], NULL, task, sps + i * BP_CALLS_NEAR))
			abort();
	}
	for (unsigned i = 0; i < TASKS; i++) {
		pthread_join(threads[i], &of_task);
		wrong += (uintptr_t)of_task;
	}
	CHECK(!wrong, "%d tasks whose calls have the same places get no time of another call", TASKS);
	memset(&table, 0, sizeof(table));
}

int main(void)
{
	CHECK(recurse(0xffffc90000203f00, 2 * BP_CALLS_NEAR) && !used(), "a function that calls itself");
	full();
	for (uint64_t distance = 0x4000; distance <= 0x10000; distance += 0x1000) {
		many(distance, 1);
		many(distance, 16);
	}
	many(0xf8000, 1);		/* with the hash's factor alone, most of them have the same places */
	missed();
	contend();
	return tap_done();
}
