// SPDX-License-Identifier: GPL-2.0-only
/*
 * folded.c - stacks and how often each one came.
 */
#include "print/folded.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "elf/dwarf/lines.h"
#include "print/sink.h"
#include "print/stack.h"
#include "print/text.h"

/* A line without its count. */
struct folded {
	struct folded *next;		/* in the same bucket */
	uint64_t hash, count;
	char text[];
};

struct all {
	struct own own;			/* first */
	struct arena arena;		/* this structure, and the lines */
	struct folded **buckets;
	unsigned nr, nr_buckets;	/* a power of two */
	struct buf line;		/* the one that is being made */
};

static void renew(struct own *own)
{
	(void)own;			/* lines depend on names, not on layouts */
}

static void free_all(struct own *own)
{
	struct all *a = (struct all *)own;
	struct arena arena = a->arena;

	free(a->buckets);
	buf_fini(&a->line);
	arena_fini(&arena);
}

static struct all *all_of(struct text *t)
{
	if (!t->own) {
		struct arena arena = { 0 };
		struct all *a = arena_new(&arena, struct all);

		a->own = (struct own){ renew, free_all };
		a->arena = arena;
		a->nr_buckets = 1024;
		a->buckets = must(calloc(a->nr_buckets, sizeof(struct folded *)));
		t->own = &a->own;
	}
	return (struct all *)t->own;
}

/* FNV-1a */
static uint64_t hash_of(const char *s)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
	return hash;
}

static void grow(struct all *a)
{
	unsigned nr = 4 * a->nr_buckets;
	struct folded **more = must(calloc(nr, sizeof(*more)));

	for (unsigned i = 0; i < a->nr_buckets; i++) {
		for (struct folded *f = a->buckets[i], *next; f; f = next) {
			next = f->next;
			f->next = more[f->hash & (nr - 1)];
			more[f->hash & (nr - 1)] = f;
		}
	}
	free(a->buckets);
	a->buckets = more;
	a->nr_buckets = nr;
}

static void count(struct all *a, const char *line)
{
	uint64_t hash = hash_of(line);
	struct folded *f = a->buckets[hash & (a->nr_buckets - 1)];

	while (f && (f->hash != hash || strcmp(f->text, line)))
		f = f->next;
	if (!f) {
		if (a->nr >= a->nr_buckets)
			grow(a);
		f = arena_alloc(&a->arena, sizeof(*f) + strlen(line) + 1);
		*f = (struct folded){ .next = a->buckets[hash & (a->nr_buckets - 1)], .hash = hash };
		memcpy(f->text, line, strlen(line) + 1);
		a->buckets[hash & (a->nr_buckets - 1)] = f;
		a->nr++;
	}
	f->count++;
}

/* A frame ends at ';', and a line at a newline: names get other characters for these. */
static void clean(struct buf *line, size_t from)
{
	for (char *p = line->data + from; p < line->data + line->len; p++) {
		if (*p == ';')
			*p = ':';
		else if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
}

static void add_frames(const struct text *t, const struct event *ev, enum stack_kind kind, struct buf *line)
{
	struct stack stack;

	if (!stack_get(ev, kind, &stack))
		return;
	for (unsigned i = stack.nr; i-- > 0;) {
		const struct lines_frames *lines = stack_frame_lines(t, ev, &stack, i);
		size_t from = line->len + 1;

		buf_addc(line, ';');
		stack_put_name(t, ev, &stack, i, line);
		clean(line, from);
		/* The suffix is the one that flamegraph.pl has a colour for. */
		for (unsigned n = lines ? lines->nr - 1 : 0; n-- > 0;) {
			from = line->len + 1;
			buf_addf(line, ";%s", lines->all[n].function);
			clean(line, from);
			buf_adds(line, "_[i]");
		}
	}
}

/* Of an event without a stack: its function, or the event itself if it has no place. */
static void add_only_frame(const struct text *t, const struct event *ev, struct buf *line)
{
	if (ev->layout->is_synthetic)
		buf_adds(line, ev->layout->event);
	else
		text_symbol(line, t->ks, event_addr(ev), false);
}

static bool shows_stack(const struct event *ev)
{
	for (enum stack_kind kind = 0; kind < STACK_KINDS; kind++) {
		if (stack_is_shown(ev, kind))
			return true;
	}
	return false;
}

static void put_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	const char *task = ev->rec->common_pid ? ev->rec->comm : "<idle>";
	struct all *a = all_of(t);
	struct buf *line = &a->line;

	(void)to;
	(void)out;
	buf_reset(line);
	buf_add(line, task, strnlen(task, BP_COMM_LEN));
	clean(line, 0);
	for (enum stack_kind kind = STACK_USER; kind < STACK_KINDS; kind++)
		add_frames(t, ev, kind, line);
	add_frames(t, ev, STACK_KERNEL, line);
	if (!shows_stack(ev)) {
		size_t from = line->len + 1;

		buf_addc(line, ';');
		add_only_frame(t, ev, line);
		clean(line, from);
	}
	count(a, buf_str(line));
}

/* The summary on standard error has the losses. */
static void put_lost(void *to, const struct text *t, unsigned cpu, uint64_t nr, struct buf *out)
{
	(void)to;
	(void)t;
	(void)cpu;
	(void)nr;
	(void)out;
}

static int compare(const void *a, const void *b)
{
	const struct folded *const *x = a, *const *y = b;

	return strcmp((*x)->text, (*y)->text);
}

static int put_all(struct text *t, struct buf *out)
{
	struct all *a = all_of(t);
	const struct folded **sorted = must(calloc(a->nr + 1, sizeof(*sorted)));
	unsigned nr = 0;

	for (unsigned i = 0; i < a->nr_buckets; i++) {
		for (const struct folded *f = a->buckets[i]; f; f = f->next)
			sorted[nr++] = f;
	}
	qsort(sorted, nr, sizeof(*sorted), compare);
	for (unsigned i = 0; i < nr; i++) {
		buf_adds(out, sorted[i]->text);
		buf_addf(out, " %" PRIu64 "\n", sorted[i]->count);
	}
	free(sorted);
	return 0;
}

static const struct sink_option option = {
	.name = "folded", .does = "counts stacks", .no_columns = "lines of events: --folded has only tasks and functions",
};

const struct sink sink_folded = { .prints = true, .option = &option, .event = put_event, .lost = put_lost, .end = put_all };
