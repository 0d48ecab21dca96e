/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.h - the recorded stacks as a tree: a task, the frames of its program, the frames of the kernel.
 */
#ifndef REPORT_FLAME_H
#define REPORT_FLAME_H

#include "print/event.h"
#include "report/index.h"
#include "report/strings.h"

struct text;

enum { FLAME_NODES = 100000 };

struct flame_node {
	uint32_t parent;		/* of the root: itself; of others a lower number */
	uint32_t name;			/* in the strings; of the root: none */
	bool in_kernel;
	uint64_t self;			/* stacks that end here */
};

/* Starts as all zeroes. */
struct flame {
	struct flame_node *nodes;	/* the first one is the root; none without stacks */
	unsigned nr, size;
	struct index children, known;	/* known: whole stacks, by their hash */
	struct flame_known *leaves;
	unsigned nr_leaves, size_leaves;
	uint64_t stacks;		/* so many */
	uint64_t cut;			/* ... of which so many have frames that are not here: there are FLAME_NODES already */
	struct buf raw, name;
};

void flame_fini(struct flame *f);

/* Adds the stacks of @ev, if it has any, under the name @task. */
void flame_add(struct flame *f, struct strings *names, const struct text *t, const struct event *ev, uint32_t task);

#endif
