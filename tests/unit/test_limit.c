// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_limit.c - which hits the limits drop, with their code run by bpf_vm.h under a clock of its own.
 *
 * The rate is compared with a bucket that is really filled and emptied, step by step.
 */
#include "bprobe_abi.h"
#include "gen/emit.h"
#include "gen/gate.h"
#include "gen/limit.h"
#include "kernel/ktask.h"
#include "lang/kprobe.h"

#include "bpf_vm.h"
#include "tap.h"

enum { PID = 8, START = 64, RATE = 128, STAT = 16 };

static const struct ktask plain = { .plain = true, .pid = PID, .start_time = START };
static const struct ktask old = { .plain = false, .pid = PID, .start_time = START };

static struct plan *make_plan(struct arena *arena, const char *text, const struct limit *limit)
{
	struct facts facts = { .limit = limit };
	struct diag diag = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;

	if (kprobe_parse(arena, text, &def, &diag) || plan_resolve(arena, def, &facts, &plan, &diag))
		printf("# %s\n", buf_str(&diag.msg));
	diag_fini(&diag);
	return plan;
}

static void set_task(struct vm *vm, uint32_t pid, uint64_t start)
{
	vm->pid_tgid = pid;
	memcpy(vm->task + PID, &pid, sizeof(pid));
	memcpy(vm->task + START, &start, sizeof(start));
	vm->regions[0] = (struct vm_region){ (uint64_t)(uintptr_t)vm->task, vm->task, sizeof(vm->task) };
	vm->nr_regions = 1;
}

/* Does the gate accept a hit? */
static bool passes(struct vm *vm, const struct code *code)
{
	vm->called = false;
	vm_run(vm, code->insns, code->nr);
	if (vm->error)
		CHECK(false, "the gate does what is wrong: %s", vm->error);
	return vm->called;
}

static uint64_t limited(const struct vm *vm)
{
	uint64_t n;

	memcpy(&n, vm->map + STAT + offsetof(struct bp_stat, limited), sizeof(n));
	return n;
}

static void make_gate(struct arena *arena, const struct limit *limit, const struct gate_env *env, struct code *code)
{
	struct diag diag = { 0 };
	struct plan *plan = make_plan(arena, "p f", limit);

	*code = (struct code){ .arena = arena };
	CHECK(gate_is_needed(plan, env, false) && !gate_emit(plan, env, false, code, &diag), "a gate");
	CHECK(!gate_is_needed(plan, env, true), "not for what only keeps parameters");
	diag_fini(&diag);
}

static uint64_t random_below(uint64_t n)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

/* 20000 hits after pauses of up to @pause: each is dropped if and only if the bucket drops it. */
static void test_rate(uint64_t count, uint64_t unit, uint64_t pause, bool atomics)
{
	struct limit l = { 0 };
	struct gate_env env = { .nr_cpus = 1, .atomics = atomics, .stat_offset = STAT, .rate_offset = RATE };
	struct arena arena = { 0 };
	struct vm vm = { .now = 1000000000 };
	uint64_t level, dropped = 0, wrong = 0;
	struct code code;

	CHECK(!limit_set_rate(&l, count, unit), "%llu each %llu ns", (unsigned long long)count, (unsigned long long)unit);
	make_gate(&arena, &l, &env, &code);
	level = l.burst_ns;
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t dt = random_below(10) ? random_below(pause) : random_below(50 * pause);
		bool wanted;

		vm.now += dt;
		level = MIN(level + dt, l.burst_ns);
		wanted = level >= l.interval_ns;
		level -= wanted ? l.interval_ns : 0;
		dropped += !wanted;
		wrong += passes(&vm, &code) != wanted;
	}
	CHECK(!wrong, "as by a bucket: %llu of 20000 dropped", (unsigned long long)dropped);
	CHECK(limited(&vm) == dropped, "and counted");
	arena_fini(&arena);
}

/* First the hits of a whole unit at once; then none before the time of a token has passed. */
static void test_burst(void)
{
	struct limit l = { 0 };
	struct gate_env env = { .nr_cpus = 1, .atomics = true, .rate_offset = RATE };
	struct arena arena = { 0 };
	struct vm vm = { .now = 1 };
	struct code code;
	unsigned n = 0;

	limit_set_rate(&l, 7, 1000000000);
	make_gate(&arena, &l, &env, &code);
	while (passes(&vm, &code))
		n++;
	CHECK(n == 7, "7 at once");
	vm.now += l.interval_ns - 1;
	CHECK(!passes(&vm, &code), "a moment too early");
	vm.now += 1;
	CHECK(passes(&vm, &code) && !passes(&vm, &code), "in time, once");
	arena_fini(&arena);
}

static void test_race(void)
{
	struct limit l = { 0 };
	struct gate_env env = { .nr_cpus = 1, .atomics = true, .rate_offset = RATE };
	struct arena arena = { 0 };
	struct vm vm = { .now = 5000000000 };
	uint64_t next;
	struct code code;

	limit_set_rate(&l, 2, 1000000000);
	make_gate(&arena, &l, &env, &code);
	vm.raced = vm.now + l.interval_ns;		/* another CPU took one of the two */
	CHECK(passes(&vm, &code), "the second token");
	memcpy(&next, vm.map + RATE, sizeof(next));
	CHECK(next == vm.now + 2 * l.interval_ns, "both are gone");
	CHECK(!passes(&vm, &code), "there is no third");
	vm.now += l.interval_ns;
	vm.raced = vm.now + l.burst_ns;
	CHECK(!passes(&vm, &code), "the other CPU took the last one");
	arena_fini(&arena);
}

