// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_report.c - what --report counts: events, rates, durations, calls, losses, stacks, and the limits of each.
 *
 * Expected numbers follow from the events that the test makes, and from report.h.
 */
#include "report/report.h"

#include <inttypes.h>

#include "attach/backends.h"
#include "print/text.h"
#include "report/data.h"
#include "report/data_strings.h"
#include "report/say.h"
#include "report/table.h"

#include "tap.h"

enum { PLACE = 0x1000, OTHER = 0x2000, S = 1000000000 };

static struct layout_field of_entry[] = { { .name = "n", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK } };
static struct layout_field of_return[] = { { .name = "ret", .type = { .kind = TYPE_SIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK } };
static struct layout_field of_timed[] = { { .name = "elapsed", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1 } };
static struct layout_field of_narrow[] = { { .name = "t", .type = { .kind = TYPE_SIGNED, .size = 4 }, .count = 1, .elapsed = ELAPSED_CALL } };

static struct layout entry = { .group = "g", .event = "in", .fields = of_entry, .nr_fields = 1, .at_entry = true };
static struct layout entry2 = { .group = "g", .event = "in2", .fields = of_entry, .nr_fields = 1, .at_entry = true };
static struct layout inside = { .group = "g", .event = "inside", .fields = of_entry, .nr_fields = 1 };
static struct layout leave = { .group = "g", .event = "out", .fields = of_return, .nr_fields = 1, .is_return = true };
static struct layout timed = { .group = "g", .event = "timed", .fields = of_timed, .nr_fields = 1, .is_return = true };
static struct layout narrow = { .group = "g", .event = "narrow", .fields = of_narrow, .nr_fields = 1, .is_return = true };
static struct layout stacked = { .group = "g", .event = "stacked", .fields = of_entry, .nr_fields = 1, .at_entry = true, .stacks = 1u << STACK_KERNEL };

static struct text text;

struct made {
	const struct layout *layout;
	int32_t pid;
	unsigned cpu;
	uint64_t ts, addr, value;
	const char *comm;
	bool faulted;
	uint64_t frames[4];
	unsigned nr_frames;
};

static void give(struct report *r, const struct made *m)
{
	static char bytes[1024] __attribute__((aligned(8)));
	char *body = bytes + BP_BODY_OFF;
	struct bp_rec *rec = (void *)bytes;
	const struct layout *l = m->layout;
	const char *comm = m->comm ? m->comm : "task";
	struct event ev;

	memset(bytes, 0, sizeof(bytes));
	rec->ts = m->ts;
	rec->cpu = (uint16_t)m->cpu;
	rec->common_pid = m->pid;
	memcpy(rec->comm, comm, MIN(strlen(comm), (size_t)BP_COMM_LEN));
	memcpy(body + LAYOUT_COMMON, &m->addr, 8);
	memcpy(body + l->fields[0].off, &m->value, l->fields[0].type.size);
	if (m->faulted)
		body[l->marks_off] = 1;
	if (m->nr_frames) {
		uint32_t loc = 8 * m->nr_frames << 16 | l->dyn_off;

		memcpy(body + l->stack_off[STACK_KERNEL], &loc, 4);
		memcpy(body + l->dyn_off, m->frames, 8 * m->nr_frames);
	}
	if (event_decode(l, rec, sizeof(bytes), &ev))
		sink_report.event(r, &text, &ev, NULL);
}

static void hit(struct report *r, const struct layout *l, int32_t pid, unsigned cpu, uint64_t ts)
{
	give(r, &(struct made){ .layout = l, .pid = pid, .cpu = cpu, .ts = ts, .addr = PLACE });
}

static struct report *new_report(bool for_page)
{
	static struct report r;

