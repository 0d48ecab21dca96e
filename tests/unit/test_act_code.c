// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_act_code.c - triggers that programs run, with their code run by bpf_vm.h: of random hits the same ones are recorded as with user
 * space's triggers, and the same is left of each count.
 *
 * User space is the reference: tests/guest/suites/hist.sh and switch.sh compare it with the kernel.
 */
#include <errno.h>
#include <stdlib.h>

#include "arch/x86_64/regs.h"
#include "gen/act_code.h"
#include "gen/count_code.h"
#include "gen/emit.h"
#include "gen/gate.h"
#include "gen/limit.h"
#include "hist/triggers.h"
#include "lang/kprobe.h"
#include "print/text.h"

#include "bpf_vm.h"
#include "../roll.h"
#include "tap.h"

enum { EVENTS = 2, TRIGGERS = 2, SLOT = 64, TRACING = 0, EVENT = 1, STATE = EVENT + EVENTS };	/* descriptors of maps */

_Static_assert(sizeof(struct bp_switch) <= SLOT && sizeof(struct bp_count_state) <= SLOT, "each map's value has a slot");

static struct vm vm;
/* ---- two events with triggers ---- */

static const char *const names[EVENTS] = { "e", "f" };

struct row {
	const char *filter, *triggers[EVENTS][TRIGGERS];
};

struct rig {
	struct arena arena;
	struct diag diag;
	struct facts facts;
	struct text text;
	struct plan plans[EVENTS];
	struct triggers_probe probes[EVENTS];
	struct triggers *ts;
	unsigned nr_states;
};

static void fail(const char *what, const struct rig *r)
{
	printf("Bail out! %s: %s\n", what, buf_str(&r->diag.msg));
	exit(1);
}

static void open_probe(struct rig *r, const struct row *row, unsigned i, unsigned *order)
{
	const char *text = arena_printf(&r->arena, "p:%s f a=%%di:s64 b=%%si:u64%s", names[i], row->filter ? row->filter : "");
	const struct trigger **last = &r->probes[i].first;
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct trigger *t;

	if (kprobe_parse(&r->arena, text, &def, &r->diag) || plan_resolve(&r->arena, def, &r->facts, &plan, &r->diag))
		fail(text, r);
	r->plans[i] = *plan;
	r->probes[i].plan = &r->plans[i];
	r->probes[i].group = "kprobes";
	r->probes[i].event = names[i];
	for (unsigned k = 0; k < TRIGGERS && row->triggers[i][k]; k++) {
		if (trigger_parse(&r->arena, arena_strdup(&r->arena, row->triggers[i][k]), &t, &r->diag))
			fail(row->triggers[i][k], r);
		t->order = (*order)++;
		*last = t;
		last = (const struct trigger **)(uintptr_t)&t->next;
	}
}

static void open_rig(struct rig *r, const struct row *row, bool acts)
{
	struct triggers_opts opts = { .arena = &r->arena, .probes = r->probes, .nr_probes = EVENTS, .facts = &r->facts, .reach.snapshots = true,
				      .kernel = { .acts = acts, .pauses = acts } };
	unsigned order = 0;

	r->facts.nr_cpus = 8;
	for (unsigned i = 0; i < EVENTS; i++)
		open_probe(r, row, i, &order);
	context_rules_init(&r->text.rules, 0x060c00, false);
	if (triggers_open(&opts, &r->ts, &r->diag))
		fail("triggers", r);
}

static void close_rig(struct rig *r)
{
	triggers_close(r->ts);
	text_fini(&r->text);
	diag_fini(&r->diag);
	arena_fini(&r->arena);
	*r = (struct rig){ 0 };
}

/* ---- what programs write ---- */

static struct bp_switch *switch_at(int fd)
{
	return (void *)(vm.map + fd * SLOT);
}

static struct bp_count_state *state_at(int fd)
{
	return (void *)(vm.map + fd * SLOT);
}

static int read_state(const struct count_table *table, struct bp_count_state *ret)
{
	*ret = *state_at(table->state_fd);
	return 0;
}

static int make_state(void *ctx, const struct trigger *t, struct count_table *table)
{
	struct rig *r = ctx;

	table->state_fd = STATE + (int)r->nr_states++;
	state_at(table->state_fd)->left = (int64_t)t->count;
	return 0;
}

