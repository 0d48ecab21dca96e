// SPDX-License-Identifier: GPL-2.0-only
/*
 * head.c - the part of a line before the event's name: task, CPU, flags, time.
 */
#include "print/head.h"

#include <stdlib.h>

#include "base/memory.h"
#include "print/put.h"
#include "print/text.h"

enum { TASK_WIDTH = 16, PID_WIDTH = 7, SECONDS_WIDTH = 5 };

static struct heads *heads_new(void)
{
	struct heads *new = must(aligned_alloc(_Alignof(struct heads), sizeof(*new)));

	return memset(new, 0, sizeof(*new));
}

void heads_forget(struct heads *all)
{
	for (unsigned i = 0; i < NR_HEADS; i++)
		all->head[i].layout = NULL;
}

void heads_free(struct heads *all)
{
	free(all);
}

/* A task's name may hold any byte except NUL (prctl(2)). A newline in it would start a line that nobody traced. */
static inline char *put_task(const struct text *t, char *p, const struct bp_rec *rec)
{
	static const char idle[BP_COMM_LEN] = "<idle>", blank[TASK_WIDTH + 1] = "                ";
	const char *comm = rec->common_pid ? rec->comm : idle;
	unsigned end = scan_zeroes(comm) | 1u << BP_COMM_LEN;
	char *pid;

	put_copy16(p, blank);
	p += TASK_WIDTH;
	if (t->raw_strings)
		put_copy16(p - (unsigned)__builtin_ctz(end), comm);
	else
		put_printable16(p - (unsigned)__builtin_ctz(end), comm);
	*p++ = '-';
	put_copy16(p, blank);
	pid = p;
	if (rec->common_pid < 0)
		*p++ = '-';
	p = put_dec(p, rec->common_pid < 0 ? 0 - (uint64_t)rec->common_pid : (uint64_t)rec->common_pid);
	return p < pid + PID_WIDTH ? pid + PID_WIDTH : p;
}

static inline char *put_cpu(char *p, unsigned cpu)
{
	if (cpu >= 1000)
		return put_dec(p, cpu);
	*p = (char)('0' + cpu / 100);
	return put_pair(p + 1, cpu % 100);
}

/* (%7d), as the kernel prints it with record-tgid. The kernel prints dashes if it has forgotten the TGID. */
static char *put_tgid(char *p, uint32_t tgid)
{
	char digits[PUT_DEC + PUT_SLACK];
	unsigned len = (unsigned)(put_dec(digits, tgid) - digits);

	*p++ = '(';
	for (unsigned i = len; i < PID_WIDTH; i++)
		*p++ = ' ';
	memcpy(p, digits, MIN(len, (unsigned)PUT_DEC));
	p += len;
	*p++ = ')';
	*p++ = ' ';
	return p;
}

/* Without flags the blank before the time stays. */
static char *put_flags(const struct text *t, const struct event *ev, char *p)
{
	switch (t->columns.flags) {
	case COLUMN_FLAGS_NONE:
		return p;
	case COLUMN_FLAGS_4:
		context_flags4(&t->rules, ev->rec, ev->layout, p);
		return p + 4;
	default:
		context_flags(&t->rules, ev->rec, ev->layout, p);
		return p + 5;
	}
}

/* Seconds with the dot: 2^64 ns have 11 digits of them. */
static char *put_seconds(char *p, uint64_t s)
{
	char digits[PUT_DEC + PUT_SLACK];
	unsigned len = (unsigned)(put_dec(digits, s) - digits), pad = len < SECONDS_WIDTH ? SECONDS_WIDTH - len : 0;

	memset(p, ' ', pad);
	memcpy(p + pad, digits, MIN(len, (unsigned)PUT_DEC));
	p[pad + len] = '.';
	return p + pad + len + 1;
}

static void head_make(const struct text *t, const struct event *ev, uint64_t ns, struct head *h)
{
	const struct bp_rec *rec = ev->rec;
	char *p = h->text;

	h->layout = ev->layout;
	h->site = NULL;
	h->second = ns - ns % HEAD_SECOND;
	memcpy(&h->who, &rec->tgid, sizeof(h->who));
	memcpy(h->comm, rec->comm, sizeof(h->comm));
	h->preempt = rec->preempt;
	h->tif = rec->tif;
	h->eflags = rec->eflags;
	h->pid = rec->common_pid;
	p = put_task(t, p, rec);
	*p++ = ' ';
	if (t->columns.tgid)
		p = put_tgid(p, rec->tgid);
	*p++ = '[';
	p = put_cpu(p, rec->cpu);
	*p++ = ']';
	*p++ = ' ';
	p = put_flags(t, ev, p);
	*p++ = ' ';
	p = put_seconds(p, ns / HEAD_SECOND);
	h->len = (uint32_t)(p - h->text);
}

struct head *head_renew(struct text *t, const struct event *ev, uint64_t ns, uint32_t slot)
{
	if (!t->heads)
		t->heads = heads_new();
	head_make(t, ev, ns, &t->heads->head[slot]);
	return &t->heads->head[slot];
}
