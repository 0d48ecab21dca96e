// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_places.c - the table of tasks whose pairs have begun (bpf/places.bpf.h), compiled for this machine.
 *
 * Times are numbers that are given once. So a time tells its hit.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bprobe_abi.h"
#include "tap.h"

static struct bp_pair_places table;
static _Atomic uint64_t last_time;

/* What bpf/patch.bpf.h and bpf/ring.bpf.h have for programs. */
#define __u64 uint64_t
#define PATCH64(which) (uintptr_t)&table
#define READ_SHARED(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_SHARED(x, value) (*(volatile typeof(x) *)&(x) = (value))
#define word_take(word) __atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST)
#include "../../bpf/places.bpf.h"

enum { THREADS = 4, LIVES = 100000 };

static unsigned used(void)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(table.place); i++)
		nr += table.place[i].task || table.place[i].time;
	return nr;
}

/* @nr tasks with the same place. */
static void find_neighbours(uint64_t *tasks, unsigned nr)
{
	uint64_t task = 0xffff888003540000, want = BP_PAIR_HASH(task);

	for (unsigned i = 0; i < nr; task += 0x40) {
		if (BP_PAIR_HASH(task) == want)
			tasks[i++] = task;
	}
}

static void one_after_the_other(void)
{
	uint64_t tasks[2];
	struct bp_pair_place *place;

	find_neighbours(tasks, ARRAY_SIZE(tasks));
	place = place_of(tasks[0]);
	CHECK(place == place_of(tasks[1]) && !place_is_of(place, tasks[0]), "a task has no place before it asks for one");
	CHECK(place_get(place, tasks[0]) && place_get(place, tasks[0]) && !place->time, "... then it has one, without a time");
	place->time = 5;
	CHECK(!place_is_of(place, tasks[1]) && !place_get(place, tasks[1]) && place->time == 5, "another task does not get it");
	place_leave(tasks[1]);
	CHECK(place_is_of(place, tasks[0]) && place->time == 5, "... nor does it free it when it is gone");
	place_leave(tasks[0]);
	CHECK(!used() && place_get(place, tasks[1]) && !place->time, "when its task is gone, the next one gets it without a time");
	place_leave(tasks[1]);
}

/* Each thread lives again and again, as another task each time. All tasks have the same place. */
static void *live(void *arg)
{
	const uint64_t *mine = arg;
	uint64_t seed = mine[0];
	unsigned long wrong = 0;

	for (unsigned i = 0; i < LIVES; i++) {
		uint64_t task = mine[i & 1], time = 0;
		struct bp_pair_place *place = place_of(task);

		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		wrong += place_is_of(place, task);
		for (unsigned hits = seed >> 61; hits; hits--) {
			bool has = place_get(place, task);

			wrong += time && !has;		/* it keeps its place */
			wrong += has && place->time != time;
			if (!has)
				break;
			time = atomic_fetch_add(&last_time, 1) + 1;
			WRITE_SHARED(place->time, time);
			if (seed >> (30 + hits) & 1) {
				wrong += word_take(&place->time) != time;
				wrong += word_take(&place->time) != 0;
				time = 0;
			}
		}
		place_leave(task);
	}
	return (void *)wrong;
}

static void contend(void)
{
	static uint64_t tasks[2 * THREADS];
	unsigned long wrong = 0;
	pthread_t threads[THREADS];
	void *of_thread;

	find_neighbours(tasks, ARRAY_SIZE(tasks));
	for (unsigned i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, live, tasks + 2 * i))
			abort();
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &of_thread);
		wrong += (uintptr_t)of_thread;
	}
	CHECK(!wrong && !used(), "tasks of %d threads with the same place find no time of another one", THREADS);
}

/* Tasks lie in memory at equal distances. Of a thousand, few have to use the map. */
static void spread(uint64_t distance)
{
	enum { TASKS = 1000, MOST = 50 };
	unsigned without = 0;

	for (unsigned i = 0; i < TASKS; i++) {
		uint64_t task = 0xffff888003540000 + i * distance;

		without += !place_get(place_of(task), task);
	}
	for (unsigned i = 0; i < TASKS; i++)
		place_leave(0xffff888003540000 + i * distance);
	CHECK(without <= MOST && !used(), "tasks at a distance of %#lx: %u of %d without a place", (unsigned long)distance, without, TASKS);
}

int main(void)
{
	one_after_the_other();
	contend();
	for (uint64_t distance = 0x1c00; distance <= 0x4000; distance += 0x240)
		spread(distance);
	return tap_done();
}