static struct act_word word_of(const struct trigger *t)
{
	int fd = TRACING;

	if (t->kind == TRIGGER_ENABLE_EVENT || t->kind == TRIGGER_DISABLE_EVENT)
		fd = EVENT + !strcmp(t->event, names[1]);
	return (struct act_word){ fd, offsetof(struct bp_switch, off) };
}

/* As trigger_run.c does it: an event that another one enables begins switched off. */
static void make_acts(struct rig *r)
{
	vm = (struct vm){ .stride = SLOT };
	for (unsigned i = 0; i < EVENTS; i++) {
		r->plans[i].sets_off.acts = triggers_acts(r->ts, i, &r->plans[i].sets_off.acts_conditional);
		for (struct act *a = r->plans[i].sets_off.acts; a; a = a->next) {
			struct act_word *word = arena_new(&r->arena, struct act_word);

			*word = word_of(a->trigger);
			a->words = word;
			a->nr_words = a->trigger->kind != TRIGGER_SNAPSHOT;
			if (a->trigger->kind == TRIGGER_ENABLE_EVENT)
				switch_at(word->fd)->off = 1;
		}
	}
	for (unsigned i = 0; i < EVENTS; i++)
		stage_settle(&r->plans[i]);
	triggers_states(r->ts, make_state, r);
}

/* ---- hits ---- */

struct hit {
	unsigned event;
	uint64_t di, si;
	char comm[BP_COMM_LEN];
};

static struct hit random_hit(void)
{
	static const char comms[][BP_COMM_LEN] = { "wl", "a-long-comm-015", "sh" };
	struct hit hit = { .event = roll(EVENTS), .di = roll(10), .si = roll(4) };

	memcpy(hit.comm, comms[roll(ARRAY_SIZE(comms))], sizeof(hit.comm));
	return hit;
}

static uint64_t run(const struct rig *r, const struct code *code, const struct hit *hit)
{
	struct bp_rec *rec = (void *)vm.record;
	uint64_t ret;

	memset(vm.record, 0xaa, sizeof(vm.record));
	memset(vm.stack, 0xaa, sizeof(vm.stack));
	vm.regs[X86_DI] = hit->di;
	vm.regs[X86_SI] = hit->si;
	*rec = (struct bp_rec){ .eflags = 0x246, .preempt = 0x80000000 };
	memcpy(rec->comm, hit->comm, sizeof(rec->comm));
	memset(rec + 1, 0, 8);
	vm.record_size = r->plans[hit->event].layout.short_size;
	ret = vm_run(&vm, code->insns, code->nr);
	if (vm.error)
		fail(vm.error, r);
	return ret;
}

static struct gate_env env_of(const struct hit *hit)
{
	return (struct gate_env){ .nr_cpus = 1, .tracing = { TRACING, 0 }, .event = { EVENT + (int)hit->event, 0 } };
}

/* The bits of BP_FETCH_*; the record is left. */
static uint64_t run_body(struct rig *r, const struct plan *plan, const struct hit *hit)
{
	const struct gate_env env = env_of(hit);
	struct code code = { .arena = &r->arena };
	struct emitter *e;

	code_mov(&code, BPF_REG_6, BPF_REG_1);
	code_mov(&code, BPF_REG_7, BPF_REG_2);
	code_mov(&code, BPF_REG_8, BPF_REG_3);
	e = emit_hot(plan, &env, false, 0, &code);
	code_mov(&code, BPF_REG_0, BPF_REG_9);
	code_exit(&code);
	if (emit_rest(e, &r->diag))
		fail("the program", r);
	return run(r, &code, hit);
}

/* Does the code in front of the record say that it is not needed? */
static bool run_early(struct rig *r, const struct hit *hit)
{
	const struct gate_env env = env_of(hit);
	struct code code = { .arena = &r->arena };
	struct counter *counter;

	code_mov(&code, BPF_REG_6, BPF_REG_1);
	code_mov(&code, BPF_REG_8, BPF_REG_3);
	counter = counter_emit_hot(&r->plans[hit->event], &env, 0, &code);
	code_mov(&code, BPF_REG_0, BPF_REG_9);
	code_exit(&code);
	counter_emit_rest(counter);
	return run(r, &code, hit);
}

