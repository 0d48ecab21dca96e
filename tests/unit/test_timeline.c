// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_timeline.c - events become slices, instants and samples.
 *
 * An encoder of this test writes them as lines. The calls are made here, so it is known which slices there must be.
 */
#include <inttypes.h>

#include "attach/backends.h"
#include "timeline/counters.h"
#include "timeline/lanes.h"
#include "timeline/threads.h"
#include "timeline/timeline.h"

#include "json_reader.h"
#include "tap.h"

/* ---- an encoder that writes lines ---- */

static void put_values(const struct details *d, struct buf *out)
{
	for (unsigned i = 0; d && i < d->nr; i++) {
		const struct detail *v = &d->all[i];

		if (v->kind == DETAIL_DICTIONARY && !strcmp(details_at(d, v->name), DETAILS_RETURN))
			buf_adds(out, " ->");
		else if (v->kind == DETAIL_UNSIGNED && strcmp(details_at(d, v->name), "cpu"))
			buf_addf(out, " %s=%" PRIu64, details_at(d, v->name), v->n);
		else if (v->kind == DETAIL_TEXT && !strcmp(details_at(d, v->name), "note"))
			buf_adds(out, " !");
	}
}

static void put_where(const struct track *t, struct buf *out)
{
	static const char *const names[] = { "machine", "process", "thread", "idle", "cpu", "lane", "counter" };

	buf_addf(out, "%s %u", names[t->kind], t->number);
}

static void *open_lines(const struct recording *machines, unsigned nr, const char *version, struct buf *out)
{
	(void)machines;
	(void)nr;
	(void)version;
	return out;
}

static bool shows_tracks;

static void put_track(void *e, const struct track *t, struct buf *out)
{
	(void)e;
	if (!shows_tracks)
		return;
	put_where(t, out);
	buf_addf(out, " is %s\n", t->name);
}

struct span_of {
	uint32_t track;
	uint64_t start, end;
};

static struct span_of *spans;		/* all slices that are over, if there is room for them */
static unsigned nr_spans, room_spans;

static void put_slice(void *e, const struct slice *s, struct buf *out)
{
	(void)e;
	if (room_spans) {
		if (nr_spans < room_spans && !s->unfinished)
			spans[nr_spans++] = (struct span_of){ s->track.number, s->start, s->end };
		return;
	}
	put_where(&s->track, out);
	if (s->unfinished)
		buf_addf(out, ": %s %" PRIu64 "-", s->name, s->start);
	else
		buf_addf(out, ": %s %" PRIu64 "-%" PRIu64, s->name, s->start, s->end);
	put_values(s->args, out);
	put_values(s->rest, out);
	buf_addc(out, '\n');
}

static void put_instant(void *e, const struct slice *s, struct buf *out)
{
	(void)e;
	if (room_spans)
		return;
	put_where(&s->track, out);
	buf_addf(out, ": %s at %" PRIu64, s->name, s->start);
	put_values(s->args, out);
	buf_addc(out, '\n');
}

static void put_counter(void *e, const struct sample *s, struct buf *out)
{
	(void)e;
	buf_addf(out, "%s at %" PRIu64 " is %" PRId64 "\n", s->name, s->at, (int64_t)s->n);
}

static void end_lines(void *e, struct buf *out)
{
	(void)e;
	buf_adds(out, "end\n");
}

static void close_lines(void *e)
{
	(void)e;
}

static const struct encoder lines = {
	.name = "lines", .open = open_lines, .track = put_track, .slice = put_slice, .instant = put_instant, .counter = put_counter,
	.end = end_lines, .close = close_lines,
};

/* ---- events ---- */

enum { F, F_BACK, G, G_BACK, H_BACK, PAIR, OTHER, ALONE, K, K_BACK, NR_LAYOUTS };

static struct layout_field a[] = {
	{ .name = "a", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK }
};
static struct layout_field ret[] = {
	{ .name = "ret", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK }
};
static struct layout_field call[] = {
	{ .name = "t", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = 0, .elapsed = ELAPSED_CALL }
};
static struct layout_field pair[] = {
	{ .name = "t", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = 0, .elapsed = ELAPSED_PAIR }
};
static struct layout_field pair_back[] = {
	{ .name = "t", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = 0, .elapsed = ELAPSED_PAIR }
};
static struct layout_field number[] = { { .name = "n", .type = { .kind = TYPE_SIGNED, .size = 4 }, .count = 1, .mark = 0 },
					{ .name = "m", .type = { .kind = TYPE_UNSIGNED, .size = 1 }, .count = 1, .mark = LAYOUT_NO_MARK } };

