// SPDX-License-Identifier: GPL-2.0-only
/*
 * flame.c - the recorded stacks as a tree.
 */
#include "report/flame.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "print/stack.h"
#include "print/text.h"

/* Names of frames are looked up once for each stack, however often it comes. When the table is full it begins anew. */
enum { KNOWN_MOST = 1 << 16 };

struct flame_known {
	uint64_t check;			/* another hash of the same stack */
	uint32_t leaf;
	bool cut;
};

void flame_fini(struct flame *f)
{
	free(f->nodes);
	free(f->leaves);
	index_fini(&f->children);
	index_fini(&f->known);
	buf_fini(&f->raw);
	buf_fini(&f->name);
	*f = (struct flame){ 0 };
}

/* INDEX_NONE: there is no room. */
static uint32_t child_of(struct flame *f, uint32_t parent, uint32_t name, bool in_kernel)
{
	uint64_t hash = index_mix(index_mix(index_mix(2, parent), name), in_kernel);
	uint32_t at = 0, nr;

	while ((nr = index_next(&f->children, hash, &at)) != INDEX_NONE) {
		if (f->nodes[nr].parent == parent && f->nodes[nr].name == name && f->nodes[nr].in_kernel == in_kernel)
			return nr;
	}
	if (f->nr >= FLAME_NODES)
		return INDEX_NONE;
	f->nodes = heap_grow(f->nodes, f->nr, &f->size);
	f->nodes[f->nr] = (struct flame_node){ .parent = parent, .name = name, .in_kernel = in_kernel };
	if (f->nr)
		index_add(&f->children, hash, f->nr);
	return f->nr++;
}

/* INDEX_NONE: no frame has had this name so far, and there is no room for another frame. */
static uint32_t name_of(struct flame *f, struct strings *names, const struct text *t, const struct event *ev, const struct stack *stack,
			unsigned frame)
{
	buf_reset(&f->raw);
	buf_reset(&f->name);
	stack_put_name(t, ev, stack, frame, &f->raw);
	escape_text(&f->name, buf_str(&f->raw), f->raw.len, "");
	if (f->nr >= FLAME_NODES)
		return strings_find(names, buf_str(&f->name), f->name.len);
	return strings_add(names, buf_str(&f->name), f->name.len);
}

static void add_frames(struct flame *f, struct strings *names, const struct text *t, const struct event *ev, const struct stack *stack,
		       struct flame_known *at)
{
	for (unsigned i = stack->nr; i-- > 0 && !at->cut;) {
		uint32_t name = name_of(f, names, t, ev, stack, i), next = name;

		if (name != INDEX_NONE)
			next = child_of(f, at->leaf, name, stack->kind == STACK_KERNEL);
		if (next == INDEX_NONE)
			at->cut = true;
		else
			at->leaf = next;
	}
}

static uint64_t hash_of(const struct stack *stacks, unsigned nr, uint64_t hash)
{
	for (unsigned i = 0; i < nr; i++) {
		hash = index_mix(hash, stacks[i].kind << 16 | stacks[i].nr);
		if (stacks[i].kind == STACK_KERNEL)
			hash = index_hash(hash, stacks[i].frames, 8 * stacks[i].nr);
		else
			hash = index_hash(hash, stacks[i].bytes, stacks[i].len);
	}
	return hash;
}

static struct flame_known *find(struct flame *f, uint64_t hash, uint64_t check)
{
	uint32_t at = 0, nr;

	while ((nr = index_next(&f->known, hash, &at)) != INDEX_NONE) {
		if (f->leaves[nr].check == check)
			return &f->leaves[nr];
	}
	return NULL;
}

static struct flame_known *make_known(struct flame *f, uint64_t hash, uint64_t check)
{
	if (f->nr_leaves == KNOWN_MOST) {
		index_fini(&f->known);
		f->nr_leaves = 0;
	}
	f->leaves = heap_grow(f->leaves, f->nr_leaves, &f->size_leaves);
	f->leaves[f->nr_leaves] = (struct flame_known){ .check = check };
	index_add(&f->known, hash, f->nr_leaves);
	return &f->leaves[f->nr_leaves++];
}

void flame_add(struct flame *f, struct strings *names, const struct text *t, const struct event *ev, uint32_t task)
{
	struct stack stacks[STACK_KINDS];
	struct flame_known *known;
	uint64_t hash, check;
	unsigned nr = 0;

	for (enum stack_kind kind = STACK_USER; kind < STACK_KINDS; kind++)
		nr += stack_get(ev, kind, &stacks[nr]);
	nr += stack_get(ev, STACK_KERNEL, &stacks[nr]);
	if (!nr)
		return;
	hash = hash_of(stacks, nr, index_mix(3, task));
	check = hash_of(stacks, nr, index_mix(4, task));
	known = find(f, hash, check);
	if (!known) {
		known = make_known(f, hash, check);
		if (!f->nr)
			child_of(f, 0, 0, false);
		known->leaf = child_of(f, 0, task, false);
		known->cut = known->leaf == INDEX_NONE;
		known->leaf = known->cut ? 0 : known->leaf;
		for (unsigned i = 0; i < nr; i++)
			add_frames(f, names, t, ev, &stacks[i], known);
	}
	f->nodes[known->leaf].self++;
	f->stacks++;
	f->cut += known->cut;
}
