// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_hist.c - triggers of a run: what hits do, what is shown, and what is refused with which caret.
 *
 * Events have the layouts of synthetic events, since those need no kernel. The rules are those of 6.12's source; hist.sh compares with
 * the kernel itself.
 */
#include <errno.h>
#include <stdlib.h>

#include "hist/hist_draw.h"
#include "hist/hist_text.h"
#include "hist/triggers.h"
#include "plan/place_id.h"
#include "plan/synthetic.h"
#include "print/text.h"
#include "put_values.h"
#include "tap.h"

enum { MOST = 8 };

/* A run: its events, their triggers, and what was printed. */
struct rig {
	struct arena arena;
	struct triggers_probe probes[MOST];
	unsigned nr, nr_triggers;
	struct facts facts;
	struct text text;
	struct triggers *ts;
	struct diag diag;
	struct buf shown;
	unsigned hidden;		/* hidden_stacks of the last hit */
};

/* Adds an event; kprobes/NAME unless @synthetic. */
static void add_event(struct rig *r, const char *text, bool synthetic)
{
	struct synthetic_def *def = NULL;
	struct plan *plan;

	if (synthetic_parse(&r->arena, arena_strdup(&r->arena, text), &def, &r->diag))
		abort();
	plan = synthetic_plan(&r->arena, def);
	plan->layout.is_synthetic = synthetic;
	r->probes[r->nr++] = (struct triggers_probe){ .plan = plan, .group = synthetic ? SYNTHETIC_GROUP : "kprobes", .event = def->name,
						      .synthetic = synthetic ? def : NULL };
}

/* Gives event @i a trigger. */
static void add_trigger(struct rig *r, unsigned i, const char *text)
{
	const struct trigger **last = &r->probes[i].first;
	struct trigger *t;

	if (trigger_parse(&r->arena, arena_strdup(&r->arena, text), &t, &r->diag)) {
		fprintf(stderr, "# %s: %s\n", text, buf_str(&r->diag.msg));
		abort();
	}
	t->order = r->nr_triggers++;
	while (*last)
		last = (const struct trigger **)(uintptr_t)&(*last)->next;
	*last = t;
}

static int open_rig(struct rig *r)
{
	struct triggers_opts opts = { .arena = &r->arena, .probes = r->probes, .nr_probes = r->nr, .facts = &r->facts };

	context_rules_init(&r->text.rules, 0x060c00, false);
	return triggers_open(&opts, &r->ts, &r->diag);
}

static void close_rig(struct rig *r)
{
	triggers_close(r->ts);
	text_fini(&r->text);
	diag_fini(&r->diag);
	buf_fini(&r->shown);
	arena_fini(&r->arena);
	*r = (struct rig){ 0 };
}

/* A hit of event @i with these values, by task 1. Is it printed? r->hidden: without which stacks? */
static bool hit_values(struct rig *r, unsigned i, const struct value *values)
{
	_Alignas(8) unsigned char bytes[2048] = { 0 };
	struct bp_rec *rec = (struct bp_rec *)(void *)bytes;
	struct event ev;
	bool printed;

	*rec = (struct bp_rec){ .common_pid = 1, .preempt = 0x80000000, .eflags = 0x200, .comm = "one", .probe = i };
	put_values(bytes + BP_BODY_OFF, &r->probes[i].plan->layout, values);
	event_decode(&r->probes[i].plan->layout, rec, sizeof(bytes), &ev);
	printed = triggers_hit(r->ts, i, &ev, &r->text);
	r->hidden = ev.hidden_stacks;
	return printed;
}

static bool hit(struct rig *r, unsigned i, int64_t a, int64_t b)
{
	return hit_values(r, i, (struct value[]){ { .n = (uint64_t)a }, { .n = (uint64_t)b } });
}

/* What cat hist prints, without the lines that begin with '#' and empty ones. */
static const char *show(struct rig *r)
{
	struct buf all = { 0 };

	buf_reset(&r->shown);
	triggers_show(r->ts, &r->text, NULL, false, &all);
	for (const char *at = buf_str(&all); *at; at += strcspn(at, "\n") + 1) {
		if (*at != '#' && *at != '\n')
			buf_add(&r->shown, at, strcspn(at, "\n") + 1);
	}
	buf_fini(&all);
	return buf_str(&r->shown);
}

static const char *list(struct rig *r, unsigned i)
{
	buf_reset(&r->shown);
	triggers_list(r->ts, i, &r->shown);
	return buf_str(&r->shown);
}

/* ---- order ---- */