static struct layout layouts[NR_LAYOUTS] = {
	[F] = { .event = "f_in", .func = "f", .at_entry = true, .fields = a, .nr_fields = 1 },
	[F_BACK] = { .event = "f_out", .func = "f", .is_return = true, .fields = ret, .nr_fields = 1 },
	[G] = { .event = "g_in", .func = "g", .at_entry = true, .fields = a, .nr_fields = 1 },
	[G_BACK] = { .event = "g_out", .func = "g", .is_return = true, .fields = ret, .nr_fields = 1 },
	[H_BACK] = { .event = "h_out", .func = "h", .is_return = true, .fields = call, .nr_fields = 1 },
	[PAIR] = { .event = "done", .func = "io_done", .at_entry = true, .fields = pair, .nr_fields = 1 },
	[OTHER] = { .event = "other", .func = "f", .fields = number, .nr_fields = 2 },		/* in the middle of f */
	[ALONE] = { .event = "alone", .func = "alone", .at_entry = true },
	[K] = { .event = "k_in", .func = "k", .at_entry = true },
	[K_BACK] = { .event = "k_out", .func = "k", .is_return = true, .fields = pair_back, .nr_fields = 1 },
};

static const struct layout *const all_layouts[NR_LAYOUTS] = {
	&layouts[F], &layouts[F_BACK], &layouts[G], &layouts[G_BACK], &layouts[H_BACK], &layouts[PAIR], &layouts[OTHER], &layouts[ALONE],
	&layouts[K], &layouts[K_BACK],
};

static const struct recording machine = { .system = "Linux", .host = "here", .release = "6.12", .machine = "x86_64", .boot_id = "" };
static struct text text;
static struct buf out;
static struct timeline *tl;
static unsigned from;			/* the machine of hits */
static uint32_t task = 100, group = 100;
static unsigned cpu = 1;
static const char *comm = "wl";

static void begin_with(const struct encoder *encoder, const char *const *counters, unsigned nr)
{
	buf_reset(&out);
	tl = timeline_new(&(struct timeline_opts){ .encoder = encoder, .version = "bprobe", .machines = &machine, .nr_machines = 1,
			  .counters = counters, .nr_counters = nr }, &out);
	timeline_learn(tl, all_layouts, NR_LAYOUTS);
}

static void begin(void)
{
	begin_with(&lines, NULL, 0);
}

enum { FAULT = -1 };

static void hit(unsigned which, uint64_t ts, int64_t value)
{
	_Alignas(8) char bytes[256] = { 0 };
	struct bp_rec *rec = (void *)bytes;
	const struct layout *l = &layouts[which];
	struct event ev;

	*rec = (struct bp_rec){ .ts = ts, .cpu = (uint16_t)cpu, .tgid = group, .common_pid = (int32_t)task, .probe = which };
	memcpy(rec->comm, comm, MIN(strlen(comm), sizeof(rec->comm)));
	if (l->nr_fields)
		memcpy(bytes + BP_BODY_OFF + l->fields[0].off, &value, l->fields[0].type.size);
	if (l->nr_fields && value == FAULT && l->fields[0].mark != LAYOUT_NO_MARK)
		bytes[BP_BODY_OFF + l->marks_off] = 1;
	if (event_decode(l, rec, l->short_size, &ev) && timeline_knows(tl, &ev))
		timeline_event(tl, from, &text, &ev, &out);
}

static void ends(const char *what, const char *want)
{
	timeline_end(tl, NULL, &out);
	CHECK(!strcmp(buf_str(&out), want), "%s", what);
	if (strcmp(buf_str(&out), want))
		printf("# got:\n# %s\n# want:\n# %s\n", buf_str(&out), want);
	timeline_free(tl);
	tl = NULL;
}

/* ---- calls ---- */

