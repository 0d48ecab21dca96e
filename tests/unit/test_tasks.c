// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tasks.c - which tasks the gate lets through, with its code run by bpf_vm.h.
 *
 * Each case is a task and conditions. Whether the task is traced follows from the rules in tests/guest/suites/who.guest
 * (different kinds all hold, values of one kind are alternatives, inverted ones exclude).
 */
#include "gen/gate.h"
#include "gen/limit.h"
#include "gen/tasks.h"
#include "kernel/ktask.h"
#include "lang/kprobe.h"

#include "bpf_vm.h"
#include "tap.h"

/* A small model of a task. Everything to which it points comes after it. */
enum {
	PID = 8, TGID = 12, COMM = 16, CRED = 32, NSPROXY = 40, THREAD_PID = 48, LEADER = 56, START = 64,
	CREDS = 72, UID = 4, PROXIES = 88, MNT = 8, MNT_NS = 104, INUM = 12,
	STRUCT_PID = 120, LEVEL = 4, NUMBERS = 8,	/* levels 0, 1: to 160 */
	NS0 = 160, NS1 = 176,
};

static const struct ktask plain = {
	.plain = true, .pid = PID, .tgid = TGID, .comm = COMM, .start_time = START, .cred = CRED, .nsproxy = NSPROXY,
	.thread_pid = THREAD_PID, .group_leader = LEADER, .cred_uid = UID, .nsproxy_mnt = MNT, .mnt_inum = INUM,
	.pid_level = LEVEL, .pid_numbers = NUMBERS, .pidns_inum = INUM,
};

struct task {
	uint32_t tgid, pid;
	const char *comm;
	uint32_t uid, cgroups, mntns;
	uint32_t level, inner;		/* of its pid namespace, and the task's number there */
};

static void put(struct vm *vm, unsigned at, uint64_t value, unsigned size)
{
	memcpy(vm->task + at, &value, size);
}

static void put_pointer(struct vm *vm, unsigned at, unsigned to)
{
	put(vm, at, (uint64_t)(uintptr_t)vm->task + to, 8);
}

static void make_task(struct vm *vm, const struct task *t)
{
	*vm = (struct vm){ .pid_tgid = (uint64_t)t->tgid << 32 | t->pid, .uid_gid = 7ull << 32 | t->uid, .cgroups = t->cgroups };
	vm->regions[vm->nr_regions++] = (struct vm_region){ (uint64_t)(uintptr_t)vm->task, vm->task, sizeof(vm->task) };
	/* After a name's NUL are bytes of an older name. */
	memset(vm->comm, 'x', sizeof(vm->comm));
	memcpy(vm->comm, t->comm, strlen(t->comm) + 1);
	memcpy(vm->task + COMM, vm->comm, sizeof(vm->comm));
	put(vm, PID, t->pid, 4);
	put(vm, TGID, t->tgid, 4);
	put(vm, START, 1234567, 8);
	put_pointer(vm, CRED, CREDS);
	put_pointer(vm, NSPROXY, PROXIES);
	put_pointer(vm, THREAD_PID, STRUCT_PID);
	put_pointer(vm, LEADER, 0);
	put(vm, CREDS + UID, t->uid, 4);
	put_pointer(vm, PROXIES + MNT, MNT_NS);
	put(vm, MNT_NS + INUM, t->mntns, 4);
	put(vm, STRUCT_PID + LEVEL, t->level, 4);
	put(vm, STRUCT_PID + NUMBERS, t->tgid, 4);
	put_pointer(vm, STRUCT_PID + NUMBERS + 8, NS0);
	put(vm, STRUCT_PID + NUMBERS + 16, t->inner, 4);
	put_pointer(vm, STRUCT_PID + NUMBERS + 24, NS1);
	put(vm, NS0 + INUM, 0xeffffffc, 4);
	put(vm, NS1 + INUM, 0xf0000001, 4);
}

static struct plan *make_plan(struct arena *arena)
{
	struct facts facts = { 0 };
	struct diag diag = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;

	if (kprobe_parse(arena, "p f", &def, &diag) || plan_resolve(arena, def, &facts, &plan, &diag))
		printf("# %s\n", buf_str(&diag.msg));
	diag_fini(&diag);
	return plan;
}

