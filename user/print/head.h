/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * head.h - the part of a line before the event's name: task, CPU, flags, time.
 *
 * A task that hits a probe again within a second has the same head, but for the last digits of the time. So the heads of
 * some tasks are kept. A table without chains: a new head replaces the old one in its slot.
 */
#ifndef PRINT_HEAD_H
#define PRINT_HEAD_H

#include <stddef.h>

#include "arch/kernel.h"
#include "print/event.h"
#include "print/put.h"
#include "print/text.h"

struct site;

enum { HEAD_ROOM = 128, NR_HEADS = 128 };

#define HEAD_SECOND	1000000000u	/* ns */

/* Of the flags' register only this bit is in a line; the other one tells whether the register is known. */
enum { HEAD_EFLAGS = FLAGS_INTERRUPTS | 0x8000 };

/* What the head's text depends on, and the text, readable up to the next multiple of 16. */
struct head {
	const struct layout *layout;	/* NULL: the slot is empty */
	struct site *site;		/* of the last line with this head, for text.c; NULL: none yet */
	uint64_t second;		/* in ns */
	uint64_t who;			/* tgid, cpu, migrate */
	uint64_t comm[2];
	uint32_t preempt, tif, eflags;
	int32_t pid;
	uint32_t len;
	char text[HEAD_ROOM];
} __attribute__((aligned(256)));	/* so that its place is found by a shift */

struct heads {
	struct head head[NR_HEADS];
};

_Static_assert(offsetof(struct bp_rec, cpu) == offsetof(struct bp_rec, tgid) + 4 &&
	       offsetof(struct bp_rec, migrate) == offsetof(struct bp_rec, tgid) + 6, "head.who");

static inline bool head_fits(const struct head *h, const struct event *ev, uint64_t ns)
{
	const struct bp_rec *rec = ev->rec;
	uint64_t who, comm[2];

	memcpy(&who, &rec->tgid, sizeof(who));
	memcpy(comm, rec->comm, sizeof(comm));
	return h->layout == ev->layout && ns - h->second < HEAD_SECOND && h->pid == rec->common_pid && h->who == who &&
	       !((h->comm[0] ^ comm[0]) | (h->comm[1] ^ comm[1])) && h->preempt == rec->preempt && h->tif == rec->tif &&
	       !((h->eflags ^ rec->eflags) & HEAD_EFLAGS);
}

/* Formats the head for this slot. */
struct head *head_renew(struct text *t, const struct event *ev, uint64_t ns, uint32_t slot);

/* The head of @ev's line, without the digits behind the second. @ns: the event's time on the clock of @t. */
static inline struct head *head_find(struct text *t, const struct event *ev, uint64_t ns)
{
	uint32_t slot = (uint32_t)ev->rec->common_pid + 16u * ev->rec->cpu + (uint32_t)((uintptr_t)ev->layout >> 6);

	struct head *h;

	slot %= NR_HEADS;
	h = t->heads ? &t->heads->head[slot] : NULL;
	return h && head_fits(h, ev, ns) ? h : head_renew(t, ev, ns, slot);
}

/* Writes the head and the digits to @p, where HEAD_ROOM bytes are free. Returns where the line continues. */
static inline char *head_put(const struct text *t, const struct head *h, uint64_t ns, char *p)
{
	uint32_t fraction = (uint32_t)(ns - h->second);

	p = put_padded48(p, h->text, h->len);
	p = put_six(p, fraction / 1000);	/* truncated and not rounded */
	return t->columns.ns ? put_three(p, fraction % 1000) : p;
}

/* Symbols or layouts have changed. */
void heads_forget(struct heads *all);

void heads_free(struct heads *all);	/* NULL is fine */

#endif