static void test_calls(void)
{
	begin();
	hit(F, 10, 1);
	hit(F_BACK, 30, 2);
	ends("a call", "thread 100: f 10-30 a=1 -> ret=2\nend\n");

	begin();
	hit(F, 10, 1);
	hit(G, 20, 2);
	hit(F, 30, 3);
	hit(OTHER, 35, 7);
	hit(F_BACK, 40, 0);
	hit(G_BACK, 50, 0);
	hit(F_BACK, 60, 0);
	ends("calls inside each other, with recursion", "thread 100: other at 35 m=0\nthread 100: f 30-40 a=3 -> ret=0\n"
	     "thread 100: g 20-50 a=2 -> ret=0\nthread 100: f 10-60 a=1 -> ret=0\nend\n");

	begin();
	hit(F, 10, 1);
	task = 200;
	hit(F, 20, 2);
	task = 100;
	hit(F_BACK, 30, 0);
	task = 200;
	hit(F_BACK, 40, 0);
	task = 100;
	ends("two threads", "thread 100: f 10-30 a=1 -> ret=0\nthread 200: f 20-40 a=2 -> ret=0\nend\n");

	begin();
	hit(F_BACK, 30, 0);
	hit(F, 40, 1);
	hit(ALONE, 50, 0);
	ends("a return without an entry, a call that goes on, an entry whose return is not probed",
	     "thread 100: f_out at 30 ret=0 !\nthread 100: alone at 50\nthread 100: f 40- a=1 !\nend\n");

	begin();
	hit(F, 10, 1);
	hit(G, 20, 2);
	hit(F_BACK, 40, 0);
	ends("an inner call whose return was missed", "thread 100: g_in at 20 a=2 !\nthread 100: f 10-40 a=1 -> ret=0\nend\n");

	begin();
	hit(F, 10, 1);
	timeline_lost(tl, 0, 1, 5);
	hit(F, 50, 2);
	hit(F_BACK, 60, 0);
	hit(F_BACK, 70, 0);
	ends("lost events", "cpu 1: events were lost at 50 lost=5\nthread 100: f_in at 10 a=1 !\nthread 100: f 50-60 a=2 -> ret=0\n"
	     "thread 100: f_out at 70 ret=0 !\nend\n");

	begin();
	hit(F, 10, 1);
	hit(G, 10, 2);
	hit(G_BACK, 10, 0);
	hit(F_BACK, 10, 0);
	ends("a clock that stands: what is inside begins later and ends earlier",
	     "thread 100: g 11-11 a=2 -> ret=0\nthread 100: f 10-11 a=1 -> ret=0\nend\n");

	begin();
	hit(F, 10, 1);
	group = 300;
	hit(F_BACK, 20, 1);
	ends("another process's thread with the same number", "thread 100: f_in at 10 a=1 !\nthread 100: f_out at 20 ret=1 !\nend\n");
	group = 100;
}

static void test_idle(void)
{
	task = group = 0;
	begin();
	hit(F, 10, 1);
	cpu = 2;
	hit(F, 20, 2);
	hit(F_BACK, 30, 2);
	cpu = 1;
	hit(F_BACK, 40, 2);
	task = group = 100;
	ends("the idle tasks of two CPUs", "idle 2: f 20-30 a=2 -> ret=2\nidle 1: f 10-40 a=1 -> ret=2\nend\n");
}

/* ---- durations ---- */

