/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eu_search.h - the search trees that a static libelf or libdw may lack (elfutils 0.192, lib/eu-search.h)
 *
 * The creator of a tree owns it and the keys in it.
 */
#ifndef EU_SEARCH_H
#define EU_SEARCH_H

/*
 * A tree of those libraries. Their struct has a lock after the root: an int that nothing uses, or a pthread_rwlock_t if
 * they were built for threads. An archive does not tell which of the two it has, so this code uses only the root.
 */
struct eu_tree {
	void *root;		/* of tsearch(3) */
};

typedef int eu_compare_fn(const void *one, const void *other);

/* Makes the tree empty. A tree of all zeroes is empty, too. */
void eu_search_tree_init(struct eu_tree *tree);

/* Calls @free_key for each key and leaves the tree empty. @free_key may use other trees. */
void eu_tdestroy(struct eu_tree *tree, void (*free_key)(void *key));
void eu_search_tree_fini(struct eu_tree *tree, void (*free_key)(void *key));

/*
 * Like tsearch(3), tfind(3), tdelete(3), for any number of threads. The result points to the key's place in the tree.
 * It is valid until a key of that tree is deleted. eu_tsearch() returns NULL if there is no memory.
 */
void *eu_tsearch(const void *key, struct eu_tree *tree, eu_compare_fn *compare);
void *eu_tfind(const void *key, struct eu_tree *tree, eu_compare_fn *compare);
void *eu_tdelete(const void *key, struct eu_tree *tree, eu_compare_fn *compare);

#endif