	r = (struct report){ .for_page = for_page };
	report_init(&r);
	return &r;
}

/* ---- counts ---- */

static void test_counts(void)
{
	struct report *r = new_report(true);

	report_file(r, "a\x1b.dat", "Linux host 6.12.1 x86_64", "bprobe 1\nbuild x", true);
	for (unsigned i = 0; i < 30; i++)
		give(r, &(struct made){ .layout = i % 3 ? &entry : &inside, .pid = 1 + (int32_t)(i % 2), .cpu = i % 5, .ts = S + i * 1000, .addr = PLACE,
					.comm = i == 29 ? "other" : "task" });
	report_end(r);
	CHECK(r->count == 30 && r->first == S && r->last == S + 29000, "30 events from the first to the last");
	CHECK(r->nr_sites == 2 && r->sites[0].count == 10 && r->sites[1].count == 20, "two places: 10 and 20");
	CHECK(r->nr_tasks == 3 && r->tasks[0].count == 15 && r->tasks[1].count == 14 && r->tasks[2].count == 1, "a task with another name is another row");
	CHECK(r->nr_cpus == 5 && r->cpus[4].count == 6, "five CPUs with 6 each");
	CHECK(r->nr_rows == 5, "five pairs of a place and a task: %u", r->nr_rows);
	CHECK(!strcmp(buf_str(&r->files), "a\\x1b.dat"), "an escape in the name of the file is none");
	CHECK(!strcmp(r->names.all[r->node].text, "host") && !strcmp(r->names.all[r->kernel].text, "6.12.1 x86_64") &&
	      !strcmp(r->names.all[r->writer].text, "bprobe 1"), "host, kernel and writer");
	report_fini(r);
}

/* As from two files. */
static void test_two_layouts(void)
{
	struct report *r = new_report(false);
	struct layout other = entry, same = timed;

	hit(r, &entry, 1, 0, S);
	hit(r, &other, 1, 0, S + 1);
	hit(r, &leave, 1, 0, S + 10);
	hit(r, &timed, 2, 0, S + 11);
	hit(r, &same, 2, 0, S + 12);
	CHECK(r->nr_events == 3 && r->nr_sites == 3 && r->sites[0].count == 2 && r->events[0].count == 2, "an event with two layouts is one row");
	CHECK(r->nr_latencies == 2 && r->latencies[0].latency.count == 1 && r->latencies[1].latency.count == 2, "... with its durations");
	report_fini(r);
}

static void test_rows(void)
{
	struct report *r = new_report(false);
	uint64_t nr = REPORT_ROWS + 3;

	for (uint64_t i = 0; i < nr; i++)
		give(r, &(struct made){ .layout = &entry, .pid = 1 + (int32_t)i, .ts = S + i, .addr = PLACE });
	CHECK(r->nr_tasks == REPORT_ROWS && r->other_tasks == 3, "%d tasks have rows, and three have none", REPORT_ROWS);
	report_fini(r);
	r = new_report(false);
	for (uint64_t i = 0; i < nr; i++)
		give(r, &(struct made){ .layout = &inside, .pid = 1, .ts = S + i, .addr = PLACE + 8 * i });
	CHECK(r->nr_sites == REPORT_ROWS && r->other_sites == 3 && r->names.nr <= REPORT_ROWS + 8, "%d places, too", REPORT_ROWS);
	report_fini(r);
}

/* ---- time ---- */

static uint64_t sum_of(const struct rate *rate, unsigned row)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < rate->used; i++)
		sum += rate_count(rate, row, i);
	return sum;
}

static void test_rate(void)
{
	static const struct { uint64_t ns; unsigned used; uint64_t width; } cases[] = {
		{ 3999999, 4000, 1000 }, { 4000000, 2001, 2000 }, { 7999999, 4000, 2000 }, { 8000000, 801, 10000 },
		{ 40000000, 2001, 20000 }, { 3600ull * S, 3601, S },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rate rate = { 0 };

		rate_add(&rate, 0, S);
		rate_add(&rate, 1, S + cases[i].ns / 2);
		rate_add(&rate, 0, S + cases[i].ns);
		rate_add(&rate, 0, S - 5);
		CHECK(rate.used == cases[i].used && rate.width == cases[i].width, "%" PRIu64 " ns: %u bins of %" PRIu64 " ns", cases[i].ns, rate.used,
		      rate.width);
		CHECK(sum_of(&rate, 0) == 3 && rate_count(&rate, 0, 0) == 2 && rate_count(&rate, 0, rate.used - 1) == 1 &&
		      rate_count(&rate, 1, (unsigned)(cases[i].ns / 2 / rate.width)) == 1, "... with each event in its bin");
		rate_join(&rate, 0, 1);
		CHECK(sum_of(&rate, 0) == 4 && !sum_of(&rate, 1), "... and a row that is added to another one");
		rate_fini(&rate);
	}
}

/* ---- durations ---- */

static uint64_t exact_room = LATENCY_ROOM;