static void test_durations(void)
{
	begin();
	hit(H_BACK, 100, 60);
	ends("a return with its duration", "thread 100: h 40-100 -> t=60\nend\n");

	begin();
	hit(H_BACK, 50, 10);
	hit(H_BACK, 70, 10);
	hit(F, 75, 1);
	hit(F_BACK, 76, 1);
	hit(H_BACK, 100, 70);
	hit(H_BACK, 110, 20);
	ends("durations inside each other, and one that would cross",
	     "thread 100: h 40-50 -> t=10\nthread 100: h 60-70 -> t=10\nthread 100: f 75-76 a=1 -> ret=1\n"
	     "thread 100: h 30-100 -> t=70\nthread 100: h_out at 110 t=20 !\nend\n");

	begin();
	hit(H_BACK, 50, 10);
	hit(H_BACK, 60, 20);
	ends("two that begin at the same time: the outer one earlier", "thread 100: h 40-50 -> t=10\nthread 100: h 39-60 -> t=20\nend\n");

	begin();
	hit(F, 50, 1);
	hit(H_BACK, 80, 40);
	hit(F_BACK, 90, 1);
	ends("an outer call returned, so the inner one is over",
	     "thread 100: f_in at 50 a=1 !\nthread 100: h 40-80 -> t=40\nthread 100: f_out at 90 ret=1 !\nend\n");

	begin();
	hit(F, 10, 1);
	hit(H_BACK, 80, 40);
	hit(F_BACK, 90, 1);
	ends("a duration inside a call", "thread 100: h 40-80 -> t=40\nthread 100: f 10-90 a=1 -> ret=1\nend\n");

	begin();
	hit(H_BACK, 80, FAULT);
	hit(H_BACK, 80, 81);
	ends("a duration that is not known, or is longer than time", "thread 100: h_out at 80 !\nthread 100: h_out at 80 t=81 !\nend\n");

	begin();
	hit(PAIR, 50, 20);
	hit(PAIR, 60, 25);
	hit(PAIR, 70, 11);
	hit(PAIR, 80, 20);
	hit(PAIR, 90, FAULT);
	ends("pairs that overlap",
	     "lane 0: done 30-50 t=20 pid=100\nlane 1: done 35-60 t=25 pid=100\nlane 0: done 59-70 t=11 pid=100\n"
	     "lane 1: done 60-80 t=20 pid=100\n"
	     "thread 100: done at 90\nend\n");
}

static void test_pairs_of_calls(void)
{
	begin();
	hit(K, 20, 0);
	hit(K_BACK, 50, 30);
	ends("a pair that is a call: one slice", "thread 100: k 20-50 -> t=30\nend\n");

	begin();
	hit(K, 20, 0);
	hit(K_BACK, 50, 40);
	ends("a return that ends another pair: both", "thread 100: k 20-50 -> t=40\nlane 0: k_out 10-50 t=40 pid=100\nend\n");

	begin();
	hit(K_BACK, 50, 40);
	ends("a return without its entry, which ends a pair", "lane 0: k_out 10-50 t=40 pid=100\nend\n");
}

/* ---- limits ---- */

static void test_limits(void)
{
	struct timeline_counts c;

	begin();
	for (unsigned i = 0; i < CALLS_MAX; i++)
		hit(F, 10 + i, 0);
	c = timeline_counts(tl);
	CHECK(!c.forgotten && !c.instants, "%d calls inside each other are remembered", CALLS_MAX);
	hit(F, 1000, 0);
	c = timeline_counts(tl);
	CHECK(c.forgotten == CALLS_MAX / 2 && c.instants == CALLS_MAX / 2, "with one more, half of them become instants");
	for (unsigned i = 0; i < CALLS_MAX / 2 + 2; i++)
		hit(F_BACK, 2000 + i, 0);
	c = timeline_counts(tl);
	CHECK(c.slices == CALLS_MAX / 2 + 1 && c.no_entry == 1, "the others return");
	timeline_free(tl);

	begin();
	for (unsigned i = 0; i < OPEN_MAX; i++) {
		task = group = 1000 + i / CALLS_MAX;
		hit(F, 10 + i, 0);
	}
	c = timeline_counts(tl);
	CHECK(!c.forgotten, "%d calls of %d threads are remembered", OPEN_MAX, OPEN_MAX / CALLS_MAX);
	task = group = 999;
	hit(F, OPEN_MAX + 10, 0);
	c = timeline_counts(tl);
	CHECK(c.forgotten == CALLS_MAX, "with one more, those of the first thread are forgotten");
	task = group = 1001;
	hit(F_BACK, OPEN_MAX + 20, 0);
	c = timeline_counts(tl);
	CHECK(c.slices == 1, "... and not those of the second one");
	timeline_free(tl);

	begin();
	for (unsigned i = 0; i < THREADS_MAX; i++) {
		task = group = 1000 + i;
		hit(F, 10 + i, 0);
	}
	c = timeline_counts(tl);
	CHECK(!c.forgotten, "%d threads are remembered", THREADS_MAX);
	task = group = 1000;
	hit(F_BACK, 20000, 0);
	hit(F, 20001, 0);
	task = group = 999;
	hit(F, 20002, 0);
	c = timeline_counts(tl);
	CHECK(c.forgotten == 1 && c.slices == 1, "with one more, that without an event for the longest time is forgotten");
	task = group = 1001;
	hit(F_BACK, 20003, 0);
	c = timeline_counts(tl);
	CHECK(c.no_entry == 1, "... it was this");
	task = group = 100;
	timeline_free(tl);

	begin();
	for (unsigned i = 0; i < STRETCHES_MAX; i++)
		hit(H_BACK, 100 + 10 * i, 5);
	hit(H_BACK, 100 + 10 * STRETCHES_MAX, 10 * STRETCHES_MAX - 3);
	c = timeline_counts(tl);
	CHECK(c.slices == STRETCHES_MAX + 1 && !c.crossing, "a duration around all but the first of %d is a slice", STRETCHES_MAX);
	timeline_free(tl);

	begin();
	for (unsigned i = 0; i < STRETCHES_MAX + 1; i++)
		hit(H_BACK, 100 + 10 * i, 5);
	hit(H_BACK, 110 + 10 * STRETCHES_MAX, 10 * STRETCHES_MAX + 7);
	hit(H_BACK, 120 + 10 * STRETCHES_MAX, 10 * STRETCHES_MAX + 30);
	c = timeline_counts(tl);
	CHECK(c.slices == STRETCHES_MAX + 2 && c.crossing == 1, "with one more it is an instant, and only one around all is a slice");
	timeline_free(tl);

	begin();
	for (unsigned i = 0; i < LANES_MAX; i++)
		hit(PAIR, 10000 + i, 5000);
	c = timeline_counts(tl);
	CHECK(c.slices == LANES_MAX && !c.crossing, "%d pairs overlap", LANES_MAX);
	hit(PAIR, 10000 + LANES_MAX, 5000);
	c = timeline_counts(tl);
	CHECK(c.slices == LANES_MAX && c.crossing == 1 && c.instants == 1, "one more is an instant");
	timeline_free(tl);
}

