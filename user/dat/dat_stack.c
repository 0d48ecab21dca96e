// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_stack.c - the events of stacks in a trace.dat: those of ftrace itself.
 *
 * A record of bprobe has its frames itself, and --read takes them from there: a record needs no other one, so damaged pages and
 * --rotate need no care. These events are for other readers. They come behind the record, with the same time.
 */
#include "dat/dat_record.h"

#include "print/stack.h"

/* The numbers of the kernel (6.12, kernel/trace/trace.h, enum trace_type). The format texts say them, too. */
static const uint16_t ids[STACK_KINDS] = { [STACK_KERNEL] = 4, [STACK_USER] = 12 };

/* 6.12's own text. Readers take as many callers as the record has. */
#define COMMON									\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define CALLER "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
#define PRINT									\
	"\nprint fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\"" \
	", (void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], (void *)REC->caller[3]" \
	", (void *)REC->caller[4], (void *)REC->caller[5], (void *)REC->caller[6], (void *)REC->caller[7]\n"

static const char *const texts[STACK_KINDS] = {
	[STACK_KERNEL] = "name: kernel_stack\nID: 4\nformat:\n" COMMON "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n" CALLER PRINT,
	[STACK_USER] = "name: user_stack\nID: 12\nformat:\n" COMMON "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
		       CALLER PRINT,
};

unsigned dat_stack_formats(const char **ret)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (texts[i])
			ret[nr++] = texts[i];
	}
	return nr;
}

bool dat_stack_is(uint16_t id)
{
	return id == ids[STACK_KERNEL] || id == ids[STACK_USER];
}

struct record {
	uint64_t common;
	uint32_t word;			/* kernel_stack: size; user_stack: tgid */
	uint32_t pad;
	uint64_t caller[LAYOUT_MAX_FRAMES + 1];
};

bool dat_stack_add(struct dat_pen *pen, const struct dat_shape *s, const struct event *ev, enum stack_kind kind, uint64_t ts)
{
	struct record r = { .common = s->common >> 16 << 16 | ids[kind] | (uint64_t)(uint32_t)ev->rec->common_pid << 32 };
	struct stack stack;

	if (!ids[kind] || !stack_get(ev, kind, &stack))
		return true;
	r.word = kind == STACK_USER ? ev->rec->tgid : stack.nr;
	memcpy(r.caller, stack.frames, 8 * stack.nr);
	/* Readers of user_stack take as many callers as the text says. They take those of kernel_stack up to its end. */
	if (kind == STACK_USER)
		stack.nr = MAX(stack.nr, 8u);
	return dat_page_add(&pen->page, ts, &r, (uint32_t)(sizeof(r) - sizeof(r.caller)) + 8 * stack.nr);
}
