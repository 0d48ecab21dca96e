// SPDX-License-Identifier: GPL-2.0-only
/*
 * eu_search.c - the search trees that a static libelf or libdw may lack.
 *
 * elfutils keeps these functions in a separate archive, libeu.a, which is not installed. In 0.192, libelf.a and libdw.a
 * call them but do not contain them (sourceware.org/PR32293), so nothing links with them statically on Debian 13.
 * bprobe itself never uses such a tree.
 *
 * One lock serves all trees, because a tree has no lock of its own that this code can rely on (see eu_search.h). Keys
 * are compared with the lock held; no comparison in elfutils uses a tree. Keys are freed without the lock, because
 * freeing a unit of libdw destroys the unit's own tree.
 */
#include "compat/eu_search.h"

#include <pthread.h>
#include <search.h>
#include <stddef.h>

static pthread_rwlock_t eu_trees_lock = PTHREAD_RWLOCK_INITIALIZER;

void eu_search_tree_init(struct eu_tree *tree)
{
	tree->root = NULL;
}

void eu_tdestroy(struct eu_tree *tree, void (*free_key)(void *key))
{
	void *root;

	pthread_rwlock_wrlock(&eu_trees_lock);
	root = tree->root;
	tree->root = NULL;
	pthread_rwlock_unlock(&eu_trees_lock);
	tdestroy(root, free_key);
}

void eu_search_tree_fini(struct eu_tree *tree, void (*free_key)(void *key))
{
	eu_tdestroy(tree, free_key);
}

void *eu_tsearch(const void *key, struct eu_tree *tree, eu_compare_fn *compare)
{
	void *place;

	pthread_rwlock_wrlock(&eu_trees_lock);
	place = tsearch(key, &tree->root, compare);
	pthread_rwlock_unlock(&eu_trees_lock);
	return place;
}

void *eu_tfind(const void *key, struct eu_tree *tree, eu_compare_fn *compare)
{
	void *place;

	pthread_rwlock_rdlock(&eu_trees_lock);
	place = tfind(key, &tree->root, compare);
	pthread_rwlock_unlock(&eu_trees_lock);
	return place;
}

void *eu_tdelete(const void *key, struct eu_tree *tree, eu_compare_fn *compare)
{
	void *parent;

	pthread_rwlock_wrlock(&eu_trees_lock);
	parent = tdelete(key, &tree->root, compare);
	pthread_rwlock_unlock(&eu_trees_lock);
	return parent;
}
