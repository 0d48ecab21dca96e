/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eu_search.h - the search trees that a static libelf or libdw may lack (elfutils 0.192, lib/eu-search.h)
 *
 * Whoever makes a tree owns it and the keys in it.
 */
#ifndef EU_SEARCH_H
#define EU_SEARCH_H

/*
 * A tree of those libraries. Theirs has a lock behind the root: an int that nothing uses, or a pthread_rwlock_t if
 * they were built for threads. Which of both an archive does not say, so only the root is touched here.
 */
struct eu_tree {
	void *root;		/* of tsearch(3) */
};

typedef int eu_compare_fn(const void *one, const void *other);

/* An empty tree. All zeroes is one, too. */
void eu_search_tree_init(struct eu_tree *tree);

/* @free_key is called for each key; the tree is empty then. It may use other trees. */
void eu_tdestroy(struct eu_tree *tree, void (*free_key)(void *key));
void eu_search_tree_fini(struct eu_tree *tree, void (*free_key)(void *key));

/*
 * As tsearch(3), tfind(3), tdelete(3), from any number of threads. What is returned points to the key's place in
 * the tree, and is good until a key of that tree is deleted. eu_tsearch() returns NULL if there is no memory.
 */
void *eu_tsearch(const void *key, struct eu_tree *tree, eu_compare_fn *compare);
void *eu_tfind(const void *key, struct eu_tree *tree, eu_compare_fn *compare);
void *eu_tdelete(const void *key, struct eu_tree *tree, eu_compare_fn *compare);

#endif
