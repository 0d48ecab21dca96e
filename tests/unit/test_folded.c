// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_folded.c - stacks that are counted: the order of frames, names, and more of them than the table had room for.
 *
 * Expected lines follow from folded.h, and from what flamegraph.pl reads: frames end at ';', the count follows the last blank.
 */
#include "print/folded.h"
#include "print/sink.h"
#include "print/text.h"

#include "tap.h"

enum { PLACE = 0x1000, NR_MANY = 5000 };

struct hit {
	struct bp_rec rec;		/* ends with the common fields */
	uint64_t place, more;		/* an entry's place, then two __data_locs; a return's function and caller */
	uint32_t locs[2];
	uint64_t frames[2 * LAYOUT_MAX_FRAMES];
};

static unsigned hidden;			/* event.hidden_stacks of what is printed */

static void print(struct text *t, const char *comm, unsigned stacks, const uint64_t *kernel, unsigned nr_kernel, const uint64_t *user,
		  unsigned nr_user)
{
	static struct hit h;
	struct layout l = { .event = "e", .group = "kprobes", .stacks = stacks };
	uint32_t base = offsetof(struct hit, frames) - BP_BODY_OFF;
	struct buf out = { 0 };
	struct event ev;

	memset(&h, 0, sizeof(h));
	layout_compute(&l);
	l.stack_off[STACK_KERNEL] = offsetof(struct hit, locs[0]) - BP_BODY_OFF;
	l.stack_off[STACK_USER] = offsetof(struct hit, locs[1]) - BP_BODY_OFF;
	memcpy(h.rec.comm, comm, strlen(comm));
	h.rec.common_pid = 7;
	h.place = PLACE;
	h.locs[0] = nr_kernel * 8 << 16 | base;
	h.locs[1] = nr_user * 8 << 16 | (base + 8 * nr_kernel);
	memcpy(h.frames, kernel, 8 * nr_kernel);
	memcpy(h.frames + nr_kernel, user, 8 * nr_user);
	if (CHECK(event_decode(&l, &h.rec, sizeof(h), &ev), "an event")) {
		ev.hidden_stacks = hidden;
		sink_folded.event(NULL, t, &ev, &out);
	}
	CHECK(!out.len, "nothing is printed before the end");
	buf_fini(&out);
}

static void check_end(struct text *t, const char *want)
{
	struct buf out = { 0 };

	sink_folded.end(t, &out);
	CHECK(!strcmp(buf_str(&out), want), "%s", *want ? "the lines at the end, in order" : "a second end has nothing");
	buf_fini(&out);
	text_fini(t);
}

/* The outermost frame first, and the program's before the kernel's. The place takes the first frame's place. */
static void test_order(void)
{
	static const uint64_t kernel[] = { PLACE + 1, 0x2000, 0x3000 }, user[] = { 0xa, 0xb };
	const unsigned both = 1u << STACK_KERNEL | 1u << STACK_USER;
	struct text t = { 0 };

	print(&t, "wl", both, kernel, 3, user, 2);
	print(&t, "sh", 1u << STACK_KERNEL, kernel, 2, user, 0);
	print(&t, "wl", both, kernel, 3, user, 2);
	print(&t, "kworker/0:1", both, kernel, 1, user, 0);
	print(&t, "a;b\nc", 0, kernel, 0, user, 0);
	check_end(&t, "a:b?c;0x1000 1\nkworker/0:1;0x1000 1\nsh;0x2000;0x1000 1\nwl;0xb;0xa;0x3000;0x2000;0x1000 2\n");
	check_end(&t, "");
}

/* A hit for which the trigger stacktrace did not act is counted as one without a stack. */
static void test_hidden(void)
{
	static const uint64_t kernel[] = { PLACE + 1, 0x2000, 0x3000 };
	struct text t = { 0 };

	hidden = 1u << STACK_KERNEL;
	print(&t, "wl", 1u << STACK_KERNEL, kernel, 3, kernel, 0);
	hidden = 0;
	print(&t, "wl", 1u << STACK_KERNEL, kernel, 3, kernel, 0);
	print(&t, "wl", 0, kernel, 0, kernel, 0);
	check_end(&t, "wl;0x1000 2\nwl;0x3000;0x2000;0x1000 1\n");
}

static void test_many(void)
{
	struct text t = { 0 };
	struct buf out = { 0 };
	unsigned lines = 0;

	for (uint64_t i = 0; i < 2 * NR_MANY; i++) {
		const uint64_t kernel[] = { PLACE, 0x10000 + i % NR_MANY };
		struct layout l = { .event = "e", .group = "kprobes", .stacks = 1u << STACK_KERNEL };
		struct hit h = { .rec.comm = "wl", .rec.common_pid = 7, .place = PLACE };
		struct event ev;

		layout_compute(&l);
		l.stack_off[STACK_KERNEL] = offsetof(struct hit, locs[0]) - BP_BODY_OFF;
		h.locs[0] = 16 << 16 | (offsetof(struct hit, frames) - BP_BODY_OFF);
		memcpy(h.frames, kernel, sizeof(kernel));
		event_decode(&l, &h.rec, sizeof(h), &ev);
		sink_folded.event(NULL, &t, &ev, &out);
	}
	sink_folded.end(&t, &out);
	for (const char *p = buf_str(&out); (p = strstr(p, ";0x1000 2\n")); p++)
		lines++;
	CHECK(lines == NR_MANY, "%u different stacks, each twice: %u", NR_MANY, lines);
	buf_fini(&out);
	text_fini(&t);
}

int main(void)
{
	test_order();
	test_hidden();
	test_many();
	return tap_done();
}