/* Two kinds share room for three values. */
static void test_exact_room(void)
{
	struct latency a = { 0 }, b = { 0 };
	uint64_t few = 3;

	latency_add(&a, 1000, &few);
	latency_add(&a, 3000, &few);
	latency_add(&b, 5000, &few);
	CHECK(!few && latency_is_exact(&a) && latency_is_exact(&b), "all values have room");
	latency_add(&a, 2000, &few);
	CHECK(few == 2 && !latency_is_exact(&a) && latency_is_exact(&b) && a.count == 3 && a.sum == 6000, "one more: its kind is counted in steps");
	CHECK(latency_percentile(&a, 50) >= 2000 && latency_percentile(&a, 50) <= 2000 + 2000 / LATENCY_STEPS, "... with percentiles");
	latency_add(&b, 5000, &few);
	CHECK(few == 1 && latency_is_exact(&b), "... and the other one has its room");
	latency_fini(&a);
	latency_fini(&b);
}

static void test_latency(void)
{
	struct latency l = { 0 };

	CHECK(!latency_percentile(&l, 50) && !latency_average(&l), "no durations");
	for (unsigned i = 0; i < 100; i++)
		latency_add(&l, 1 + i * 37 % 100, &exact_room);	/* 1 to 100, each once */
	CHECK(latency_percentile(&l, 50) == 50 && latency_percentile(&l, 90) == 90 && latency_percentile(&l, 99) == 99 && latency_percentile(&l, 100) == 100 &&
	      latency_percentile(&l, 1) == 1 && latency_percentile(&l, 0) == 1, "percentiles of 1 to 100");
	CHECK(l.min == 1 && l.max == 100 && l.sum == 5050 && latency_average(&l) == 50, "least, longest, sum, average");
	CHECK(l.buckets[0] == 1 && l.buckets[1] == 1 && l.buckets[2] == 2 && l.buckets[6] == 32 && l.buckets[7] == 36, "powers of two");
	latency_fini(&l);
	latency_add(&l, 0, &exact_room);
	latency_add(&l, UINT64_MAX, &exact_room);
	CHECK(l.buckets[0] == 1 && l.buckets[64] == 1 && latency_percentile(&l, 50) == 0 && latency_percentile(&l, 51) == UINT64_MAX, "0 and 2^64 - 1");
	latency_fini(&l);
}

static void test_many_latencies(void)
{
	struct latency l = { 0 };
	uint64_t high;

	for (uint64_t i = 0; i < LATENCY_EXACT; i++)
		latency_add(&l, (1 + i * 7919 % LATENCY_EXACT) * 1000, &exact_room);
	CHECK(latency_is_exact(&l) && latency_percentile(&l, 50) == 5000000 && latency_percentile(&l, 99) == 9900000, "percentiles of %d are exact", LATENCY_EXACT);
	latency_add(&l, 10001000, &exact_room);
	high = latency_percentile(&l, 99);
	CHECK(!latency_is_exact(&l) && high >= 9901000 && high - 9901000 <= 9901000 / LATENCY_STEPS, "of %d up to 1/%d too high: %" PRIu64, LATENCY_EXACT + 1,
	      LATENCY_STEPS, high);
	high = latency_percentile(&l, 50);
	CHECK(high >= 5001000 && high - 5001000 <= 5001000 / LATENCY_STEPS && latency_percentile(&l, 100) == 10001000, "... and the longest is exact");
	CHECK(l.count == LATENCY_EXACT + 1 && l.sum == 10001ull * 10002 / 2 * 1000, "... as count and sum");
	latency_fini(&l);
	/* Each number below, at and above a step's end is in its own step, however large. */
	for (unsigned i = 0; i < LATENCY_EXACT; i++)
		latency_add(&l, 0, &exact_room);
	for (unsigned power = 0; power < 64; power++) {
		latency_add(&l, 1ull << power, &exact_room);
		high = latency_percentile(&l, 100);
		CHECK(high == 1ull << power, "2^%u: %" PRIu64, power, high);
	}
	latency_add(&l, UINT64_MAX, &exact_room);
	CHECK(latency_percentile(&l, 100) == UINT64_MAX, "2^64 - 1");
	latency_fini(&l);
}

