// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_later.c - events that wait, and then have the lines of their stacks.
 *
 * What is expected are the lines that the inner sink prints of the same events at once, with what later.h and stack.h add: the lines that
 * the test itself has "found".
 */
#include "print/later.h"

#include <stdlib.h>

#include "elf/dwarf/lines.h"
#include "plan/backend.h"
#include "print/sink.h"
#include "print/stack.h"
#include "print/text.h"

#include "tap.h"

enum { PLACE = 0x1000, CALLER = 0x2000, NR_MANY = 3000 };

struct hit {
	struct bp_rec rec;		/* ends with the common fields */
	uint64_t place;
	uint32_t loc, pad;
	uint64_t frames[2];
};

static struct layout layout = { .event = "e", .group = "kprobes", .backend = &backend_none, .stacks = 1u << STACK_KERNEL };
static unsigned asked;

/* The place is in one function, and the caller in one that is inlined into another. */
static void find(void *ctx, const struct text *t, struct frames *frames)
{
	static struct lines_frame place[] = { { "e_fn", "e.c", 7 } };
	static struct lines_frame caller[] = { { "inner", "inc.h", 12 }, { "outer", "o.c", 0 } };
	static const struct lines_frames of_place = { place, 1 }, of_caller = { caller, 2 };

	(void)ctx, (void)t;
	asked++;
	for (struct frame *f = frames_first(frames); f; f = f->next) {
		if (f->is_asked)
			continue;
		f->is_asked = true;
		CHECK(f->is_return == (f->addr != PLACE), "the place is where the task was, and the others are returns");
		f->lines = f->addr == PLACE ? &of_place : f->addr == CALLER ? &of_caller : NULL;
	}
}

static const struct later_asker asker = { .ask = find };

static void make(struct hit *h, uint64_t ts, struct event *ev)
{
	memset(h, 0, sizeof(*h));
	h->rec.ts = ts;
	memcpy(h->rec.comm, "cat", 4);
	h->rec.common_pid = 7;
	h->rec.eflags = 0x200;		/* interrupts are on, */
	h->rec.preempt = 1u << 31;	/* and nobody wants the processor (6.12, arch/x86/include/asm/preempt.h) */
	h->place = PLACE;
	h->loc = 16u << 16 | (offsetof(struct hit, frames) - BP_BODY_OFF);
	h->frames[0] = PLACE + 1;
	h->frames[1] = CALLER;
	if (!event_decode(&layout, &h->rec, sizeof(*h), ev))
		abort();
}

static void open_later(struct text *t, const struct sink *inner)
{
	struct diag diag = { 0 };

	*t = (struct text){ 0 };
	if (later_open(inner, &asker, NULL, &t->later, &diag))
		abort();
}

static void put(struct text *t, uint64_t ts, struct buf *out)
{
	struct hit h;
	struct event ev;

	make(&h, ts, &ev);
	(t->later ? later_sink(t->later) : &sink_text)->event(t->later, t, &ev, out);
}

static void one_event(void)
{
	struct text t;
	struct buf out = { 0 };

	open_later(&t, &sink_text);
	put(&t, 1500000000, &out);
	later_sink(t.later)->lost(t.later, &t, 3, 5, &out);
	CHECK(!out.len, "nothing is printed while events come");
	CHECK(!later_sink(t.later)->end(&t, &out), "one event is printed at once");
	CHECK(!strcmp(buf_str(&out), "             cat-7       [000] .....     1.500000: e: (0x1000)\n"
				     "             cat-7       [000] .....     1.500000: <stack trace>\n"
				     " => 0x1000 e.c:7\n => inner inc.h:12 (inlined)\n => 0x2000 o.c:?\nCPU:3 [LOST 5 EVENTS]\n"),
	      "the event with its lines, then the loss");
	buf_reset(&out);
	CHECK(!later_sink(t.later)->end(&t, &out) && !out.len, "nothing waits any more");
	put(&t, 2500000000, &out);
	CHECK(!later_sink(t.later)->end(&t, &out) && strstr(buf_str(&out), "2.500000: e:") && strstr(buf_str(&out), "inner inc.h:12"),
	      "another event may follow: its frames are known");
	buf_fini(&out);
	text_fini(&t);
}