/* Is @t traced? Both kinds of kernels must agree. */
static bool traced(const struct tasks *tasks, const struct task *t, unsigned *ret_nr)
{
	struct ktask old = plain;
	bool result[2] = { false, true };

	old.plain = false;
	for (unsigned i = 0; i < 2; i++) {
		struct gate_env env = { .nr_cpus = 1, .tasks = tasks, .task = i ? &old : &plain, .pid_level = 1 };
		struct arena arena = { 0 };
		struct code code = { .arena = &arena };
		struct diag diag = { 0 };
		struct vm vm;

		make_task(&vm, t);
		if (!gate_is_needed(make_plan(&arena), &env, true) || gate_emit(make_plan(&arena), &env, true, &code, &diag))
			CHECK(false, "a gate: %s", buf_str(&diag.msg));
		vm_run(&vm, code.insns, code.nr);
		if (vm.error)
			CHECK(false, "the gate does what is wrong: %s", vm.error);
		result[i] = vm.called;
		if (ret_nr)
			*ret_nr = code.nr;
		arena_fini(&arena);
		diag_fini(&diag);
	}
	if (result[0] != result[1])
		CHECK(false, "5.10's way says the same");
	return result[0];
}

static const struct task sh = { .tgid = 100, .pid = 101, .comm = "sh", .uid = 1000, .cgroups = 2, .mntns = 0xf0000100,
				.level = 1, .inner = 5 };