static void test_elapsed(void)
{
	struct report *r = new_report(false);

	for (unsigned i = 0; i < 10; i++)
		give(r, &(struct made){ .layout = &timed, .pid = 1, .ts = S + i, .addr = PLACE, .value = 100 * i, .faulted = i == 3 });
	give(r, &(struct made){ .layout = &narrow, .pid = 1, .ts = S + 20, .addr = PLACE, .value = 0xfffffffe });
	hit(r, &entry, 1, 0, S + 30);
	CHECK(r->nr_latencies == 2 && r->latencies[0].latency.count == 9 && r->latencies[0].unknown == 1 && r->latencies[0].latency.sum == 4200,
	      "a field elapsed has durations; one could not be read");
	CHECK(r->latencies[1].latency.max == 0xfffffffe, "a field that is $elapsed has, too, whatever its name; 32 bits are not extended");
	CHECK(!r->nr_called || r->called[0].leaves == INDEX_NONE, "such an event is not paired with an entry, too");
	report_fini(r);
}

/* ---- calls ---- */

static const struct report_call *call_of(const struct report *r)
{
	return &r->called[0];
}

static void test_recursion(void)
{
	struct report *r = new_report(false);
	const struct calls_count *c;

	hit(r, &entry, 1, 0, S);		/* outer: 100 */
	hit(r, &entry, 1, 0, S + 10);		/* inner: 20 */
	hit(r, &entry, 2, 1, S + 15);		/* another thread: 50 */
	hit(r, &leave, 1, 0, S + 30);
	hit(r, &leave, 2, 1, S + 65);
	hit(r, &leave, 1, 0, S + 100);
	hit(r, &leave, 1, 0, S + 110);		/* none */
	hit(r, &entry, 3, 0, S + 120);		/* does not return */
	c = &call_of(r)->count;
	CHECK(c->pairs == 3 && c->no_entry == 1 && c->open == 1 && !c->doubtful, "three pairs, a return without entry, a call that is open");
	CHECK(r->nr_latencies == 1 && r->latencies[0].latency.sum == 170 && r->latencies[0].latency.min == 20 && r->latencies[0].latency.max == 100,
	      "a thread returns from its innermost call first");
	report_fini(r);
}

static void test_idle(void)
{
	struct report *r = new_report(false);

	hit(r, &entry, 0, 0, S);
	hit(r, &entry, 0, 1, S + 5);
	hit(r, &leave, 0, 0, S + 10);
	hit(r, &leave, 0, 1, S + 25);
	CHECK(r->latencies[0].latency.min == 10 && r->latencies[0].latency.max == 20, "the idle tasks of two CPUs are two threads");
	report_fini(r);
}

static void test_two_events(void)
{
	struct report *r = new_report(false);

	hit(r, &entry, 1, 0, S);
	hit(r, &entry2, 1, 0, S + 1);
	give(r, &(struct made){ .layout = &entry, .pid = 1, .ts = S + 2, .addr = OTHER });
	hit(r, &leave, 1, 0, S + 10);
	hit(r, &leave, 1, 0, S + 11);
	CHECK(r->latencies[0].latency.count == 1 && r->latencies[0].latency.sum == 10 && !strcmp(r->names.all[r->events[r->latencies[0].begin].name].text, "in"),
	      "of two events at the entry the first one counts");
	CHECK(call_of(r)->count.no_entry == 1, "... and entries of another function are not this one's");
	report_fini(r);
}

static void test_lost_calls(void)
{
	struct report *r = new_report(false);
	const struct calls_count *c;

	hit(r, &entry, 1, 0, S);
	hit(r, &entry, 2, 1, S + 1);
	sink_report.lost(r, &text, 1, 4, NULL);
	hit(r, &leave, 2, 1, S + 50);
	hit(r, &leave, 1, 0, S + 60);
	hit(r, &entry, 1, 0, S + 70);
	hit(r, &leave, 1, 0, S + 75);
	sink_report.lost(r, &text, 3, UINT64_MAX, NULL);
	report_end(r);
	c = &call_of(r)->count;
	CHECK(c->doubtful == 2 && c->pairs == 1 && r->latencies[0].latency.sum == 5, "calls that were open when events were lost have no duration");
	CHECK(r->lost == 4 && r->some_lost && r->nr_gaps == 2, "four events and some more were lost");
	CHECK(r->gaps[0].cpu == 1 && r->gaps[0].from == S + 1 && r->gaps[0].to == S + 50 && r->gaps[0].lost == 4, "... four between two events of CPU 1");
	CHECK(r->gaps[1].cpu == 3 && !r->gaps[1].from && r->gaps[1].to == REPORT_END && r->gaps[1].lost == UINT64_MAX, "... and some that no event is near");
	report_fini(r);
}