/* The clock's offset changes, as when the machine sleeps: each event has the time of its own. */
static void times(void)
{
	struct text t;
	struct buf out = { 0 };

	open_later(&t, &sink_text);
	t.base = (struct timebase){ .clock = TIMEBASE_BOOT, .is_taken = true, .offset = 1000000000 };
	put(&t, 1000000000, &out);
	t.base.offset = 5000000000;
	put(&t, 1000000000, &out);
	later_sink(t.later)->end(&t, &out);
	CHECK(strstr(buf_str(&out), " 2.000000: e:") && strstr(buf_str(&out), " 6.000000: e:"), "times are those of when the event came");
	CHECK(t.base.offset == 5000000000, "and what is measured stays");
	buf_fini(&out);
	text_fini(&t);
}

/* More than a block of them: parts, which together are the same as without waiting. */
static void many(void)
{
	struct text t, plain = { 0 };
	struct buf out = { 0 }, want = { 0 }, got = { 0 };
	unsigned parts = 0;
	int more;

	open_later(&t, &sink_text);
	asked = 0;
	for (unsigned i = 0; i < NR_MANY; i++) {
		put(&t, i * 1000000ull, &out);
		put(&plain, i * 1000000ull, &want);
	}
	do {
		more = later_sink(t.later)->end(&t, &out);
		for (char *line = out.data, *end; line && *line; line = end + 1) {
			end = strchr(line, '\n');
			*end = '\0';
			if (strstr(line, "(inlined)"))
				continue;
			if (!strncmp(line, " => ", 4))
				*strrchr(line, ' ') = '\0';
			buf_adds(&got, line);
			buf_addc(&got, '\n');
		}
		buf_reset(&out);
		parts++;
	} while (more == SINK_MORE);
	CHECK(!more && parts > 2 && asked == 1, "in %u parts, and asked %u times", parts, asked);
	CHECK(!strcmp(buf_str(&got), buf_str(&want)), "all events, in their order");
	buf_fini(&out);
	buf_fini(&want);
	buf_fini(&got);
	text_fini(&t);
	text_fini(&plain);
}

/* Symbols change: what waits is printed now, and only that. */
static void settles(void)
{
	struct text t;
	struct buf out = { 0 };

	open_later(&t, &sink_text);
	put(&t, 1000000000, &out);
	later_sink(t.later)->settle(&t, &out);
	CHECK(strstr(buf_str(&out), "1.000000: e:"), "settle prints what waits");
	buf_reset(&out);
	put(&t, 2000000000, &out);
	CHECK(!out.len, "what comes behind it waits again");
	later_sink(t.later)->end(&t, &out);
	CHECK(strstr(buf_str(&out), "2.000000: e:") && !strstr(buf_str(&out), "1.000000: e:"), "until the end");
	buf_fini(&out);
	text_fini(&t);
}

static void json(void)
{
	struct text t;
	struct buf out = { 0 };

	open_later(&t, &sink_json);
	put(&t, 1, &out);
	later_sink(t.later)->end(&t, &out);
	CHECK(strstr(buf_str(&out), "\"lines\":[{\"function\":\"inner\",\"file\":\"inc.h\",\"line\":12},{\"function\":\"outer\",\"file\":\"o.c\",\"line\":0}]}"),
	      "JSON has them");
	buf_fini(&out);
	text_fini(&t);
}

/* Frames with the same place are one; another build, another address or a return is another. */
static void same_frames(void)
{
	struct frames *frames = frames_new();
	unsigned char id[2] = { 1, 2 };
	struct frame f = { .file = "/bin/x", .build_id = id, .build_id_len = 2, .addr = 8 }, other = f;
	const struct frame *first = frames_get(frames, &f);

	CHECK(frames_get(frames, &f) == first, "the same place is the same frame");
	other.addr = 9;
	CHECK(frames_get(frames, &other) != first, "another address is not");
	other = f;
	other.is_return = true;
	CHECK(frames_get(frames, &other) != first, "nor is a return");
	id[0] = 3;
	CHECK(frames_get(frames, &f) != first, "nor is another build");
	for (uint64_t i = 0; i < NR_MANY; i++) {
		f.addr = i;
		frames_get(frames, &f);
	}
	id[0] = 1;
	f.addr = 8;
	CHECK(frames_get(frames, &f) == first, "it is found among many");
	frames_free(frames);
}

int main(void)
{
	layout_compute(&layout);
	layout.stack_off[STACK_KERNEL] = offsetof(struct hit, loc) - BP_BODY_OFF;
	one_event();
	times();
	many();
	settles();
	json();
	same_frames();
	return tap_done();
}