/* ---- counters and tracks ---- */

static void test_counters(void)
{
	static const char *const one[] = { "n" }, *const all[] = { "oth*.*", "f_?n.a" }, *const none[] = { "m", "other.x" };

	begin_with(&lines, one, 1);
	CHECK(!timeline_unused_counter(tl), "--counter n is used");
	hit(OTHER, 10, -7);
	hit(OTHER, 20, FAULT);
	ends("a counter", "thread 100: other at 10 m=0\nother.n at 10 is -7\nthread 100: other at 20 m=0\nend\n");

	begin_with(&lines, all, 2);
	hit(F, 5, 9);
	hit(OTHER, 10, 8);
	ends("counters by patterns",
	     "f_in.a at 5 is 9\nthread 100: other at 10 m=0\nother.n at 10 is 8\nother.m at 10 is 0\nthread 100: f 5- a=9 !\nend\n");

	begin_with(&lines, none, 2);
	CHECK(timeline_unused_counter(tl) && !strcmp(timeline_unused_counter(tl), "other.x"), "--counter other.x is not used");
	timeline_free(tl);
}

static void test_tracks(void)
{
	shows_tracks = true;
	begin();
	task = 101;
	comm = "helper";
	hit(ALONE, 10, 0);
	task = 100;
	comm = "main";
	hit(ALONE, 20, 0);
	comm = "renamed";
	hit(ALONE, 30, 0);
	hit(ALONE, 40, 0);
	timeline_lost(tl, 0, 3, UINT64_MAX);
	ends("names of tracks", "process 100 is helper\nthread 101 is helper\nthread 101: alone at 10\nprocess 100 is main\nthread 100 is main\n"
	     "thread 100: alone at 20\nprocess 100 is renamed\nthread 100 is renamed\nthread 100: alone at 30\nthread 100: alone at 40\n"
	     "machine 0 is here\ncpu 3 is CPU 3\ncpu 3: events were lost at 40\nend\n");
	shows_tracks = false;
	comm = "wl";
}

