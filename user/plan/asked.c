// SPDX-License-Identifier: GPL-2.0-only
/*
 * asked.c - questions to debug information that were asked, and their answers.
 */
#include "plan/asked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"

struct question {
	struct question *next;
	int fd;
	const char *key;		/* all of the question, as bytes */
	size_t key_len;
	bool is_answered;
	bool is_failed;			/* the file could not be read: it is asked alone, later */
	struct lines_answer answer;
	/* Before it is: */
	struct lines_query query;
	const char *name;
};

struct asked {
	struct arena arena;
	struct question *all;
	bool collects;
};

struct asked *asked_new(void)
{
	return must(calloc(1, sizeof(struct asked)));
}

void asked_close(struct asked *a)
{
	if (a)
		arena_fini(&a->arena);
	free(a);
}

/* A text, and whether there is one. */
static void add_text(struct buf *key, const char *text)
{
	buf_adds(key, text ? "=" : "-");
	buf_add(key, text ? text : "", text ? strlen(text) + 1 : 0);
}

static void add_number(struct buf *key, uint64_t n)
{
	buf_addf(key, "%llx ", (unsigned long long)n);
}

/* Everything that the answer depends on, but for the file. */
static void make_key(const struct lines_query *q, struct buf *key)
{
	add_number(key, q->want);
	add_text(key, q->dir);
	add_text(key, q->file);
	add_text(key, q->function);
	add_number(key, (unsigned)q->has_line | q->is_return << 1 | q->no_inline << 2 | q->is_symbol << 3 | q->lists << 4 | q->describes << 5);
	add_number(key, q->line);
	add_number(key, q->off);
	add_number(key, q->nr_numbers);
	for (unsigned i = 0; i < q->nr_numbers; i++)
		add_number(key, q->numbers[i]);
	add_number(key, q->nr_exprs);
	for (unsigned i = 0; i < q->nr_exprs; i++) {
		add_number(key, q->exprs[i].as_text);
		add_text(key, q->exprs[i].text);
	}
}

static struct question *find(struct asked *a, int fd, const struct buf *key)
{
	struct question *q = a->all;

	while (q && (q->fd != fd || q->key_len != key->len || memcmp(q->key, key->data, key->len)))
		q = q->next;
	return q;
}

static void keep(struct asked *a, int fd, const char *name, const struct lines_query *query, const struct buf *key)
{
	struct question *q = arena_new(&a->arena, struct question);
	char *copy = arena_alloc(&a->arena, key->len);

	memcpy(copy, key->data, key->len);
	*q = (struct question){ .next = a->all, .fd = fd, .key = copy, .key_len = key->len, .query = *query, .name = name };
	a->all = q;
}

int asked_ask(struct asked *a, struct arena *arena, int fd, const char *name, const struct lines_query *query, struct lines_answer *ret,
	      struct diag *diag)
{
	struct buf key = { 0 };
	struct question *q;

	if (a)
		make_key(query, &key);
	q = a ? find(a, fd, &key) : NULL;
	if (q && q->is_answered)
		*ret = q->answer;
	else if (a && a->collects && !q)
		keep(a, fd, name, query, &key);
	buf_fini(&key);
	if (q && q->is_answered)
		return 0;
	if (q && q->is_failed && a->collects)
		return -EIO;
	return a && a->collects ? -EAGAIN : lines_ask(arena, fd, name, query, 1, ret, diag);
}

void asked_collect(struct asked *a)
{
	a->collects = true;
}

/* Asks what is not answered about the file @fd. */
static bool ask_file(struct asked *a, int fd, const char *name)
{
	struct lines_query *queries;
	struct lines_answer *answers;
	struct diag ignored = { 0 };
	unsigned nr = 0, i = 0;
	bool good;

	for (const struct question *q = a->all; q; q = q->next)
		nr += q->fd == fd && !q->is_answered;
	queries = arena_array(&a->arena, struct lines_query, nr);
	answers = arena_array(&a->arena, struct lines_answer, nr);
	for (const struct question *q = a->all; q; q = q->next) {
		if (q->fd == fd && !q->is_answered)
			queries[i++] = q->query;
	}
	good = !lines_ask(&a->arena, fd, name, queries, nr, answers, &ignored);
	diag_fini(&ignored);
	i = 0;
	for (struct question *q = a->all; good && q; q = q->next) {
		if (q->fd == fd && !q->is_answered) {
			q->answer = answers[i++];
			q->is_answered = true;
		}
	}
	return good;
}

static void fail_file(struct asked *a, int fd)
{
	for (struct question *q = a->all; q; q = q->next)
		q->is_failed |= !q->is_answered && q->fd == fd;
}

static const struct question *first_open(const struct asked *a)
{
	const struct question *q = a->all;

	while (q && (q->is_answered || q->is_failed))
		q = q->next;
	return q;
}

bool asked_answer(struct asked *a)
{
	const struct question *q;
	bool any = false;

	a->collects = false;
	while ((q = first_open(a))) {
		bool good = ask_file(a, q->fd, q->name);

		if (!good)
			fail_file(a, q->fd);
		any |= good;
	}
	return any;
}