static void test_values(void)
{
	struct limit l = { 0 };

	CHECK(!limit_is_set(&l) && !limit_is_set(NULL), "no limit");
	CHECK(limit_set_rate(&l, 0, 1000000000) == -ERANGE && !limit_is_set(&l), "not 0");
	CHECK(limit_set_rate(&l, LIMIT_MAX_PER_SECOND + 1, 1000000000) == -ERANGE, "not too many");
	CHECK(limit_set_rate(&l, 10001, 1000000) == -ERANGE, "nor in a millisecond");
	CHECK(!limit_set_rate(&l, LIMIT_MAX_PER_SECOND, 1000000000) && l.interval_ns == 100, "the fastest");
	CHECK(!limit_set_rate(&l, 3, 1000000000) && l.interval_ns == 333333333 && l.burst_ns == 999999999, "three a second");
}

static void test_once(const struct ktask *task)
{
	struct limit l = { .once = true };
	struct gate_env env = { .nr_cpus = 1, .task = task, .probe = 3, .atomics = true, .stat_offset = STAT, .rate_offset = RATE },
			other = env;
	struct arena arena = { 0 };
	struct vm vm = { 0 };
	struct code code, second;

	other.probe = 4;
	make_gate(&arena, &l, &env, &code);
	make_gate(&arena, &l, &other, &second);
	set_task(&vm, 7, 1000);
	CHECK(passes(&vm, &code) && !passes(&vm, &code) && !passes(&vm, &code), "a task's first hit");
	CHECK(passes(&vm, &second), "... and its first of another probe");
	set_task(&vm, 8, 1000);
	CHECK(passes(&vm, &code) && !passes(&vm, &code), "another task's");
	set_task(&vm, 7, 2000);
	CHECK(passes(&vm, &code), "a later one of the same pid");
	CHECK(limited(&vm) == 3, "the others are counted");
	/* A hit that the rate drops does not count as seen. */
	limit_set_rate(&l, 1, 1000000000);
	vm.now = 3000000000;
	make_gate(&arena, &l, &env, &code);
	set_task(&vm, 9, 1);
	CHECK(passes(&vm, &code), "the first hit takes the token");
	set_task(&vm, 10, 1);
	CHECK(!passes(&vm, &code), "there is none for the next task");
	vm.now += 1000000000;
	CHECK(passes(&vm, &code), "... but its second hit has one");
	arena_fini(&arena);
}

/* What the long body returned, without the bytes that its strings took. */
static uint64_t bits(uint64_t returned)
{
	return returned & ((1 << BP_FETCH_USED_SHIFT) - 1);
}

/* At the end of the fetch code: the returned value only gets one more bit. */
static void test_late(void)
{
	struct limit l = { .interval_ns = 1000000000, .burst_ns = 1000000000, .once = true };
	struct gate_env env = { .nr_cpus = 1, .task = &plain, .atomics = true, .rate_offset = RATE };
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	struct plan *plan = make_plan(&arena, "p f v=%di s=+0(%si):string if !s == \"x\"", &l);
	struct diag diag = { 0 };
	static struct vm vm;
	uint64_t first, next;

	CHECK(!gate_is_needed(plan, &env, false), "no gate");
	CHECK(!emit_rest(emit_hot(plan, &env, true, 0, &code), &diag), "in the long body");
	vm.record_size = plan->layout.long_size;
	set_task(&vm, 7, 1);
	vm.regs[X86_DI] = 77;
	first = bits(vm_run(&vm, code.insns, code.nr));
	next = bits(vm_run(&vm, code.insns, code.nr));
	CHECK(!vm.error && first == BP_FETCH_FAULT, "the first one is as it was");
	CHECK(!vm.error && next == (BP_FETCH_FAULT | BP_FETCH_LIMITED), "the next one is limited");
	vm.regs[X86_SI] = 0;
	plan = make_plan(&arena, "p f v=%di s=+0(%si):string if v == 5 && s == \"x\"", &l);
	code.nr = 0;
	vm.nr_keys = 0;
	CHECK(!emit_rest(emit_hot(plan, &env, true, 0, &code), &diag), "with a filter that turns it away");
	next = bits(vm_run(&vm, code.insns, code.nr));
	CHECK(!vm.error && next == (BP_FETCH_FAULT | BP_FETCH_FILTERED | BP_FETCH_UNDECIDED) && !vm.nr_keys, "that takes neither token nor turn");
	plan->filter = NULL;
	stage_settle(plan);
	CHECK(plan->limit_stage == STAGE_GATE, "as the filter wants it");
	plan->saved.any = true;
	stage_settle(plan);
	CHECK(plan->limit_stage == STAGE_RECORD, "where parameters wait");
	diag_fini(&diag);
	arena_fini(&arena);
}

int main(void)
{
	test_values();
	for (unsigned atomics = 0; atomics < 2; atomics++) {
		test_rate(1, 1000000000, 400000000, atomics);
		test_rate(1000, 1000000000, 500000, atomics);
		test_rate(7, 60000000000, 3000000000, atomics);
		test_rate(3, 1000000, 100000, atomics);
	}
	test_burst();
	test_race();
	test_once(&plain);
	test_once(&old);
	test_late();
	return tap_done();
}