/* The second machine's CLOCK_MONOTONIC is 1000 ns behind that of the first one. */
static void test_machines(void)
{
	static const struct recording machines[] = {
		{ .system = "", .host = "one", .release = "", .machine = "", .boot_id = "",
		  .readings = { { .mono = 5000, .real = 905000 } }, .nr_readings = 1 },
		{ .system = "", .host = "two", .release = "", .machine = "", .boot_id = "",
		  .readings = { { .mono = 400, .real = 901400 } }, .nr_readings = 1 },
	};

	buf_reset(&out);
	tl = timeline_new(&(struct timeline_opts){ .encoder = &encoder_json, .version = "bprobe", .machines = machines, .nr_machines = 2 }, &out);
	timeline_learn(tl, all_layouts, NR_LAYOUTS);
	hit(F, 5000, 1);
	from = 1;
	hit(F, 4100, 2);
	hit(F_BACK, 4200, 2);
	timeline_lost(tl, 1, 0, 1);
	hit(ALONE, 4250, 0);
	from = 0;
	hit(F_BACK, 5300, 1);
	timeline_end(tl, NULL, &out);
	CHECK(strstr(buf_str(&out), "\"ph\":\"X\",\"pid\":8388708,\"tid\":8388708,\"ts\":5.100,\"dur\":0.100"), "a machine's numbers and times");
	CHECK(strstr(buf_str(&out), "\"ph\":\"X\",\"pid\":100,\"tid\":100,\"ts\":5.000,\"dur\":0.300"),
	      "... and its losses are not those of another one");
	CHECK(strstr(buf_str(&out), "{\"name\":\"one: wl\"}") && strstr(buf_str(&out), "{\"name\":\"two: wl\"}") &&
	      strstr(buf_str(&out), "{\"name\":\"two\"}"),
	      "... and names");
	timeline_free(tl);
}

/* ---- random calls ---- */

static uint64_t random_u64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int by_start(const void *x, const void *y)
{
	const struct span_of *p = x, *q = y;

	if (p->track != q->track)
		return (p->track > q->track) - (p->track < q->track);
	if (p->start != q->start)
		return (p->start > q->start) - (p->start < q->start);
	return (p->end < q->end) - (p->end > q->end);
}

/* Is each slice of a track inside the one before it that is not over, or behind it? */
static bool are_nested(struct span_of *all, unsigned nr)
{
	static struct span_of open[4096];
	unsigned depth = 0;

	qsort(all, nr, sizeof(*all), by_start);
	for (unsigned i = 0; i < nr; i++) {
		if (i && all[i].track != all[i - 1].track)
			depth = 0;
		while (depth && open[depth - 1].end <= all[i].start)
			depth--;
		if (all[i].end < all[i].start || (depth && all[i].end > open[depth - 1].end) || depth == ARRAY_SIZE(open))
			return false;
		open[depth++] = all[i];
	}
	return true;
}

enum { TASKS = 5, DEEP = 20, ROUNDS = 20000 };

/* Random calls of three functions; of each hundred hits @lost are missing. Without losses every call is a slice. */
static void random_calls(unsigned lost)
{
	static const unsigned in[] = { F, G }, back[] = { F_BACK, G_BACK };
	static struct { unsigned which; uint64_t start; } stacks[TASKS][DEEP];
	static struct span_of want[ROUNDS];
	unsigned depth[TASKS] = { 0 }, nr = 0;
	uint64_t now = 1000;
	bool same = true;

	room_spans = ROUNDS;
	spans = calloc(ROUNDS, sizeof(*spans));
	nr_spans = 0;
	begin();
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned who = (unsigned)(random_u64() % TASKS), d = depth[who];
		bool enters = d < DEEP && (!d || random_u64() % 2), seen = random_u64() % 100 >= lost;

		task = 100 + who;
		now += 1 + random_u64() % 3;
		if (enters) {
			unsigned which = (unsigned)(random_u64() % 3);		/* 2: h, whose entry is not probed */

			stacks[who][d].which = which;
			stacks[who][d].start = now;
			depth[who]++;
			if (which < 2 && seen)
				hit(in[which], now, 1);
		} else {
			unsigned which = stacks[who][--depth[who]].which;

			want[nr++] = (struct span_of){ task, stacks[who][d - 1].start, now };
			if (seen)
				hit(which < 2 ? back[which] : H_BACK, now, (int64_t)(now - stacks[who][d - 1].start));
		}
		if (!seen && random_u64() % 4 == 0)
			timeline_lost(tl, 0, 1, 1);
	}
	timeline_end(tl, NULL, &out);
	timeline_free(tl);
	CHECK(nr_spans > ROUNDS / 20 && are_nested(spans, nr_spans),
	      "%u of 100 hits are missing: %u slices of %u calls are nested", lost, nr_spans, nr);
	qsort(want, nr, sizeof(*want), by_start);
	for (unsigned i = 0; !lost && i < nr; i++)
		same = same && nr == nr_spans && !memcmp(&want[i], &spans[i], sizeof(*want));
	CHECK(same, "... %s", lost ? "and may be fewer" : "and are those of the calls");
	free(spans);
	room_spans = 0;
	task = 100;
}