/* is_off() of bpf/capture.bpf.h */
static bool is_off(unsigned tests, const struct hit *hit)
{
	return (tests != BP_SWITCHED_NEITHER && switch_at(TRACING)->off) ||
	       (tests == BP_SWITCHED_BOTH && switch_at(EVENT + (int)hit->event)->off);
}

/* Is the hit recorded by its program? */
static bool program(struct rig *r, const struct hit *hit)
{
	const struct plan *plan = &r->plans[hit->event];

	if (is_off(act_code_tests(plan), hit) || (stage_of_acts(plan) == STAGE_PROGRAM && run_early(r, hit)))
		return false;
	return !(run_body(r, plan, hit) & (BP_FETCH_COUNTED | BP_FETCH_FILTERED));
}

/* Does user space print it? */
static bool reference(struct rig *r, const struct hit *hit)
{
	const struct plan *plan = &r->plans[hit->event];
	struct event ev;

	if (run_body(r, plan, hit) & BP_FETCH_FILTERED)
		return false;
	if (!event_decode(&plan->layout, (void *)vm.record, vm.record_size, &ev))
		fail("no record", r);
	return triggers_hit(r->ts, hit->event, &ev, &r->text);
}

static void list(const struct rig *r, struct buf *out)
{
	buf_reset(out);
	for (unsigned i = 0; i < EVENTS; i++)
		triggers_list(r->ts, i, out);
}

static void compare(const struct row *row, enum stage stage)
{
	struct rig wanted = { 0 }, r = { 0 };
	struct buf got = { 0 }, want = { 0 };
	unsigned recorded = 0, wrong = 0;

	open_rig(&wanted, row, false);
	open_rig(&r, row, true);
	make_acts(&r);
	CHECK(stage_of_acts(&r.plans[0]) == stage, "%s: %s", row->triggers[0][0], stage == STAGE_RECORD ? "by record" : "before the record");
	for (unsigned i = 0; i < 400; i++) {
		struct hit hit = random_hit();
		bool is = program(&r, &hit), should = reference(&wanted, &hit);

		recorded += is;
		wrong += is != should;
	}
	triggers_read_states(r.ts, read_state);
	list(&r, &got);
	list(&wanted, &want);
	CHECK(!wrong && recorded && recorded < 400, "... %u of 400 hits are recorded, %u of them wrongly or not", recorded, wrong);
	CHECK(!strcmp(buf_str(&got), buf_str(&want)), "... and the same is left of each count");
	if (strcmp(buf_str(&got), buf_str(&want)))
		fprintf(stderr, "program:\n%suser space:\n%s", buf_str(&got), buf_str(&want));
	buf_fini(&got);
	buf_fini(&want);
	close_rig(&r);
	close_rig(&wanted);
}

