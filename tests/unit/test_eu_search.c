// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_eu_search.c - the trees that replace those of elfutils: used by one thread and by several, and what they do not touch.
 */
#include "compat/eu_search.c"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { THREADS = 8, OWN = 2000, SHARED = 500, KEYS = THREADS * OWN + SHARED };

/* As in elfutils: the bytes after the root are not ours. */
struct padded {
	struct eu_tree tree;
	unsigned char behind[56];
};

static int compare_numbers(const void *one, const void *other)
{
	const int *a = one, *b = other;

	return (*a > *b) - (*a < *b);
}

static int numbers[KEYS];
static unsigned freed[KEYS];

static void count_freed(void *key)
{
	freed[(int *)key - numbers]++;
}

static bool is_untouched(const struct padded *p)
{
	for (size_t i = 0; i < sizeof(p->behind); i++) {
		if (p->behind[i] != 0xa5)
			return false;
	}
	return true;
}

static void test_one_thread(void)
{
	struct padded p;
	int same = 1, absent = KEYS + 1;
	int **at;

	memset(&p, 0xa5, sizeof(p));
	memset(freed, 0, sizeof(freed));
	eu_search_tree_init(&p.tree);
	CHECK(!eu_tfind(&numbers[1], &p.tree, compare_numbers), "nothing is in a new tree");
	at = eu_tsearch(&numbers[1], &p.tree, compare_numbers);
	CHECK(at && *at == &numbers[1], "what is looked for is put in");
	CHECK(eu_tsearch(&same, &p.tree, compare_numbers) == at && *at == &numbers[1], "an equal key finds the first one");
	CHECK(eu_tfind(&same, &p.tree, compare_numbers) == at, "and is found by it");
	*at = &numbers[2];
	CHECK(eu_tfind(&numbers[2], &p.tree, compare_numbers) == at, "the key can be exchanged in its place");
	eu_tsearch(&numbers[3], &p.tree, compare_numbers);
	CHECK(eu_tdelete(&numbers[3], &p.tree, compare_numbers) && !eu_tfind(&numbers[3], &p.tree, compare_numbers),
	      "what is deleted is gone");
	CHECK(!eu_tdelete(&absent, &p.tree, compare_numbers), "what is not there cannot be deleted");
	eu_tsearch(&numbers[4], &p.tree, compare_numbers);
	eu_tdestroy(&p.tree, count_freed);
	CHECK(!p.tree.root && freed[2] == 1 && freed[4] == 1 && !freed[1] && !freed[3],
	      "destroying frees each key that is there, once");
	eu_tsearch(&numbers[5], &p.tree, compare_numbers);
	eu_search_tree_fini(&p.tree, count_freed);
	CHECK(!p.tree.root && freed[5] == 1, "a destroyed tree can be used again");
	eu_search_tree_fini(&p.tree, count_freed);
	CHECK(is_untouched(&p), "the bytes after the root are not changed");
}

/* As libdw's cu_free(): each key has a tree. */
struct unit {
	struct eu_tree locations;
};

static int compare_units(const void *one, const void *other)
{
	return (one > other) - (one < other);
}

static void free_unit(void *key)
{
	struct unit *unit = key;

	eu_search_tree_fini(&unit->locations, count_freed);
	free(unit);
}

static void test_trees_in_keys(void)
{
	struct eu_tree tree = { 0 };
	unsigned nr = 0;

	memset(freed, 0, sizeof(freed));
	for (unsigned i = 0; i < 10; i++) {
		struct unit *unit = calloc(1, sizeof(*unit));

		eu_tsearch(&numbers[i], &unit->locations, compare_numbers);
		eu_tsearch(unit, &tree, compare_units);
	}
	eu_search_tree_fini(&tree, free_unit);
	for (unsigned i = 0; i < 10; i++)
		nr += freed[i] == 1;
	CHECK(nr == 10, "freeing a key destroys the key's own tree (%u of 10)", nr);
}

/* ---- threads ---- */

static struct padded common;

struct worker {
	pthread_t thread;
	unsigned nr;
	unsigned wrong;
	int **shared[SHARED];		/* where it found each */
};

/* Each thread adds its own keys, and keys that all threads add. */
static void *put_in(void *arg)
{
	struct worker *w = arg;
	int *own = numbers + SHARED + w->nr * OWN;

	for (unsigned i = 0; i < OWN; i++) {
		int **at = eu_tsearch(&own[i], &common.tree, compare_numbers);

		w->wrong += !at || *at != &own[i];
		if (i < SHARED)
			w->shared[i] = eu_tsearch(&numbers[i], &common.tree, compare_numbers);
		w->wrong += !eu_tfind(&own[i / 2], &common.tree, compare_numbers);
	}
	return NULL;
}

/* Then it removes its odd keys. */
static void *take_out(void *arg)
{
	struct worker *w = arg;
	int *own = numbers + SHARED + w->nr * OWN;

	for (unsigned i = 1; i < OWN; i += 2) {
		w->wrong += !eu_tdelete(&own[i], &common.tree, compare_numbers);
		w->wrong += !!eu_tfind(&own[i], &common.tree, compare_numbers);
		w->wrong += !eu_tfind(&own[i - 1], &common.tree, compare_numbers);
	}
	return NULL;
}

/* How many results were wrong. */
static unsigned run_all(struct worker workers[THREADS], void *(*task)(void *arg))
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].nr = i;
		workers[i].wrong = 0;
		if (pthread_create(&workers[i].thread, NULL, task, &workers[i]))
			exit(1);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		wrong += workers[i].wrong;
	}
	return wrong;
}

static void test_threads(void)
{
	static struct worker workers[THREADS];
	unsigned wrong, moved = 0, bad = 0;

	memset(&common, 0xa5, sizeof(common));
	memset(freed, 0, sizeof(freed));
	eu_search_tree_init(&common.tree);
	wrong = run_all(workers, put_in);
	CHECK(!wrong, "%u threads put keys in and find them (%u wrong)", THREADS, wrong);
	for (unsigned i = 0; i < THREADS; i++) {
		for (unsigned k = 0; k < SHARED; k++)
			moved += workers[i].shared[k] != workers[0].shared[k];
	}
	CHECK(!moved, "a key that all put in is in one place for all (%u are not)", moved);
	wrong = run_all(workers, take_out);
	CHECK(!wrong, "they delete some and find the others (%u wrong)", wrong);
	eu_search_tree_fini(&common.tree, count_freed);
	for (unsigned i = 0; i < KEYS; i++) {
		bool deleted = i >= SHARED && (i - SHARED) % OWN % 2;

		bad += freed[i] != !deleted;
	}
	CHECK(!bad, "all that was not deleted is freed at the end, once (%u are not)", bad);
	CHECK(is_untouched(&common), "the bytes after the root are not changed");
}

int main(void)
{
	for (int i = 0; i < KEYS; i++)
		numbers[i] = i;
	test_one_thread();
	test_trees_in_keys();
	test_threads();
	return tap_done();
}