static void test_one_kind(void)
{
	static const struct { enum tasks_kind kind; uint32_t number; const char *name; bool matches; } cases[] = {
		{ TASKS_PID, 100, NULL, true }, { TASKS_PID, 101, NULL, false }, { TASKS_TID, 101, NULL, true }, { TASKS_TID, 100, NULL, false },
		{ TASKS_UID, 1000, NULL, true }, { TASKS_UID, 7, NULL, false }, { TASKS_MNTNS, 0xf0000100, NULL, true },
		{ TASKS_MNTNS, 0x70000100, NULL, false }, { TASKS_PIDNS, 0xf0000001, NULL, true }, { TASKS_PIDNS, 0xeffffffc, NULL, false },
		{ TASKS_COMM, 0, "sh", true }, { TASKS_COMM, 0, "s", false }, { TASKS_COMM, 0, "shx", false }, { TASKS_COMM, 0, "bash", false },
		{ TASKS_COMM, 0, "sh345678", false }, { TASKS_CGROUP, 3, "a", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (unsigned inverted = 0; inverted < 2; inverted++) {
			struct arena arena = { 0 };
			struct tasks tasks = { 0 };

			tasks_add(&arena, &tasks, cases[i].kind, inverted, cases[i].number, cases[i].name);
			CHECK(traced(&tasks, &sh, NULL) == (cases[i].matches != inverted), "%s%u %s", inverted ? "not " : "",
			      cases[i].number, cases[i].name ? cases[i].name : "");
			arena_fini(&arena);
		}
	}
}

/* Names of every length, against tasks of every length. */
static void test_names(void)
{
	for (unsigned len = 1; len < 16; len++) {
		for (unsigned other = 1; other < 16; other++) {
			struct arena arena = { 0 };
			struct tasks tasks = { 0 };
			struct task t = sh;

			t.comm = arena_strndup(&arena, "abcdefghijklmno", other);
			tasks_add(&arena, &tasks, TASKS_COMM, false, 0, "zz");
			tasks_add(&arena, &tasks, TASKS_COMM, false, 0, arena_strndup(&arena, "abcdefghijklmno", len));
			CHECK(traced(&tasks, &t, NULL) == (len == other), "a name of %u against one of %u", len, other);
			arena_fini(&arena);
		}
	}
}

/* Each number in a list and between its numbers, for lists of many lengths. */
static void test_lists(void)
{
	for (unsigned nr = 1; nr <= 40; nr += nr < 10 ? 1 : 10) {
		for (unsigned inverted = 0; inverted < 2; inverted++) {
			struct arena arena = { 0 };
			struct tasks tasks = { 0 };

			for (unsigned i = 0; i < nr; i++)	/* in no order, some twice */
				tasks_add(&arena, &tasks, TASKS_PID, inverted, 10 + 3 * (i * 7 % nr), NULL);
			for (unsigned i = 0; i < nr; i++)
				tasks_add(&arena, &tasks, TASKS_PID, inverted, 10 + 3 * i, NULL);
			CHECK(tasks.conditions[TASKS_PID][inverted].nr == nr, "%u different numbers", nr);
			for (uint32_t pid = 8; pid < 14 + 3 * nr; pid++) {
				struct task t = sh;
				bool in = pid >= 10 && (pid - 10) % 3 == 0 && (pid - 10) / 3 < nr;

				t.tgid = pid;
				if (traced(&tasks, &t, NULL) != (in != inverted))
					CHECK(false, "%u of %u numbers", pid, nr);
			}
			arena_fini(&arena);
		}
	}
}

static void test_long_list(void)
{
	struct arena arena = { 0 };
	struct tasks tasks = { 0 };
	struct diag diag = { 0 };
	struct code code = { .arena = &arena };
	struct gate_env env = { .nr_cpus = 1, .tasks = &tasks, .task = &plain };
	struct task t = sh;
	unsigned nr;

	for (uint32_t i = 0; i < 8000; i++)
		tasks_add(&arena, &tasks, TASKS_PID, false, 3 * i, NULL);
	t.tgid = 3 * 7999;
	CHECK(traced(&tasks, &t, &nr), "the last of 8000");
	t.tgid++;
	CHECK(!traced(&tasks, &t, NULL), "none of 8000");
	for (uint32_t i = 0; i < 40000; i++)
		tasks_add(&arena, &tasks, TASKS_PID, false, 3 * i, NULL);
	CHECK(gate_emit(make_plan(&arena), &env, false, &code, &diag) == -E2BIG, "too many are refused");
	diag_fini(&diag);
	arena_fini(&arena);
}

static void test_combined(void)
{
	struct arena arena = { 0 };
	struct tasks tasks = { 0 };
	struct buf text = { 0 };
	struct task t = sh;

	tasks_add(&arena, &tasks, TASKS_COMM, false, 0, "sh");
	tasks_add(&arena, &tasks, TASKS_COMM, false, 0, "bash");
	tasks_add(&arena, &tasks, TASKS_UID, true, 0, NULL);
	tasks_add(&arena, &tasks, TASKS_PID, true, 99, NULL);
	tasks_add(&arena, &tasks, TASKS_PID, true, 98, NULL);
	tasks_add(&arena, &tasks, TASKS_CGROUP, false, 30, "a");	/* index 0 of the map */
	tasks_add(&arena, &tasks, TASKS_CGROUP, false, 31, "b");	/* 1 */
	tasks_add(&arena, &tasks, TASKS_CGROUP, true, 29, "c");	/* 2 */
	CHECK(tasks_nr_cgroups(&tasks) == 3, "three cgroups");
	CHECK(traced(&tasks, &t, NULL), "all hold");
	tasks_print(&tasks, &text);
	CHECK(!strcmp(buf_str(&text), "not pid 98, 99; comm sh, bash; not uid 0; cgroup a, b; not cgroup c"), "in words: %s", buf_str(&text));
	t.comm = "bash";
	CHECK(traced(&tasks, &t, NULL), "another value");
	t.uid = 0;
	CHECK(!traced(&tasks, &t, NULL), "an excluded user");
	t.uid = 1;
	t.tgid = 98;
	CHECK(!traced(&tasks, &t, NULL), "an excluded process");
	t.tgid = 97;
	t.cgroups = 6;
	CHECK(!traced(&tasks, &t, NULL), "an excluded cgroup");
	t.cgroups = 0;
	CHECK(!traced(&tasks, &t, NULL), "in no cgroup of them");
	t.cgroups = 1;
	t.comm = "dash";
	CHECK(!traced(&tasks, &t, NULL), "none of the names");
	buf_fini(&text);
	arena_fini(&arena);
}

/* Numbers of a namespace at level 1. */
static void test_nested(void)
{
	struct arena arena = { 0 };
	struct tasks tasks = { .pidns = 0xf0000001 }, none = { .pidns = 0xf0000001 };
	struct task t = sh;

	tasks_add(&arena, &tasks, TASKS_PID, false, 5, NULL);
	tasks_add(&arena, &none, TASKS_PID, true, 5, NULL);
	CHECK(traced(&tasks, &t, NULL) && !traced(&none, &t, NULL), "the number in the namespace");
	t.inner = 100;
	t.tgid = 5;
	CHECK(!traced(&tasks, &t, NULL) && traced(&none, &t, NULL), "not that of the initial one");
	t.inner = 5;
	t.level = 0;
	CHECK(!traced(&tasks, &t, NULL) && traced(&none, &t, NULL), "a task outside");
	t.level = 1;
	tasks.pidns = none.pidns = 0xf0000002;
	CHECK(!traced(&tasks, &t, NULL) && traced(&none, &t, NULL), "a task of another one");
	arena_fini(&arena);
}

/* Only COMMAND and its descendants: a byte for each pid, 64 of them in an entry. */
static void test_marks(void)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct tasks tasks = { 0 };
	struct code code = { .arena = &arena };
	struct gate_env env = { .tasks = &tasks, .task = &plain, .marks = true, .marks_fd = 9 };
	struct task t = sh;

	CHECK(!gate_is_needed(make_plan(&arena), &env, false), "marks alone are for the program");
	tasks_add(&arena, &tasks, TASKS_UID, false, 1000, NULL);
	CHECK(!gate_emit(make_plan(&arena), &env, false, &code, &diag), "a gate");
	for (uint32_t pid = 60; pid < 200; pid++) {
		uint32_t entry = 1;
		struct vm vm;

		t.pid = pid;
		make_task(&vm, &t);
		memcpy(vm.keys[vm.nr_keys++], &entry, sizeof(entry));
		vm.key_size = sizeof(entry);
		vm.map[100 - 64] = 1;
		vm_run(&vm, code.insns, code.nr);
		if (vm.error || vm.called != (pid == 100))
			CHECK(false, "pid %u: %s", pid, vm.error ? vm.error : "");
	}
	CHECK(true, "a marked task only");
	diag_fini(&diag);
	arena_fini(&arena);
}

