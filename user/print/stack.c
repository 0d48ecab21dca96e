// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack.c - the stacks that a hit was recorded with.
 */
#include "print/stack.h"

#include "elf/users.h"
#include "print/text.h"

/* As ftrace prints them, and calls its events (6.12, kernel/trace/trace_output.c and trace_entries.h). */
static const struct {
	const char *name, *title;
} kinds[STACK_KINDS] = {
	[STACK_KERNEL] = { "kernel_stack", "<stack trace>" },
	[STACK_USER] = { "user_stack", "<user stack trace>" },
};

const char *stack_title(enum stack_kind kind)
{
	return kinds[kind].title;
}

const char *stack_name(enum stack_kind kind)
{
	return kinds[kind].name;
}

/*
 * The kernel gives the place of a hit as the address where the code goes on: 1 byte behind an int3, 5 behind a call of ftrace's.
 * Where it gives none, the first frame is the caller.
 */
enum { GOES_ON = 5 };

static void begin_at_place(const struct event *ev, struct stack *s)
{
	uint64_t place = event_addr(ev);

	if (!place)			/* the kernel hides it */
		return;
	if (ev->layout->is_return || s->frames[0] - place > GOES_ON) {
		memmove(s->frames + 1, s->frames, s->nr * sizeof(s->frames[0]));
		s->nr++;
	}
	s->frames[0] = place;
}

bool stack_get(const struct event *ev, enum stack_kind kind, struct stack *ret)
{
	uint32_t loc, off, len;

	if (!(ev->layout->stacks & 1u << kind))
		return false;
	memcpy(&loc, ev->body + ev->layout->stack_off[kind], sizeof(loc));
	off = loc & 0xffff;
	len = MIN(loc >> 16, (uint32_t)LAYOUT_STACK);
	if (!len || off + len > ev->len)
		return false;
	ret->kind = kind;
	ret->nr = len / 8;
	memcpy(ret->frames, ev->body + off, len);
	if (ret->nr && kind == STACK_KERNEL)
		begin_at_place(ev, ret);
	return ret->nr;
}

bool stack_user_frame(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct user_frame *ret)
{
	if (stack->kind != STACK_USER || !t->users)
		return false;
	users_find(t->users, ev->rec->tgid, ev->rec->ts, stack->frames[frame], ret);
	return ret->path;
}

/* Names come from files that anybody can make. */
static void add_name(struct buf *out, const char *name)
{
	text_escaped(out, name, (uint32_t)strlen(name), '\\');
}

static void add_hex(struct buf *out, const char *before, uint64_t n)
{
	buf_adds(out, before);
	buf_hex(out, n);
}

void stack_put_frame(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *out)
{
	struct user_frame f;

	if (stack->kind == STACK_KERNEL) {
		text_symbol(out, t->ks, stack->frames[frame], true);
	} else if (!stack_user_frame(t, ev, stack, frame, &f)) {
		add_hex(out, "0x", stack->frames[frame]);
	} else if (f.symbol) {
		add_name(out, f.symbol->name);
		add_hex(out, "+0x", f.off - f.symbol->addr);
		add_hex(out, "/0x", f.symbol->size);
		buf_adds(out, " [");
		add_name(out, f.path);
		buf_addc(out, ']');
	} else {
		add_name(out, f.path);
		add_hex(out, "[+0x", f.off);
		buf_addc(out, ']');
	}
}

void stack_put_name(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *out)
{
	struct user_frame f;

	if (stack->kind == STACK_KERNEL)
		text_symbol(out, t->ks, stack->frames[frame], false);
	else if (!stack_user_frame(t, ev, stack, frame, &f))
		add_hex(out, "0x", stack->frames[frame]);
	else if (f.symbol)
		buf_adds(out, f.symbol->name);
	else
		buf_addf(out, "[%s]", f.path);
}

void stack_put_lines(const struct text *t, const struct event *ev, const struct stack *stack, struct buf *out)
{
	for (unsigned i = 0; i < stack->nr; i++) {
		buf_adds(out, " => ");
		stack_put_frame(t, ev, stack, i, out);
		buf_addc(out, '\n');
	}
}