/* Numbers with a sign are sorted with it; what is equal in the sort key is ordered by the keys. */
static void test_order(void)
{
	static const char by_a[] =
		"{ a:         -7 } hitcount:          1  b:         -2\n"
		"{ a:          0 } hitcount:          1  b:          5\n"
		"{ a:          3 } hitcount:          1  b:          5\n"
		"Totals:\n    Hits: 3\n    Entries: 3\n    Dropped: 0\n";
	static const char by_b[] =
		"{ a:          0 } hitcount:          1  b:          5\n"
		"{ a:          3 } hitcount:          1  b:          5\n"
		"{ a:         -7 } hitcount:          1  b:         -2\n"
		"Totals:\n    Hits: 3\n    Entries: 3\n    Dropped: 0\n";
	static const struct { const char *sort, *want; } rows[] = {
		{ "", by_a }, { ":sort=hitcount.descending", by_a }, { ":sort=a", by_a }, { ":sort=b", by_a }, { ":sort=b.descending", by_b },
		{ ":sort=hitcount,b.descending", by_b },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r = { 0 };

		add_event(&r, "s:e s64 a; s32 b", false);
		add_trigger(&r, 0, arena_printf(&r.arena, "hist:keys=a:vals=b%s", rows[i].sort));
		CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
		hit(&r, 0, 3, 5);
		hit(&r, 0, -7, -2);
		CHECK(!hit(&r, 0, 0, 5), "an event with a histogram prints no lines");
		CHECK(!strcmp(show(&r), rows[i].want), "sorted as '%s' says: %s", rows[i].sort, buf_str(&r.shown));
		close_rig(&r);
	}
}