static void test_deep_calls(void)
{
	struct calls calls = { 0 };
	struct calls_count c = { 0 };
	uint64_t ns;
	unsigned good = 0;

	for (unsigned i = 0; i <= CALLS_DEEP; i++)
		calls_enter(&calls, &c, 0, 1, i);
	for (unsigned i = 0; i <= CALLS_DEEP; i++)
		good += calls_return(&calls, &c, 0, 1, 1000 + i, &ns) && ns == 1000 + i - (CALLS_DEEP - i);
	CHECK(good == CALLS_DEEP && c.given_up == 1 && c.no_entry == 1 && !c.open, "of %d nested calls the oldest one is forgotten", CALLS_DEEP + 1);
	c = (struct calls_count){ 0 };
	for (uint64_t i = 0; i < CALLS_OPEN; i++)
		calls_enter(&calls, &c, 0, i, 5);
	CHECK(c.open == CALLS_OPEN && !c.given_up, "%d calls are open", CALLS_OPEN);
	calls_enter(&calls, &c, 0, CALLS_OPEN, 6);
	CHECK(c.given_up == 1 && !calls_return(&calls, &c, 0, CALLS_OPEN, 7, &ns), "... and no more");
	calls_enter(&calls, &c, 0, 3, 8);
	CHECK(calls_return(&calls, &c, 0, 3, 10, &ns) && ns == 2 && c.given_up == 2, "a call inside one of them has its own duration");
	CHECK(!calls_return(&calls, &c, 0, 3, 11, &ns), "... and the outer one none, rather than a wrong one");
	calls_fini(&calls);
}