/* ---- names from outside ---- */

static const char hostile[] = "\x01\"\\\xff\xc3(\xe2\x80\xae\x7f\n";

/* All lines between the first and the last are objects. */
static bool lines_are_json(char *file)
{
	bool good = true;
	char *line = strchr(file, '\n'), *end;

	for (line = line ? line + 1 : file; good && *line != ']'; line = end + 1) {
		struct buf one = { 0 };

		end = strchr(line, '\n');
		if (!end)
			return false;
		buf_add(&one, line, (size_t)(end - line) - (end[-1] == ','));
		buf_addc(&one, '\n');
		good = json_is_line(buf_str(&one));
		if (!good)
			printf("# %s", buf_str(&one));
		buf_fini(&one);
	}
	return good;
}

static void test_hostile(void)
{
	static const char *const counters[] = { "*" };

	json_takes_fractions = true;
	comm = hostile;
	layouts[F].func = layouts[F_BACK].func = hostile;
	begin_with(&encoder_json, counters, 1);
	hit(F, 1234567, INT64_MAX);
	hit(OTHER, 1234999, -1);
	hit(PAIR, 1235000, 1);
	hit(F_BACK, 1235000, 7);
	timeline_lost(tl, 0, 1, 3);
	timeline_end(tl, NULL, &out);
	CHECK(!strncmp(buf_str(&out), "{\"displayTimeUnit\":\"ns\",", 24) && lines_are_json(out.data) && !strcmp(out.data + out.len - 4, "\n]}\n"),
	      "JSON of hostile names has an object in each line");
	CHECK(strstr(buf_str(&out), "\"ts\":1234.567,\"dur\":0.433,"), "JSON has times with all digits");
	CHECK(strstr(buf_str(&out), "\"a\":\"9223372036854775807\"") && strstr(buf_str(&out), "\"ph\":\"C\",\"pid\":4194305"),
	      "... numbers and counters");
	CHECK(strstr(buf_str(&out), "\\\\x01\\\"\\\\\\\\xff\\\\xc3(\\\\xe2\\\\x80\\\\xae\\\\x7f\\\\x0a"),
	      "... and bytes that are no text, in hexadecimal");
	timeline_free(tl);
	layouts[F].func = layouts[F_BACK].func = "f";
	comm = "wl";
}

#if __has_include("pftrace.pb-c.h")
#include "pftrace.pb-c.h"

static bool is_text(const char *s)
{
	return !s || utf8_is_valid(s, strlen(s));
}

static bool texts_are_valid(const Pf__Trace *t)
{
	bool good = true;

	for (size_t i = 0; i < t->n_packet; i++) {
		const Pf__InternedData *in = t->packet[i]->interned_data;
		const Pf__TrackDescriptor *d = t->packet[i]->track_descriptor;

		for (size_t k = 0; in && k < in->n_event_names; k++)
			good = good && is_text(in->event_names[k]->name);
		good = good && (!d || (is_text(d->name) && (!d->thread || is_text(d->thread->thread_name))));
	}
	return good;
}