/* Buckets go on downwards; log2 is the kernel's, of the number without its sign. */
static void test_modifiers(void)
{
	static const struct { const char *key; int64_t a; const char *want; } rows[] = {
		{ "a.buckets=10", 0, "{ a: ~ 0-9 }" }, { "a.buckets=10", 19, "{ a: ~ 10-19 }" }, { "a.buckets=10", -1, "{ a: ~ -10--1 }" },
		{ "a.buckets=10", -10, "{ a: ~ -10--1 }" }, { "a.buckets=10", -11, "{ a: ~ -20--11 }" },
		/* 2^63 = 9223372036854775808: the buckets at both ends of the numbers are smaller. */
		{ "a.buckets=1000", INT64_MIN, "{ a: ~ -9223372036854775808--9223372036854775001 }" },
		{ "a.buckets=1000", INT64_MIN + 808, "{ a: ~ -9223372036854775000--9223372036854774001 }" },
		{ "a.buckets=1000", INT64_MAX, "{ a: ~ 9223372036854775000-9223372036854775807 }" },
		{ "a.buckets=1024", INT64_MIN, "{ a: ~ -9223372036854775808--9223372036854774785 }" },
		{ "a.log2", 0, "{ a: ~ 2^0  }" }, { "a.log2", 1, "{ a: ~ 2^0  }" }, { "a.log2", 2, "{ a: ~ 2^1  }" },
		{ "a.log2", 3, "{ a: ~ 2^2  }" }, { "a.log2", 1ll << 62, "{ a: ~ 2^62 }" }, { "a.log2", -1, "{ a: ~ 2^64 }" },
		{ "a.hex", -1, "{ a: ffffffffffffffff }" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r = { 0 };

		add_event(&r, "s:e s64 a; s32 b", false);
		add_trigger(&r, 0, arena_printf(&r.arena, "hist:keys=%s", rows[i].key));
		CHECK(!open_rig(&r), "opens");
		hit(&r, 0, rows[i].a, 0);
		CHECK(!strncmp(show(&r), rows[i].want, strlen(rows[i].want)), "%s of %lld: %s", rows[i].key, (long long)rows[i].a, buf_str(&r.shown));
		close_rig(&r);
	}
}

/* ---- the short forms ---- */

static void draw_one(void *ctx, struct histogram *h, const struct hist_table *table)
{
	static const struct hist_view view = { .width = 30 };
	struct rig *r = ctx;

	hist_draw(h, table, &r->text, &view, &r->shown);
}

static void json_one(void *ctx, struct histogram *h, const struct hist_table *table)
{
	struct rig *r = ctx;

	hist_text_json(h, table, &r->text, 0, 0, &r->shown);
}

/* What --count and the like print for these hits. @values: pairs of a and b; a fault is FAULT. */
static const char *answer(struct rig *r, const char *trigger, const struct value *values, size_t nr, bool json)
{
	struct triggers_reading how = { .show = json ? json_one : draw_one, .ctx = r };

	add_event(r, "s:e s64 a; s64 b", false);
	for (unsigned i = 0; i < 2; i++)
		r->probes[0].plan->layout.fields[i].mark = 0;
	layout_compute((struct layout *)(uintptr_t)&r->probes[0].plan->layout);
	add_trigger(r, 0, trigger);
	r->probes[0].first->hist->exact = true;
	if (open_rig(r))
		return buf_str(&r->diag.msg);
	for (size_t i = 0; i < nr; i += 2)
		hit_values(r, 0, &values[i]);
	triggers_each(r->ts, &how);
	return buf_str(&r->shown);
}

#define N(x) { .n = (uint64_t)(x) }
#define FAULT { .fault = true }

/*
 * What could not be read is not 0: as a key it is one of its own, and sums, averages, extremes and buckets do not have it. Sums have
 * more than 64 bits. Buckets are in the order of their numbers, and many empty ones are one line.
 */
static void test_exact(void)
{
	static const struct value three[] = { N(700), N(1), N(700), N(2), FAULT, N(3) };
	static const struct value largest[] = { N(INT64_MAX), N(-1), N(INT64_MAX), FAULT };
	static const struct value smallest[] = { N(INT64_MIN), N(0), N(-5), N(0), N(3), N(0), N(INT64_MAX), N(0) };
	static const struct { const char *trigger; const struct value *values; size_t nr; const char *want, *json; } rows[] = {
		{ "hist:keys=a:sort=hitcount.descending", three, 6, "      a  count\n    700      2 |#############|\n(fault)      1 |######       |\n",
		  "{\"a\":null,\"count\":1}" },
		{ "hist:keys=a.log2", three, 6, "a of e\n(512, 1K]  2 |###############|\n", "\"nr_entries\":1" },
		{ "hist:keys=b.log2,a.buckets=100", three, 6, "a of e, b [0, 1]\n[700, 800)  1 |##############|\n\n"
		  "a of e, b (1, 2]\n[700, 800)  1 |##############|\n", "\"nr_entries\":2" },
		{ "hist:keys=common_pid:vals=a.min,a.avg", three, 6, "pid  count  min(a)  avg(a)\n  1      3     700     700\n",
		  "{\"pid\":1,\"count\":3,\"a.min\":700,\"a.avg\":700}" },
		{ "hist:keys=a:vals=a.max,b", three, 6, "      a  count   max(a)  sum(b)\n(fault)      1  (fault)       3\n"
		  "    700      2      700       3\n", "{\"a\":null,\"count\":1,\"a.max\":null,\"b\":3}" },
		{ "hist:keys=common_pid:vals=a,a.avg", largest, 4, "pid  count                sum(a)               avg(a)\n"
		  "  1      2  18446744073709551614  9223372036854775807\n", "\"a\":\"18446744073709551614\"" },
		{ "hist:keys=common_pid:vals=b,b.avg", largest, 4, "pid  count  sum(b)  avg(b)\n  1      2      -1      -1\n", "\"b\":-1" },
		{ "hist:keys=a.log2", smallest, 8, "a of e\nnegative  2 |################|\n[0, 1]    0 |                |\n"
		  "(1, 2]    0 |                |\n(2, 4]    1 |########        |\n...\n(4E, 8E]  1 |########        |\n", "\"from\":\"-9223372036854775808\"" },
		{ "hist:keys=a.buckets=1000", smallest, 8, "a of e\n[-9223372036854775808, -9223372036854775000)  1 |########|\n...\n"
		  "[-1000, 0)                                    1 |########|\n[0, 1000)                                     1 |########|\n...\n"
		  "[9223372036854775000, 9223372036854775807]    1 |########|\n",
		  "{\"from\":\"9223372036854775000\",\"to\":\"9223372036854775807\"}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r = { 0 };

		const char *got = answer(&r, rows[i].trigger, rows[i].values, rows[i].nr, false);

		CHECK(!strcmp(got, rows[i].want), "%s is drawn:\n%s", rows[i].trigger, got);
		close_rig(&r);
		got = answer(&r, rows[i].trigger, rows[i].values, rows[i].nr, true);
		CHECK(strstr(got, rows[i].json) != NULL, "... as JSON: %s", got);
		close_rig(&r);
	}
}

/* ---- the table ---- */

static void test_table(void)
{
	enum { NR = 100000 };
	struct hist_table t;
	unsigned char key[8] = { 0 };
	bool is_new, good = true;

	hist_table_init(&t, sizeof(key), 0);
	for (uint64_t i = 0; i < NR; i++) {
		memcpy(key, &i, sizeof(i));
		good &= hist_table_get(&t, key, &is_new) && is_new;
	}
	CHECK(good && t.nr == NR && !t.dropped && t.hits == NR, "%d keys: none is dropped", NR);
	for (uint64_t i = 0; i < NR; i++) {
		memcpy(key, &i, sizeof(i));
		good &= hist_table_find(&t, key) && hist_table_get(&t, key, &is_new) && !is_new;
	}
	CHECK(good && t.nr == NR && t.hits == 2 * NR, "and each is found again");
	hist_table_clear(&t);
	CHECK(!t.nr && !t.hits && !hist_table_find(&t, key), "cleared");
	t.max = 3;
	for (uint64_t i = 0; i < 4; i++) {
		memcpy(key, &i, sizeof(i));
		good &= (hist_table_get(&t, key, &is_new) != NULL) == (i < 3);
	}
	CHECK(good && t.nr == 3 && t.hits == 3 && t.dropped == 1, "with room for 3 the fourth is dropped and counted");
	hist_table_fini(&t);
}

/* ---- variables and synthetic events ---- */

/* The kernel makes a histogram for a parameter that is a field of the event of onmatch() (create_field_var_hist()). */
static void test_match_field(void)
{
	struct rig r = { 0 };

	add_event(&r, "s:e s64 aa; s32 b", false);
	add_event(&r, "s:f s64 c; s32 d", false);
	add_event(&r, "s:made s64 x", true);
	add_trigger(&r, 0, "hist:keys=common_pid:v=b if aa > 1");
	add_trigger(&r, 1, "hist:keys=common_pid:onmatch(kprobes.e).trace(made,aa)");
	CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
	CHECK(strstr(list(&r, 0), "\nhist:keys=common_pid:vals=hitcount:synthetic_aa=aa:sort=hitcount:size=2048 if aa > 1 [active]\n"),
	      "there is a histogram for it: %s", buf_str(&r.shown));
	close_rig(&r);
}

/* ---- triggers that switch ---- */

/* Which of these hits is printed: 1, or not: 0. @triggers: on event 0; hits are values of a. */
static void test_switches(void)
{
	static const struct { const char *first, *second, *want; } rows[] = {
		/* With a condition the record was reserved before; without, not yet. */
		{ "traceoff if a == 2", NULL, "11100" },
		{ "traceoff", NULL, "00000" },
		{ "traceoff:1 if a == 2", NULL, "11100" },
		{ "traceon:1", NULL, "11111" },
		{ "traceoff if a == 2", "disable_event:kprobes:e if a == 1", "10000" },
		{ "disable_event:kprobes:e if a == 2", NULL, "11000" },
		{ "disable_event:kprobes:e:0 if a == 2", NULL, "11111" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r = { 0 };
		char got[6] = "";

		add_event(&r, "s:e s64 a; s32 b", false);
		add_trigger(&r, 0, rows[i].first);
		if (rows[i].second)
			add_trigger(&r, 0, rows[i].second);
		CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
		for (int a = 0; a < 5; a++)
			got[a] = hit(&r, 0, a, 0) ? '1' : '0';
		CHECK(!strcmp(got, rows[i].want), "%s, %s: %s", rows[i].first, rows[i].second ? rows[i].second : "", got);
		close_rig(&r);
	}
}

static void test_others(void)
{
	struct rig r = { 0 };

	add_event(&r, "s:e s64 a; s32 b", false);
	add_event(&r, "s:f s64 a; s32 b", false);
	add_trigger(&r, 0, "enable_event:kprobes:f:2 if a == 1");
	CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
	CHECK(!hit(&r, 1, 0, 0), "an event that another one enables begins disabled");
	hit(&r, 0, 1, 0);
	CHECK(hit(&r, 1, 0, 0), "it is enabled");
	hit(&r, 0, 1, 0);
	CHECK(!strcmp(list(&r, 0), "enable_event:kprobes:f:count=1 if a == 1\n"), "what it does not change does not count: %s", buf_str(&r.shown));
	close_rig(&r);

	add_event(&r, "s:e s64 a; s32 b", false);
	add_event(&r, "s:f s64 a; s32 b", false);
	add_trigger(&r, 0, "hist:keys=a:pause");
	add_trigger(&r, 1, "enable_hist:kprobes:e");
	CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
	hit(&r, 0, 1, 0);
	CHECK(strstr(list(&r, 0), "[paused]") && strstr(show(&r), "Hits: 0\n"), "a paused histogram counts nothing");
	hit(&r, 1, 0, 0);
	hit(&r, 0, 1, 0);
	CHECK(strstr(list(&r, 0), "[active]") && strstr(show(&r), "Hits: 1\n"), "another event lets it go on");
	close_rig(&r);
}

/* ---- probes that wait for their modules ---- */

/* Event 0 waits at first: what its triggers do is known, but they act only later. Event 1 is there. */
static const struct plan *open_waiting(struct rig *r, const char *trigger, const char *second)
{
	const struct plan *plan;

	add_event(r, "s:e s64 a; s32 b", false);
	add_event(r, "s:f s64 a; s32 b", false);
	add_trigger(r, 0, trigger);
	if (second)
		add_trigger(r, 1, second);
	plan = r->probes[0].plan;
	r->probes[0].plan = NULL;
	CHECK(!open_rig(r), "%s opens: %s", trigger, buf_str(&r->diag.msg));
	return plan;
}

static int arrive(struct rig *r, const struct plan *plan)
{
	r->probes[0].plan = plan;
	return triggers_arrive(r->ts, 0, plan, &r->facts, &r->diag);
}

static void test_waiting(void)
{
	struct rig r = { 0 };
	const struct plan *plan = open_waiting(&r, "hist:keys=a", NULL);

	CHECK(!strcmp(list(&r, 0), "") && triggers_leave_lines(r.ts), "a probe that waits has no triggers yet");
	CHECK(!arrive(&r, plan) && *list(&r, 0), "its module comes");
	CHECK(!hit(&r, 0, 1, 0) && strstr(show(&r), "Hits: 1\n"), "its hits are counted");
	CHECK(!arrive(&r, plan) && strstr(show(&r), "Hits: 1\n"), "it comes a second time: nothing changes");
	close_rig(&r);

	plan = open_waiting(&r, "enable_event:kprobes:f:1", NULL);
	CHECK(!hit(&r, 1, 0, 0), "an event that a waiting one enables begins disabled");
	CHECK(!arrive(&r, plan) && !hit(&r, 1, 0, 0), "... also when the module has come");
	CHECK(hit(&r, 0, 0, 0) && hit(&r, 1, 0, 0), "... until a hit enables it");
	close_rig(&r);

	plan = open_waiting(&r, "hist:keys=nosuch", NULL);
	CHECK(arrive(&r, plan) == -ENOENT && strstr(buf_str(&r.diag.msg), "no field 'nosuch'"),
	      "a wrong field is known when the module comes: %s", buf_str(&r.diag.msg));
	diag_fini(&r.diag);
	CHECK(arrive(&r, plan) == -ENOENT, "... and again when it comes again");
	close_rig(&r);

	plan = open_waiting(&r, "hist:keys=a:name=both", "hist:keys=a:name=both");
	hit(&r, 1, 5, 0);
	CHECK(!arrive(&r, plan), "a histogram by name: %s", buf_str(&r.diag.msg));
	hit(&r, 0, 5, 0);
	CHECK(strstr(show(&r), "{ a:          5 } hitcount:          2\n"), "both count in one table: %s", buf_str(&r.shown));
	close_rig(&r);
}

/* ---- changing and removing ---- */

static void test_changes(void)
{
	static const struct { const char *triggers[3]; int err; const char *listed; } rows[] = {
		{ { "hist:keys=a", "!hist:keys=a" }, 0, "" },
		{ { "hist:keys=a", "!hist:keys=b" }, 0, "hist:keys=a:vals=hitcount:sort=hitcount:size=2048 [active]\n" },
		{ { "hist:keys=a", "hist:keys=a:pause" }, 0, "hist:keys=a:vals=hitcount:sort=hitcount:size=2048 [paused]\n" },
		{ { "hist:keys=a:pause", "hist:keys=a:continue" }, 0, "hist:keys=a:vals=hitcount:sort=hitcount:size=2048 [active]\n" },
		{ { "hist:keys=a", "hist:keys=a:clear" }, 0, "hist:keys=a:vals=hitcount:sort=hitcount:size=2048 [active]\n" },
		{ { "hist:keys=a:continue" }, -ENOENT, NULL },
		{ { "hist:keys=a", "hist:keys=a" }, -EEXIST, NULL },
		{ { "hist:keys=a", "hist:keys=a if b > 1" }, 0, "hist:keys=a:vals=hitcount:sort=hitcount:size=2048 [active]\n"
		  "hist:keys=a:vals=hitcount:sort=hitcount:size=2048 if b > 1 [active]\n" },
		{ { "traceoff if a == 1", "!traceoff" }, 0, "" },
		{ { "traceoff:3", "traceoff:4" }, -EEXIST, NULL },
		{ { "traceoff:3", "traceon" }, -EEXIST, NULL },
		{ { "enable_hist:kprobes:e", "traceon:3" }, 0, "traceon:count=3\nenable_hist:kprobes:e:unlimited\n" },
		{ { "enable_event:kprobes:e", "disable_event:kprobes:e" }, -EEXIST, NULL },
		{ { "traceoff", "!traceon" }, 0, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r = { 0 };
		int err;

		add_event(&r, "s:e s64 a; s32 b", false);
		for (unsigned k = 0; rows[i].triggers[k]; k++)
			add_trigger(&r, 0, rows[i].triggers[k]);
		err = open_rig(&r);
		CHECK(err == rows[i].err && (err || !strcmp(list(&r, 0), rows[i].listed)), "'%s' and '%s': %d %s%s", rows[i].triggers[0],
		      rows[i].triggers[1] ? rows[i].triggers[1] : "", err, buf_str(&r.diag.msg), buf_str(&r.shown));
		close_rig(&r);
	}
}

/* ---- stacks ---- */

/* Event @i has the kernel stack in its records only for a trigger. */
static void record_stacks(struct rig *r, unsigned i)
{
	struct plan *plan = arena_new(&r->arena, struct plan);
	struct probe_def *def = arena_new(&r->arena, struct probe_def);

	*plan = *r->probes[i].plan;
	*def = *plan->def;
	def->stacks = def->trigger_stacks = 1u << STACK_KERNEL;
	plan->def = def;
	r->probes[i].plan = plan;
}

/*
 * The hits have a = 0, 1, 2, 3, 4. S: a line with its stack, 1: only a line. The kernel writes the stack after all triggers have acted, so
 * not if one of them stops the tracing; also of an event that is disabled or has a histogram (6.12, event_triggers_post_call()). Here such
 * a stack has its line.
 */
static void test_stacks(void)
{
	static const struct { const char *first, *second, *want; bool typed; } rows[] = {
		{ "stacktrace", NULL, "SSSSS", false },
		{ "stacktrace:2 if a > 0", NULL, "1SS11", false },
		{ "stacktrace:0", NULL, "11111", false },
		{ "stacktrace", "!stacktrace", "11111", false },
		{ "stacktrace", "traceoff if a == 2", "SS100", false },
		{ "stacktrace if a == 1", "disable_event:kprobes:e", "0S000", false },
		{ "hist:keys=b", "stacktrace if a == 3", "000S0", false },
		{ "stacktrace if a == 1", NULL, "SSSSS", true },	/* with -k */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r = { 0 };
		char got[6] = "";

		add_event(&r, "s:e s64 a; s32 b", false);
		if (!rows[i].typed)
			record_stacks(&r, 0);
		add_trigger(&r, 0, rows[i].first);
		if (rows[i].second)
			add_trigger(&r, 0, rows[i].second);
		CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
		CHECK(triggers_leave_lines(r.ts), "there may be lines");
		for (int a = 0; a < 5; a++)
			got[a] = !hit(&r, 0, a, 0) ? '0' : r.hidden & 1u << STACK_KERNEL ? '1' : 'S';
		CHECK(!strcmp(got, rows[i].want), "%s, %s: %s", rows[i].first, rows[i].second ? rows[i].second : "", got);
		close_rig(&r);
	}
}

/* ---- errors ---- */

static void test_errors(void)
{
	static const struct { unsigned event; const char *before, *trigger, *message; int err; unsigned off, len; } rows[] = {
		{ 0, NULL, "hist:keys=nosuch", "has no field 'nosuch'", -ENOENT, 10, 6 },
		{ 0, NULL, "hist:keys=a:vals=nosuch", "has no field 'nosuch'", -ENOENT, 17, 6 },
		{ 0, NULL, "hist:keys=a:vals=nn", "'nn' is a string", -EINVAL, 17, 2 },
		{ 0, NULL, "hist:keys=nn.log2", "'nn' is a string", -EINVAL, 13, 4 },
		{ 0, NULL, "hist:keys=a:x=a+nn", "cannot be computed with", -EINVAL, 16, 2 },
		{ 0, NULL, "hist:keys=a:x=a-$v", "no variable 'v'", -ENOENT, 16, 2 },
		{ 0, NULL, "hist:keys=a:x=a/0", "division by zero", -EINVAL, 16, 1 },
		{ 0, NULL, "hist:keys=a if nosuch > 1", "has no field 'nosuch'", -ENOENT, 15, 6 },
		{ 0, NULL, "enable_event:kprobes:nosuch", "no event kprobes:nosuch", -ENOENT, 13, 14 },
		{ 1, "hist:keys=common_pid:v=a", "hist:keys=common_pid:onmatch(kprobes.e).trace(nosuch,$v)", "no synthetic event 'nosuch'", -ENOENT, 46, 6 },
		{ 1, "hist:keys=common_pid:v=a", "hist:keys=common_pid:onmatch(kprobes.e).trace(made,$v)", "has 2 fields, and here are 1 values",
		  -EINVAL, 46, 4 },
		{ 1, "hist:keys=common_pid:v=b", "hist:keys=common_pid:onmatch(kprobes.e).trace(made,$v,$v)", "is a s64, and this is a s32", -EINVAL, 51, 2 },
		{ 1, "hist:keys=common_pid:v=nn", "hist:keys=common_pid:onmatch(kprobes.e).trace(made,$v,$v)", "is a s64", -EINVAL, 51, 2 },
		{ 1, "hist:keys=a:v=a", "hist:keys=common_pid:onmatch(kprobes.e).trace(made,nn,nn)", "no histogram with the same keys", -ENOENT, 51, 2 },
		{ 2, NULL, "hist:keys=xx:m=yy:onmax($m).trace(made,xx,yy)", "this would never end", -ELOOP, 34, 4 },
		{ 3, NULL, "hist:keys=fd:x=st+1", "'st' is a stack, which cannot be computed with", -EINVAL, 15, 2 },
		{ 3, NULL, "hist:keys=fd:vals=st", "a stack is a key", -EINVAL, 18, 2 },
		{ 3, NULL, "hist:keys=fd:x=fd:onmax($x).save(st)", "a stack cannot be saved", -EINVAL, 33, 2 },
		{ 3, "hist:keys=common_pid:v=a", "hist:keys=common_pid:s=st:onmatch(kprobes.e).trace(made,$v,$s)",
		  "is a s64, and this is a unsigned long[]", -EINVAL, 59, 2 },
		{ 1, "hist:keys=common_pid:v=a", "hist:keys=common_pid:onmatch(kprobes.e).trace(gg,bb,$v)", "is a unsigned long[], and this is a s64",
		  -EINVAL, 52, 2 },
		{ 2, NULL, "stacktrace if xx > 1", "a synthetic event has no stack", -EOPNOTSUPP, 0, 10 },
		{ 0, NULL, "snapshot:1 if a > 1", "a snapshot is taken of rings that overwrite, and needs a file", -EOPNOTSUPP, 0, 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r = { 0 };
		int err;

		add_event(&r, "s:e s64 a; s32 b; char nn[]", false);
		add_event(&r, "s:f s64 a; s32 bb", false);
		add_event(&r, "s:made s64 xx; s64 yy", true);
		add_event(&r, "s:gg s32 fd; unsigned long[] st", true);
		if (rows[i].before)
			add_trigger(&r, 0, rows[i].before);
		add_trigger(&r, rows[i].event, rows[i].trigger);
		err = open_rig(&r);
		CHECK(err == rows[i].err && strstr(buf_str(&r.diag.msg), rows[i].message) && r.diag.at.off == rows[i].off &&
		      r.diag.at.len == rows[i].len, "'%s': %d %s (%u, %u)", rows[i].trigger, err, buf_str(&r.diag.msg), r.diag.at.off, r.diag.at.len);
		close_rig(&r);
	}
}

/* A name of two events must say which; a variable that is used cannot go. */
static void test_references(void)
{
	static const struct { const char *third; int err; const char *message; } rows[] = {
		{ "hist:keys=common_pid:x=a-$v", -EINVAL, "two events have a variable 'v'" },
		{ "hist:keys=common_pid:x=a-kprobes.f.$v", 0, "" },
		{ "hist:keys=common_pid:onmatch(kprobes.f).trace(made,$v)", 0, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r = { 0 };
		int err;

		add_event(&r, "s:e s64 a; s32 b", false);
		add_event(&r, "s:f s64 a; s32 b", false);
		add_event(&r, "s:g s64 a; s32 b", false);
		add_event(&r, "s:made s64 xx", true);
		add_trigger(&r, 0, "hist:keys=common_pid:v=a");
		add_trigger(&r, 1, "hist:keys=common_pid:v=a");
		add_trigger(&r, 2, rows[i].third);
		if (!rows[i].err)
			add_trigger(&r, 1, "!hist:keys=common_pid:v=a");
		err = open_rig(&r);
		CHECK(rows[i].err ? err == rows[i].err && strstr(buf_str(&r.diag.msg), rows[i].message) : err == -EBUSY, "'%s': %d %s",
		      rows[i].third, err, buf_str(&r.diag.msg));
		close_rig(&r);
	}
}

/* ---- JSON ---- */

static void add_json(void *ctx, struct histogram *h, const struct hist_table *table)
{
	struct rig *r = ctx;

	hist_text_json(h, table, &r->text, 0, 0, &r->shown);
}

/* An object never has a name twice. The number of hits is always "count", also beside a field of that name. */
static void test_json_names(void)
{
	static const struct { const char *trigger, *entries; } cases[] = {
		{ "hist:keys=fd", "[{\"fd\":3,\"count\":2}]" },
		{ "hist:keys=fd:vals=off", "[{\"fd\":3,\"count\":2,\"off\":12}]" },
		{ "hist:keys=fd:vals=off,off.max", "[{\"fd\":3,\"count\":2,\"off\":12,\"off.max\":7}]" },
		{ "hist:keys=fd:vals=off,off", "[{\"fd\":3,\"count\":2,\"off\":12,\"off_2\":12}]" },
		{ "hist:keys=fd,fd:vals=fd", "[{\"fd\":3,\"fd_2\":3,\"count\":2,\"fd_3\":6}]" },
		{ "hist:keys=fd,fd,fd_2", "[{\"fd\":3,\"fd_2\":3,\"fd_2_2\":1,\"count\":2}]" },
		{ "hist:keys=count.log2:vals=count", "[{\"count_2\":{\"from\":5,\"to\":8},\"count\":2,\"count_3\":16}]" },
		/* A bucket's ends belong to it: (4, 8] are the numbers from 5 to 8, and [0, 1] is the first one. */
		{ "hist:keys=fd_2.log2", "[{\"fd_2\":{\"from\":0,\"to\":1},\"count\":2}]" },
		{ "hist:keys=minus.log2", "[{\"minus\":{\"from\":\"-9223372036854775808\",\"to\":-1},\"count\":2}]" },
		{ "hist:keys=minus.buckets=4", "[{\"minus\":{\"from\":-4,\"to\":-1},\"count\":2}]" },
		{ "hist:keys=fd.buckets=2", "[{\"fd\":{\"from\":2,\"to\":3},\"count\":2}]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rig r = { 0 };
		struct triggers_reading how = { .show = add_json, .ctx = &r };
		const char *entries;

		add_event(&r, "s:e s32 fd; s32 off; s32 fd_2; s32 count; s32 minus", false);
		add_trigger(&r, 0, cases[i].trigger);
		if (open_rig(&r))
			abort();
		for (uint64_t off = 5; off <= 7; off += 2)
			hit_values(&r, 0, (struct value[]){ { .n = 3 }, { .n = off }, { .n = 1 }, { .n = 8 }, { .n = (uint64_t)-1 } });
		triggers_each(r.ts, &how);
		entries = strstr(buf_str(&r.shown), "\"entries\":");
		CHECK(entries && !strncmp(entries + 10, cases[i].entries, strlen(cases[i].entries)) &&
		      !strcmp(entries + 10 + strlen(cases[i].entries), ",\"nr_entries\":1,\"hits\":2,\"dropped\":0}\n"),
		      "JSON of %s: %s", cases[i].trigger, buf_str(&r.shown));
		close_rig(&r);
	}
}

/* ---- places that are not in the kernel's code ---- */

/* Makes event @i a probe of a program, or of an event. Its address is the first field's value, which has the address's place now. */
static void put_elsewhere(struct rig *r, unsigned i, enum layout_site site, const char *file, const char *func, uint64_t off)
{
	struct plan *plan = arena_new(&r->arena, struct plan);

	*plan = *r->probes[i].plan;
	plan->layout.is_synthetic = false;
	plan->layout.site = site;
	plan->layout.site_name = file;
	plan->layout.func = func;
	plan->layout.site_off = off;
	plan->layout.fields[0].off = LAYOUT_COMMON;
	r->probes[i].plan = plan;
}

/*
 * By function the key is the same in each process, wherever that has the file; other places, other keys. Without a name as key it is the
 * address. A kernel's address has the highest bit, so no place has that.
 */
static void test_places(void)
{
	static const struct { enum layout_site site; const char *file, *func; uint64_t off; const char *name, *whole; } places[] = {
		{ SITE_USER, "libc.so.6", "malloc", 0, "malloc", "malloc+0x0" }, { SITE_USER, "libc.so.6", "malloc", 4, "malloc", "malloc+0x4" },
		{ SITE_USER, "other.so", "malloc", 0, "malloc", "malloc+0x0" }, { SITE_USER, "other.so", NULL, 4096, "other.so:0x1000", "other.so:0x1000" },
		{ SITE_EVENT, "sched.sched_switch", NULL, 0, "sched.sched_switch", "sched.sched_switch" },
	};
	static const struct { const char *key; unsigned entries; } cases[] = {
		{ "__probe_ip.sym", 1 }, { "__probe_ip.sym-offset", 1 }, { "__probe_ip", 2 }, { "__probe_ip.hex", 2 },
	};
	uint64_t ids[ARRAY_SIZE(places)];

	for (unsigned i = 0; i < ARRAY_SIZE(places) * ARRAY_SIZE(cases); i++) {
		unsigned p = i / ARRAY_SIZE(cases), c = i % ARRAY_SIZE(cases);
		const char *name = c ? places[p].whole : places[p].name;
		struct rig r = { 0 };
		char want[64];

		add_event(&r, "s:e u64 a; u64 b", false);
		put_elsewhere(&r, 0, places[p].site, places[p].file, places[p].func, places[p].off);
		add_trigger(&r, 0, arena_printf(&r.arena, "hist:keys=%s", cases[c].key));
		CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
		hit(&r, 0, 0x1000, 0);
		hit(&r, 0, 0x2000, 0);
		snprintf(want, sizeof(want), "Entries: %u\n", cases[c].entries);
		CHECK(strstr(show(&r), want), "%s of %s: %s", cases[c].key, name, buf_str(&r.shown));
		snprintf(want, sizeof(want), "{ __probe_ip: [%llx] %s ", (unsigned long long)place_id(&r.probes[0].plan->layout), name);
		CHECK(!strncmp(buf_str(&r.shown), want, strlen(want)) == (c < 2), "... its name: %s", buf_str(&r.shown));
		ids[p] = place_id(&r.probes[0].plan->layout);
		CHECK(ids[p] && !(ids[p] >> 63), "... no address of the kernel");
		for (unsigned j = 0; j < p; j++)
			CHECK(ids[j] != ids[p], "place %u is not place %u", p, j);
		close_rig(&r);
	}
}

/* One table for probes of two definitions (name=), and for those of a kept event, of which only the first one has the trigger. */
static void test_shared_places(void)
{
	static const char want[] = "\"entries\":[{\"function\":\"free\",\"count\":2},{\"function\":\"malloc\",\"count\":1}]";
	const struct layout *both[2];
	struct rig r = { 0 };
	struct triggers_reading how = { .show = add_json, .ctx = &r };

	add_event(&r, "s:e u64 a; u64 b", false);
	add_event(&r, "s:f u64 a; u64 b", false);
	put_elsewhere(&r, 0, SITE_USER, "libc.so.6", "malloc", 0);
	put_elsewhere(&r, 1, SITE_USER, "libc.so.6", "free", 0);
	for (unsigned i = 0; i < 2; i++)
		add_trigger(&r, i, "hist:name=n:keys=__probe_ip.sym:sort=hitcount.descending");
	CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
	hit(&r, 0, 1, 0);
	hit(&r, 1, 2, 0);
	hit(&r, 1, 3, 0);
	triggers_each(r.ts, &how);
	CHECK(strstr(buf_str(&r.shown), want), "two definitions: %s", buf_str(&r.shown));
	close_rig(&r);

	r = (struct rig){ 0 };
	how.ctx = &r;
	add_event(&r, "s:e u64 a; u64 b", false);
	put_elsewhere(&r, 0, SITE_USER, "libc.so.6", "free", 0);
	both[1] = &r.probes[0].plan->layout;
	put_elsewhere(&r, 0, SITE_USER, "libc.so.6", "malloc", 0);
	both[0] = &r.probes[0].plan->layout;
	r.probes[0].places = both;
	r.probes[0].nr_places = 2;
	add_trigger(&r, 0, "hist:keys=__probe_ip.sym:sort=hitcount.descending");
	CHECK(!open_rig(&r), "opens: %s", buf_str(&r.diag.msg));
	hit(&r, 0, 1, 0);
	for (unsigned i = 0; i < 2; i++) {		/* what a program has counted for the other one */
		_Alignas(8) unsigned char bytes[2048] = { 0 };
		struct event ev;

		put_values(bytes + BP_BODY_OFF, both[1], (struct value[]){ { .n = 5 }, { .n = 0 } });
		event_decode(both[1], (struct bp_rec *)(void *)bytes, sizeof(bytes), &ev);
		triggers_hit(r.ts, 0, &ev, &r.text);
	}
	triggers_each(r.ts, &how);
	CHECK(strstr(buf_str(&r.shown), want), "the probes of a kept event: %s", buf_str(&r.shown));
	close_rig(&r);
}

int main(void)
{
	test_order();
	test_modifiers();
	test_exact();
	test_table();
	test_match_field();
	test_switches();
	test_others();
	test_waiting();
	test_changes();
	test_stacks();
	test_errors();
	test_references();
	test_json_names();
	test_places();
	test_shared_places();
	return tap_done();
}