static void test_rows(void)
{
	static const struct { struct row row; enum stage stage; } rows[] = {
		{ { NULL, { { "traceoff if a == 5" }, { "traceon if a == 7" } } }, STAGE_PROGRAM },
		{ { NULL, { { "traceoff" }, { "traceon" } } }, STAGE_PROGRAM },
		{ { NULL, { { "traceoff:30" }, { "traceon:20" } } }, STAGE_PROGRAM },
		{ { NULL, { { "traceoff:9 if a < 4 && b != 1" }, { "traceon:20 if b == 3" } } }, STAGE_PROGRAM },
		{ { NULL, { { "disable_event:kprobes:e" }, { "enable_event:kprobes:e if a == 1" } } }, STAGE_PROGRAM },
		{ { NULL, { { "disable_event:kprobes:e if a == 2" }, { "enable_event:kprobes:e" } } }, STAGE_PROGRAM },
		{ { NULL, { { "enable_event:kprobes:f:5 if a > 7" }, { "disable_event:kprobes:f if b == 1" } } }, STAGE_PROGRAM },
		{ { NULL, { { "traceoff if a == 1", "enable_event:kprobes:f" }, { "traceon if a == 2", "disable_event:kprobes:f:20" } } },
		  STAGE_PROGRAM },
		{ { NULL, { { "traceoff if COMM == \"wl\" && a == 3" }, { "traceon if a == 2" } } }, STAGE_RECORD },
		{ { NULL, { { "traceoff:7 if COMM == \"a-long-comm-015\"" }, { "traceon if COMM == \"sh\"" } } }, STAGE_RECORD },
		/* An event that is switched off runs its triggers. */
		{ { NULL, { { "traceoff if COMM == \"wl\" && a == 3" }, { "enable_event:kprobes:e if a == 1", "traceon if b == 1" } } },
		  STAGE_RECORD },
		{ { NULL, { { "traceoff if COMM == \"wl\" && a == 3" }, { "disable_event:kprobes:e if a == 1", "traceon if b == 1" } } },
		  STAGE_RECORD },
		{ { NULL, { { "enable_event:kprobes:f if COMM == \"wl\"", "traceoff:3" }, { "disable_event:kprobes:f", "traceon if a == 1" } } },
		  STAGE_RECORD },
		/* Hits that the definition's filter rejects set off nothing. */
		{ { " if COMM == \"wl\"", { { "traceoff if a == 5" }, { "traceon:10" } } }, STAGE_RECORD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		compare(&rows[i].row, rows[i].stage);
}

/* ---- what user space does not do ---- */

/* Each hit for which it acts adds 1, and wakes who waits for it. */
static void test_snapshot(void)
{
	static const struct row row = { NULL, { { "snapshot:3 if a > 4" } } };
	struct hit hit = { .comm = "wl" };
	unsigned recorded = 0;
	struct rig r = { 0 };

	open_rig(&r, &row, true);
	make_acts(&r);
	for (unsigned i = 0; i < 10; i++) {
		hit.di = i;
		recorded += program(&r, &hit);
	}
	CHECK(vm.rung == 3 && recorded == 10, "snapshot:3 asks three times: %u; all hits are recorded", vm.rung);
	close_rig(&r);
}

/* Two CPUs took the last one at once. */
static void test_below_zero(void)
{
	static const struct row row = { NULL, { { "traceoff:1" } } };
	const struct hit hit = { .comm = "wl" };
	struct rig r = { 0 };

	open_rig(&r, &row, true);
	make_acts(&r);
	state_at(STATE)->left = -1;
	CHECK(program(&r, &hit) && !switch_at(TRACING)->off && state_at(STATE)->left == -1, "a count below 0 is used up");
	close_rig(&r);
}

/* A limit that is tested behind the record sees the hit first. Then traceoff alone can be tested before it. */
static void test_times(void)
{
	static const struct row traceoff = { " if COMM == \"wl\"", { { "traceoff" }, { "traceon" } } };
	static const struct row plain = { NULL, { { "traceoff" }, { "traceon" } } };
	const struct limit limit = { .interval_ns = 1000, .burst_ns = 1000 };
	struct rig r = { 0 };

	open_rig(&r, &traceoff, true);
	CHECK(act_code_tests(&r.plans[0]) == BP_SWITCHED_BOTH && stage_of_acts(&r.plans[0]) == STAGE_NONE, "no triggers");
	make_acts(&r);
	CHECK(act_code_tests(&r.plans[0]) == BP_SWITCHED_TRACING, "traceoff behind the record");
	CHECK(act_code_tests(&r.plans[1]) == BP_SWITCHED_NEITHER, "traceon behind the record");
	close_rig(&r);
	open_rig(&r, &plain, true);
	make_acts(&r);
	r.plans[0].limit = &limit;
	stage_settle(&r.plans[0]);
	CHECK(stage_of_acts(&r.plans[0]) == STAGE_PROGRAM, "a limit in the gate");
	CHECK(act_code_tests(&r.plans[0]) == BP_SWITCHED_NEITHER, "traceoff before the record: its code tests both");
	r.plans[0].limit = NULL;
	r.plans[0].saved.any = r.plans[0].saved.params = r.plans[0].target.is_return = true;
	stage_settle(&r.plans[0]);
	CHECK(plan_has_saver(&r.plans[0]) && stage_of_acts(&r.plans[0]) == STAGE_PROGRAM, "a saver");
	r.plans[0].limit = &limit;
	stage_settle(&r.plans[0]);
	CHECK(stage_of_acts(&r.plans[0]) == STAGE_RECORD, "... and a limit, which is tested behind the record");
	CHECK(act_code_tests(&r.plans[0]) == BP_SWITCHED_TRACING, "... where traceoff acts, too");
	close_rig(&r);
}

int main(void)
{
	test_rows();
	test_snapshot();
	test_below_zero();
	test_times();
	return tap_done();
}