static void test_pftrace(void)
{
	static const unsigned types[] = { 3, 1, 2 };
	Pf__Trace *t;
	unsigned at = 0, nr = 0;

	comm = hostile;
	layouts[F].func = layouts[F_BACK].func = hostile;
	begin_with(&encoder_pftrace, NULL, 0);
	hit(F, 10, 1);
	hit(OTHER, 20, 1);
	hit(F_BACK, 30, 2);
	timeline_end(tl, NULL, &out);
	t = pf__trace__unpack(NULL, out.len, (const uint8_t *)out.data);
	CHECK(t && texts_are_valid(t), "protobuf of hostile names has UTF-8");
	for (size_t i = 0; t && i < t->n_packet; i++) {
		const Pf__TrackEvent *e = t->packet[i]->track_event;

		nr += e != NULL;
		at += e && at < 3 && e->type == (int)types[at] && t->packet[i]->timestamp == (at == 0 ? 20u : at == 1 ? 10u : 30u);
	}
	CHECK(nr == 3 && at == 3, "protobuf has the instant, the beginning and the end");
	CHECK(t && t->n_packet && t->packet[0]->sequence_flags == 3 && t->packet[1]->sequence_flags == 2, "protobuf begins a sequence once");
	if (t)
		pf__trace__free_unpacked(t, NULL);
	timeline_free(tl);
	layouts[F].func = layouts[F_BACK].func = "f";
	comm = "wl";
}
#else
static void test_pftrace(void)
{
	printf("# there is no protobuf-c\n");
}
#endif

/* ---- files for tests/timeline/check.sh ---- */

/* Hits of all kinds, with names and values from outside. */
static void hit_all(void)
{
	comm = hostile;
	hit(F, 1000, INT64_MAX);
	hit(OTHER, 1100, -5);
	hit(F_BACK, 1200, -1);
	task = 102;
	comm = "other";
	hit(G, 2000, 3);
	hit(G, 2100, 4);
	hit(G_BACK, 2200, 1ull << 53);
	hit(H_BACK, 2300, 50);
	hit(H_BACK, 2400, FAULT);
	hit(PAIR, 2500, 2000);
	hit(PAIR, 2600, 2000);
	hit(OTHER, 2700, FAULT);
	timeline_lost(tl, 0, 3, 7);
	timeline_lost(tl, 0, 4, UINT64_MAX);
	hit(ALONE, 2800, 0);
	task = group = 0;
	cpu = 2;
	comm = "swapper/2";
	hit(F, 2900, 1);
	task = group = 100;
	cpu = 1;
	comm = "wl";
	hit(G, 3000, 1);
}

static void write_file(const char *dir, const char *name, const struct encoder *encoder)
{
	static const char *const counters[] = { "n", "m", "a" };
	const struct clock_reading end = { .mono = 5000, .boot = 6000, .real = 1600000000000005000, .tai = 1600000037000005000 };
	static const struct recording recorded = {
		.system = "Linux", .host = "host\xff\"", .release = "6.12.1-test", .machine = "x86_64", .boot_id = "0f0e0d0c-0b0a-0908-0706-050403020100",
		.readings = { { .mono = 500, .boot = 1500, .real = 1600000000000000500, .tai = 1600000037000000500 } }, .nr_readings = 1,
	};
	struct buf path = { 0 };
	FILE *f;

	buf_addf(&path, "%s/%s", dir, name);
	buf_reset(&out);
	tl = timeline_new(&(struct timeline_opts){ .encoder = encoder, .version = "bprobe test", .machines = &recorded, .nr_machines = 1,
			  .counters = counters, .nr_counters = ARRAY_SIZE(counters) }, &out);
	timeline_learn(tl, all_layouts, NR_LAYOUTS);
	hit_all();
	timeline_end(tl, &end, &out);
	timeline_free(tl);
	f = fopen(buf_str(&path), "we");
	CHECK(f && fwrite(out.data, 1, out.len, f) == out.len && !fclose(f), "%s is written", name);
	buf_fini(&path);
}

static void write_files(const char *dir)
{
	write_file(dir, "all.json", &encoder_json);
	if (!encoder_pftrace.missing)
		write_file(dir, "all.pftrace", &encoder_pftrace);
}

int main(void)
{
	for (unsigned i = 0; i < NR_LAYOUTS; i++) {
		layouts[i].group = "grp";
		layouts[i].backend = &backend_kprobe;
		layout_compute(&layouts[i]);
	}
	test_calls();
	test_idle();
	test_durations();
	test_pairs_of_calls();
	test_limits();
	test_counters();
	test_tracks();
	test_machines();
	random_calls(0);
	random_calls(1);
	random_calls(20);
	test_hostile();
	test_pftrace();
	if (getenv("TIMELINE_DIR"))
		write_files(getenv("TIMELINE_DIR"));
	text_fini(&text);
	buf_fini(&out);
	return tap_done();
}