/* bprobe's own processes skip the limits: the program is called, rejects them, and uses no token. */
static void test_self(void)
{
	static struct bp_selves selves;
	struct limit limit = { 0 };
	struct tasks tasks = { 0 };

	memset(&selves, 0xff, sizeof(selves));
	selves.rows[100][0].tgid = 100;
	selves.rows[7][1].tgid = BP_SELF_ROWS + 7;
	limit_set_rate(&limit, 1000, 1000000000);

	for (unsigned i = 0; i < 2; i++) {
		struct ktask old = plain;
		struct gate_env env = { .tasks = &tasks, .task = i ? &old : &plain, .leaves_out = true,
					.nr_cpus = 1, .rate_offset = sizeof(selves), .atomics = true };
		struct arena arena = { 0 };
		struct diag diag = { 0 };
		struct code code = { .arena = &arena };
		struct plan *plan;

		old.plain = false;
		tasks = (struct tasks){ 0 };
		tasks_add(&arena, &tasks, TASKS_UID, false, 1000, NULL);
		plan = make_plan(&arena);
		plan->limit = &limit;
		stage_settle(plan);
		CHECK(!gate_emit(plan, &env, false, &code, &diag), "a gate");
		for (uint32_t tgid = 0; tgid < 2 * BP_SELF_ROWS; tgid++) {
			bool self = tgid == 100 || tgid == BP_SELF_ROWS + 7, token;
			struct task t = sh;
			static struct vm vm;

			t.tgid = tgid;
			make_task(&vm, &t);
			memcpy(vm.map, &selves, sizeof(selves));
			vm_run(&vm, code.insns, code.nr);
			token = ((const struct bp_rate *)(const void *)(vm.map + sizeof(selves)))->next;
			if (vm.error || !vm.called || token == self)
				CHECK(false, "process %u: %s", tgid, vm.error ? vm.error : "");
		}
		CHECK(true, "all but two processes are limited");
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

static void test_lacking(void)
{
	struct ktask nothing;
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct tasks tasks = { 0 };

	ktask_find(NULL, &nothing);
	CHECK(tasks_is_all(&tasks) && tasks_is_all(NULL) && !tasks_check(&tasks, &nothing, &diag), "no condition asks nothing");
	tasks_add(&arena, &tasks, TASKS_PID, false, 7, NULL);
	tasks_add(&arena, &tasks, TASKS_COMM, false, 0, "sh");
	tasks_add(&arena, &tasks, TASKS_UID, false, 0, NULL);
	CHECK(!tasks_check(&tasks, &nothing, &diag), "pids, names and users need no BTF");
	tasks_add(&arena, &tasks, TASKS_MNTNS, false, 7, NULL);
	CHECK(tasks_check(&tasks, &nothing, &diag) == -EOPNOTSUPP, "namespaces do");
	diag_fini(&diag);
	arena_fini(&arena);
}

int main(void)
{
	test_one_kind();
	test_names();
	test_lists();
	test_long_list();
	test_combined();
	test_nested();
	test_marks();
	test_self();
	test_lacking();
	return tap_done();
}