/* Programs have a function elsewhere in each process. A kernel that hides its addresses has one side's address only. */
static void test_functions(void)
{
	static struct layout sides[] = {
		{ .group = "g", .event = "in", .func = "f", .site = SITE_USER, .probe = PROBE_UPROBE, .site_name = "/lib/x.so" },
		{ .group = "g", .event = "out", .func = "f", .site = SITE_USER, .probe = PROBE_UPROBE, .site_name = "/lib/x.so", .is_return = true },
		{ .group = "g", .event = "inside", .func = "f", .site_off = 8, .site = SITE_USER, .probe = PROBE_UPROBE, .site_name = "/lib/x.so" },
		{ .group = "g", .event = "kin", .func = "k", .at_entry = true },
		{ .group = "g", .event = "kout", .func = "k", .is_return = true },
	};
	struct report *r = new_report(false);

	for (unsigned i = 0; i < ARRAY_SIZE(sides); i++) {
		sides[i].backend = &backend_kprobe;
		sides[i].fields = sides[i].is_return ? of_return : of_entry;
		sides[i].nr_fields = 1;
		layout_compute(&sides[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		give(r, &(struct made){ .layout = &sides[0], .pid = 1 + (int32_t)i, .ts = S, .addr = 0x400000 + 4096 * i });
		give(r, &(struct made){ .layout = &sides[2], .pid = 1 + (int32_t)i, .ts = S + 1, .addr = 0x400008 + 4096 * i });
		give(r, &(struct made){ .layout = &sides[1], .pid = 1 + (int32_t)i, .ts = S + 5, .addr = 0x400000 + 4096 * i });
	}
	give(r, &(struct made){ .layout = &sides[3], .pid = 1, .ts = S, .addr = PLACE });
	give(r, &(struct made){ .layout = &sides[4], .pid = 1, .ts = S + 7 });
	CHECK(r->nr_sites == 5 && !strcmp(r->names.all[r->sites[0].function].text, "f [x.so]") &&
	      !strcmp(r->names.all[r->sites[1].function].text, "f+0x8 [x.so]"), "a program's function is one row, whatever its address");
	CHECK(r->nr_latencies == 2 && r->latencies[0].latency.count == 2 && r->latencies[0].latency.sum == 10, "... with pairs");
	CHECK(r->latencies[1].latency.count == 1 && r->latencies[1].latency.sum == 7, "without symbols a function is known by its name");
	report_fini(r);
}

/* ---- stacks ---- */

static void test_flame(void)
{
	struct report *r = new_report(true);
	uint64_t self = 0;

	for (unsigned i = 0; i < 6; i++)
		give(r, &(struct made){ .layout = &stacked, .pid = 1 + (int32_t)(i % 2), .ts = S + i, .addr = PLACE, .comm = i % 2 ? "b" : "a",
					.frames = { PLACE + 1, i < 3 ? 0x5000 : 0x6000, 0x7000 }, .nr_frames = 3 });
	give(r, &(struct made){ .layout = &stacked, .pid = 1, .ts = S + 7, .addr = PLACE, .comm = "a" });
	CHECK(r->flame.stacks == 6 && !r->flame.cut, "six stacks; a hit without one is none");
	/* The root; two tasks with 0x7000, 0x5000, 0x6000 and PLACE twice. */
	CHECK(r->flame.nr == 1 + 2 * (1 + 1 + 2 + 2), "%u nodes", r->flame.nr);
	for (unsigned i = 0; i < r->flame.nr; i++) {
		if (!strcmp(r->names.all[r->flame.nodes[i].name].text, "0x1000"))
			self += r->flame.nodes[i].self;
	}
	CHECK(self == 6, "all end at the place");
	report_fini(r);
}

static void test_many_stacks(void)
{
	struct report *r = new_report(true);

	/* A node of the root, one of the task, one of 0x7000; then one of each. */
	for (uint64_t i = 0; i < FLAME_NODES - 3; i++)
		give(r, &(struct made){ .layout = &stacked, .pid = 1, .ts = S + i, .addr = 0, .frames = { 0x100000 + 16 * i, 0x7000 }, .nr_frames = 2 });
	CHECK(r->flame.nr == FLAME_NODES && !r->flame.cut, "%d nodes", FLAME_NODES);
	for (unsigned i = 0; i < 2; i++)
		give(r, &(struct made){ .layout = &stacked, .pid = 1, .ts = S * 2, .addr = 0, .frames = { 0x50, 0x7000 }, .nr_frames = 2 });
	CHECK(r->flame.nr == FLAME_NODES && r->flame.cut == 2 && r->flame.stacks == FLAME_NODES - 1, "... and no more: two stacks are cut");
	report_fini(r);
}

/* ---- the page ---- */

static unsigned count_of(const char *in, const char *what)
{
	unsigned nr = 0;

	for (; (in = strstr(in, what)); in += strlen(what))
		nr++;
	return nr;
}

static void test_limit(uint64_t nr)
{
	struct report *r = new_report(true);
	struct buf out = { 0 };
	bool each = nr <= REPORT_HITS;

	for (uint64_t i = 0; i < nr; i++)
		give(r, &(struct made){ .layout = &entry, .pid = 1 + (int32_t)(i % 3), .cpu = i % 2, .ts = S + i * 1000, .addr = PLACE, .value = i % 10 });
	report_end(r);
	CHECK(r->dropped == !each && r->nr_hits == (each ? nr : 0) && r->count == nr, "%" PRIu64 " events: each one is kept: %s", nr, each ? "yes" : "no");
	data_put(r, PAGE_MOST, &out);
	CHECK(count_of(buf_str(&out), "\"hits\":{") == each && count_of(buf_str(&out), "\"task_rows\":[") == !each, "the page has events, or bins");
	CHECK(sum_of(&r->rate, 0) == nr && sum_of(&r->by_cpu_rate, 0) + sum_of(&r->by_cpu_rate, 1) == nr, "all are in bins");
	buf_fini(&out);
	report_fini(r);
}

static void test_strings(void)
{
	static const struct { const char *text, *want; size_t cut; } cases[] = {
		{ "plain", "\"plain\"", SIZE_MAX }, { "a\"b\\c\n\x7f", "\"a\\\"b\\\\c\\u000a\\u007f\"", SIZE_MAX },
		{ "</script>&<!--", "\"\\u003c/script\\u003e\\u0026\\u003c!--\"", SIZE_MAX }, { "x\u2028y\u2029z\u202a", "\"x\\u2028y\\u2029z\u202a\"", SIZE_MAX },
		{ "abcdef", "\"abc\u2026\"", 3 }, { "abcdef", "\"abcdef\"", 6 }, { "a\u2192b", "\"a\u2026\"", 3 }, { "ab", "\"\u2026\"", 0 }, { "", "\"\"", 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out = { 0 };

		data_put_string(&out, cases[i].text, strlen(cases[i].text), cases[i].cut);
		CHECK(!strcmp(buf_str(&out), cases[i].want), "%s", cases[i].want);
		buf_fini(&out);
	}
}

/* Texts are cut as much as necessary, and not more: with one byte less for all, each loses one. */
static void test_room(void)
{
	struct strings names = { 0 }, texts = { 0 };
	struct data_strings d;

	for (unsigned i = 0; i < 10; i++) {
		char name[] = "?<<<<<<<<<";

		name[0] = (char)('0' + i);
		strings_add(&names, name, 10);
	}
	data_strings_init(&d, &names, &texts);
	for (unsigned i = 0; i < 10; i++)
		CHECK(data_strings_name(&d, i) == i && data_strings_name(&d, i) == i, "text %u has its number", i);
	for (size_t room = 100; room < 800; room += 7) {
		struct buf out = { 0 };

		data_strings_put(&d, room, &out);
		if (out.len > room)
			CHECK(false, "%zu bytes in %zu", out.len, room);
		if (room > 780)
			CHECK(count_of(buf_str(&out), "u003c") == 90 && strstr(buf_str(&out), "\"cut\":0,"), "there is room for all");
		buf_fini(&out);
	}
	data_strings_fini(&d);
	strings_fini(&names);
	strings_fini(&texts);
}

/* ---- words ---- */

static void test_times(void)
{
	static const struct { uint64_t ns; const char *want; } cases[] = {
		{ 0, "0 ns" }, { 999, "999 ns" }, { 1000, "1.000 us" }, { 31204, "31.20 us" }, { 999949, "999.9 us" }, { 999950, "1.000 ms" },
		{ 100758282, "100.8 ms" }, { 1235000000, "1.235 s" }, { 12345000000000, "12345 s" }, { UINT64_MAX, "18446744074 s" },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out = { 0 };

		say_time(&out, cases[i].ns);
		CHECK(!strcmp(buf_str(&out), cases[i].want), "%" PRIu64 " ns: %s, should be %s", cases[i].ns, buf_str(&out), cases[i].want);
		buf_fini(&out);
	}
}

/* No line is longer than the terminal is wide, and no escape of a name gets to it. */
static void test_text(void)
{
	static const unsigned widths[] = { 40, 80, 132 };
	struct report *r = new_report(false);

	report_file(r, "r.dat", NULL, NULL, false);
	for (unsigned i = 0; i < 300; i++) {
		hit(r, &entry, 1 + (int32_t)(i % 20), i % 3, S + i * 1000);
		if (i == 50)
			sink_report.lost(r, &text, 1, 7, NULL);
		give(r, &(struct made){ .layout = &leave, .pid = 1 + (int32_t)(i % 20), .ts = S + i * 1000 + 300, .addr = PLACE, .comm = "\x1b[2J\xff" });
	}
	report_end(r);
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(widths); i++) {
		struct report_view view = { .width = widths[i / 2], .utf8 = i % 2 };
		struct buf out = { 0 };
		unsigned longest = 0;

		report_text(r, &view, &out);
		for (char *line = out.data, *end; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			longest = MAX(longest, table_width(line));
		}
		CHECK(longest <= MAX(view.width, 68u), "%u columns%s: the longest line has %u", view.width, view.utf8 ? "" : ", ASCII", longest);
		buf_reset(&out);
		report_text(r, &view, &out);
		CHECK(!strchr(buf_str(&out), '\x1b') && (view.utf8 || !strstr(buf_str(&out), "\xe2\x96")), "... without an escape");
		CHECK(strstr(buf_str(&out), "30 more"), "... and only the first tasks");
		buf_fini(&out);
	}
	report_fini(r);
}

int main(void)
{
	struct layout *all[] = { &entry, &entry2, &inside, &leave, &timed, &narrow, &stacked };

	for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
		all[i]->backend = &backend_kprobe;
		layout_compute(all[i]);
	}
	test_counts();
	test_two_layouts();
	test_rows();
	test_rate();
	test_exact_room();
	test_latency();
	test_many_latencies();
	test_elapsed();
	test_recursion();
	test_idle();
	test_two_events();
	test_lost_calls();
	test_deep_calls();
	test_functions();
	test_flame();
	test_many_stacks();
	test_limit(REPORT_HITS);
	test_limit(REPORT_HITS + 1);
	test_strings();
	test_room();
	test_times();
	test_text();
	text_fini(&text);
	return tap_done();
}
