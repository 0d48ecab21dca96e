// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks.c - which tasks are traced, as BPF that tests the task at each hit.
 *
 * Registers while a condition is tested:
 *
 *	r0  the task, if its members are plain loads and no helper was called since
 *	r1  the number that is compared
 *	r3  a pointer that is being followed
 */
#include "gen/tasks.h"

#include <errno.h>
#include <string.h>

#include "gen/gate.h"
#include "kernel/ktask.h"

enum {
	LEAF = 3,				/* up to this many numbers are compared one after the other */
	WORD = -8, PID = -16, UPID = -TASKS_STACK,	/* on the stack; a task's name uses WORD and PID */
};

/* ---- the conditions ---- */

/* The index at which @number belongs in the numbers of @c, which are ascending. */
static unsigned place_of(const struct tasks_condition *c, uint32_t number)
{
	unsigned low = 0, high = c->nr;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (c->numbers[mid] < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void tasks_add(struct arena *arena, struct tasks *tasks, enum tasks_kind kind, bool inverted, uint32_t number, const char *name)
{
	struct tasks_condition *c = &tasks->conditions[kind][inverted];
	unsigned at = kind == TASKS_COMM ? c->nr : place_of(c, number);

	if (kind != TASKS_COMM && at < c->nr && c->numbers[at] == number)
		return;
	c->numbers = arena_grow(arena, c->numbers, c->nr, &c->size_numbers);
	c->names = arena_grow(arena, c->names, c->nr, &c->size_names);
	memmove(c->numbers + at + 1, c->numbers + at, (c->nr - at) * sizeof(*c->numbers));
	memmove(c->names + at + 1, c->names + at, (c->nr - at) * sizeof(*c->names));
	c->numbers[at] = number;
	c->names[at] = name;
	c->nr++;
}

bool tasks_is_all(const struct tasks *tasks)
{
	for (unsigned kind = 0; tasks && kind < TASKS_KINDS; kind++) {
		if (tasks->conditions[kind][0].nr || tasks->conditions[kind][1].nr)
			return false;
	}
	return true;
}

bool tasks_lists_pids(const struct tasks *tasks)
{
	return tasks->conditions[TASKS_PID][0].nr || tasks->conditions[TASKS_TID][0].nr;
}

static bool has(const struct tasks *tasks, enum tasks_kind kind)
{
	return tasks->conditions[kind][0].nr || tasks->conditions[kind][1].nr;
}

static bool lists_number(const struct tasks_condition *c, uint32_t number)
{
	unsigned at = place_of(c, number);

	return at < c->nr && c->numbers[at] == number;
}

static bool lists_name(const struct tasks_condition *c, const char *comm)
{
	for (unsigned i = 0; i < c->nr; i++) {
		if (!strncmp(c->names[i], comm, TASKS_COMM_SIZE))
			return true;
	}
	return false;
}

bool tasks_take(const struct tasks *tasks, uint32_t tgid, uint32_t tid, const char comm[TASKS_COMM_SIZE])
{
	for (unsigned inverted = 0; inverted < 2; inverted++) {
		const struct tasks_condition *pid = &tasks->conditions[TASKS_PID][inverted];
		const struct tasks_condition *thread = &tasks->conditions[TASKS_TID][inverted];
		const struct tasks_condition *name = &tasks->conditions[TASKS_COMM][inverted];

		if ((pid->nr && lists_number(pid, tgid) == inverted) || (thread->nr && lists_number(thread, tid) == inverted) ||
		    (name->nr && lists_name(name, comm) == inverted))
			return false;
	}
	return true;
}

bool tasks_is_nested(const struct tasks *tasks)
{
	return tasks->pidns && (has(tasks, TASKS_PID) || has(tasks, TASKS_TID));
}

unsigned tasks_nr_cgroups(const struct tasks *tasks)
{
	return tasks->conditions[TASKS_CGROUP][0].nr + tasks->conditions[TASKS_CGROUP][1].nr;
}

int tasks_check(const struct tasks *tasks, const struct ktask *task, struct diag *diag)
{
	bool knows_pids = task->thread_pid >= 0 && task->group_leader >= 0 && task->pid_level >= 0 &&
			  task->pid_numbers >= 0 && task->pidns_inum >= 0;

	if ((has(tasks, TASKS_PIDNS) || tasks_is_nested(tasks)) && !knows_pids)
		return diag_set(diag, -EOPNOTSUPP, "this kernel's BTF does not tell which pid namespace a task is in");
	if (has(tasks, TASKS_MNTNS) && (task->nsproxy < 0 || task->nsproxy_mnt < 0 || task->mnt_inum < 0))
		return diag_set(diag, -EOPNOTSUPP, "this kernel's BTF does not tell which mount namespace a task is in");
	return 0;
}

/* ---- jumps ---- */

/* The test of one condition: a list of jumps for each outcome, taken when the outcome is known. */
struct test {
	struct gate *gate;
	bool pass;			/* the outcome with which the hit continues */
	struct gate_jump *passed;
};

/* The jump @jump is taken if the outcome is @outcome. */
static void decide(struct test *t, bool outcome, unsigned jump)
{
	struct gate_jump *j;

	if (outcome != t->pass) {
		gate_leave(t->gate, GATE_OUT, jump);
		return;
	}
	j = arena_new(t->gate->code->arena, struct gate_jump);
	*j = (struct gate_jump){ .next = t->passed, .jump = jump };
	t->passed = j;
}

static void test_end(struct test *t)
{
	for (const struct gate_jump *j = t->passed; j; j = j->next)
		code_land(t->gate->code, j->jump);
}

/*
 * Tests whether r1 is one of the ascending @numbers. If no jump decides this, the code falls
 * through, and the outcome is @fall.
 */
static void emit_numbers(struct test *t, const uint32_t *numbers, unsigned nr, bool fall)
{
	struct code *c = t->gate->code;
	unsigned right;

	if (nr <= LEAF) {
		for (unsigned i = 0; i + 1 < nr; i++)
			decide(t, true, code_jump_imm32(c, BPF_JEQ, BPF_REG_1, (int32_t)numbers[i]));
		decide(t, !fall, code_jump_imm32(c, fall ? BPF_JNE : BPF_JEQ, BPF_REG_1, (int32_t)numbers[nr - 1]));
		return;
	}
	right = code_jump_imm32(c, BPF_JGT, BPF_REG_1, (int32_t)numbers[nr / 2 - 1]);
	emit_numbers(t, numbers, nr / 2, false);
	decide(t, false, code_jump(c));
	code_land(c, right);
	emit_numbers(t, numbers + nr / 2, nr - nr / 2, fall);
}

/* ---- facts of a task ---- */

/* r1 = the task's number in the initial pid namespace. */
static void emit_pid(struct gate *g, bool process)
{
	const struct ktask *task = g->env->task;
	struct code *c = g->code;

	if (task->plain && (process ? task->tgid : task->pid) >= 0) {
		code_load(c, 4, BPF_REG_1, BPF_REG_0, (int16_t)(process ? task->tgid : task->pid));
		return;
	}
	code_call(c, BPF_FUNC_get_current_pid_tgid);
	code_mov(c, BPF_REG_1, BPF_REG_0);
	if (process)
		code_alu_imm(c, BPF_RSH, BPF_REG_1, 32);
}

/* Stores the address of the task's (or its process's) struct pid in PID on the stack. r3 = its level. */
static void emit_struct_pid(struct gate *g, bool process)
{
	const struct ktask *task = g->env->task;
	struct code *c = g->code;

	code_call(c, BPF_FUNC_get_current_task);
	code_mov(c, BPF_REG_3, BPF_REG_0);
	if (process)
		code_follow(c, task->group_leader, 8, WORD);
	code_follow(c, task->thread_pid, 8, WORD);
	code_store(c, 8, BPF_REG_10, PID, BPF_REG_3);
	code_follow(c, task->pid_level, 4, WORD);
}

/* r1 = the task's number in the pid namespace of g->env->tasks. For tasks outside of it the outcome is false. */
static void emit_nested_pid(struct test *t, bool process)
{
	const struct gate_env *env = t->gate->env;
	struct code *c = t->gate->code;

	emit_struct_pid(t->gate, process);
	decide(t, false, code_jump_imm32(c, BPF_JLT, BPF_REG_3, (int32_t)env->pid_level));
	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, UPID);
	code_mov_imm(c, BPF_REG_2, KTASK_UPID);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, PID);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, env->task->pid_numbers + (int)(env->pid_level * KTASK_UPID));
	code_call(c, BPF_FUNC_probe_read_kernel);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, UPID + KTASK_UPID_NS);
	code_follow(c, env->task->pidns_inum, 4, WORD);
	decide(t, false, code_jump_imm32(c, BPF_JNE, BPF_REG_3, (int32_t)env->tasks->pidns));
	code_load(c, 4, BPF_REG_1, BPF_REG_10, UPID);
}

/* r1 = the inode of the task's innermost pid namespace. */
static void emit_pidns(struct gate *g)
{
	struct code *c = g->code;

	emit_struct_pid(g, false);
	code_alu_imm(c, BPF_MUL, BPF_REG_3, KTASK_UPID);
	code_load(c, 8, BPF_REG_1, BPF_REG_10, PID);
	code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_1);
	code_follow(c, g->env->task->pid_numbers + KTASK_UPID_NS, 8, WORD);
	code_follow(c, g->env->task->pidns_inum, 4, WORD);
	code_mov(c, BPF_REG_1, BPF_REG_3);
}

static void emit_mntns(struct gate *g)
{
	const struct ktask *task = g->env->task;
	struct code *c = g->code;

	/* Loads through a NULL pointer give 0, as with the helper. */
	if (task->plain) {
		code_load(c, 8, BPF_REG_1, BPF_REG_0, (int16_t)task->nsproxy);
		code_load(c, 8, BPF_REG_1, BPF_REG_1, (int16_t)task->nsproxy_mnt);
		code_load(c, 4, BPF_REG_1, BPF_REG_1, (int16_t)task->mnt_inum);
		return;
	}
	code_call(c, BPF_FUNC_get_current_task);
	code_mov(c, BPF_REG_3, BPF_REG_0);
	code_follow(c, task->nsproxy, 8, WORD);
	code_follow(c, task->nsproxy_mnt, 8, WORD);
	code_follow(c, task->mnt_inum, 4, WORD);
	code_mov(c, BPF_REG_1, BPF_REG_3);
}

/* r1 = the real user's number in the initial user namespace. */
static void emit_uid(struct gate *g)
{
	const struct ktask *task = g->env->task;
	struct code *c = g->code;

	if (task->plain && task->cred >= 0 && task->cred_uid >= 0) {
		code_load(c, 8, BPF_REG_1, BPF_REG_0, (int16_t)task->cred);
		code_load(c, 4, BPF_REG_1, BPF_REG_1, (int16_t)task->cred_uid);
		return;
	}
	code_call(c, BPF_FUNC_get_current_uid_gid);
	code_mov(c, BPF_REG_1, BPF_REG_0);
}

/* ---- names ---- */

/* Up to 8 bytes of a name with its NUL, from @at on. *ret_nr is the number of bytes. */
static uint64_t name_word(const char *name, unsigned at, unsigned *ret_nr)
{
	size_t size = strnlen(name, TASKS_COMM_SIZE - 1) + 1;
	char text[TASKS_COMM_SIZE] = "";
	uint64_t word = 0;

	memcpy(text, name, size - 1);
	*ret_nr = (unsigned)(size > at + 8 ? 8 : size - at);
	memcpy(&word, text + at, *ret_nr);
	return word;
}

/* r1 = the word at @at of the task's name, without the bytes behind the NUL (5.10 leaves old bytes there). */
static void emit_name_word(struct gate *g, unsigned at, unsigned nr)
{
	const struct ktask *task = g->env->task;
	struct code *c = g->code;

	if (task->plain && task->comm >= 0)
		code_load(c, 8, BPF_REG_1, BPF_REG_0, (int16_t)(task->comm + (int)at));
	else
		code_load(c, 8, BPF_REG_1, BPF_REG_10, (int16_t)(PID + (int)at));
	if (nr < 8)
		code_alu_imm(c, BPF_LSH, BPF_REG_1, (int32_t)(64 - 8 * nr));
}

static unsigned emit_name_compare(struct gate *g, const char *name, unsigned at, unsigned op)
{
	unsigned nr;
	uint64_t word = name_word(name, at, &nr);

	emit_name_word(g, at, nr);
	code_const(g->code, BPF_REG_2, word << (64 - 8 * nr));
	return code_jump_reg(g->code, op, BPF_REG_1, BPF_REG_2);
}

static void emit_comm(struct test *t, const struct tasks_condition *cond)
{
	struct code *c = t->gate->code;

	if (!t->gate->env->task->plain || t->gate->env->task->comm < 0) {
		code_mov(c, BPF_REG_1, BPF_REG_10);
		code_alu_imm(c, BPF_ADD, BPF_REG_1, PID);
		code_mov_imm(c, BPF_REG_2, TASKS_COMM_SIZE);
		code_call(c, BPF_FUNC_get_current_comm);
	}
	for (unsigned i = 0; i < cond->nr; i++) {
		bool is_long = strlen(cond->names[i]) >= 8;
		unsigned differs = 0;

		if (is_long)
			differs = emit_name_compare(t->gate, cond->names[i], 0, BPF_JNE);
		decide(t, true, emit_name_compare(t->gate, cond->names[i], is_long ? 8 : 0, BPF_JEQ));
		if (is_long)
			code_land(c, differs);
	}
	if (t->pass)
		decide(t, false, code_jump(c));
}

static void emit_cgroups(struct test *t, const struct tasks_condition *cond)
{
	const struct gate_env *env = t->gate->env;
	unsigned first = t->pass ? 0 : env->tasks->conditions[TASKS_CGROUP][0].nr;
	struct code *c = t->gate->code;

	for (unsigned i = 0; i < cond->nr; i++) {
		code_map(c, BPF_REG_1, env->cgroups_fd);
		code_mov_imm(c, BPF_REG_2, (int32_t)(first + i));
		code_call(c, BPF_FUNC_current_task_under_cgroup);
		decide(t, true, code_jump_imm(c, BPF_JEQ, BPF_REG_0, 1));
	}
	if (t->pass)
		decide(t, false, code_jump(c));
}

/* ---- the complete code ---- */

/* Does the condition use r0 as the task? Otherwise it calls a helper of its own. */
static bool uses_task(const struct gate_env *env, enum tasks_kind kind)
{
	const struct ktask *t = env->task;

	if (!t->plain)
		return false;
	switch (kind) {
	case TASKS_PID:
		return t->tgid >= 0 && !env->tasks->pidns;
	case TASKS_TID:
		return t->pid >= 0 && !env->tasks->pidns;
	case TASKS_COMM:
		return t->comm >= 0;
	case TASKS_UID:
		return t->cred >= 0 && t->cred_uid >= 0;
	case TASKS_MNTNS:
		return true;
	default:
		return false;
	}
}

static void emit_number(struct test *t, enum tasks_kind kind)
{
	switch (kind) {
	case TASKS_PID:
	case TASKS_TID:
		if (t->gate->env->tasks->pidns)
			emit_nested_pid(t, kind == TASKS_PID);
		else
			emit_pid(t->gate, kind == TASKS_PID);
		break;
	case TASKS_UID:
		emit_uid(t->gate);
		break;
	case TASKS_MNTNS:
		emit_mntns(t->gate);
		break;
	default:
		emit_pidns(t->gate);
		break;
	}
}

void tasks_emit(struct gate *g)
{
	bool has_task = false;

	for (unsigned i = 0; i < 2 * TASKS_KINDS; i++) {
		enum tasks_kind kind = (enum tasks_kind)(i / 2);
		const struct tasks_condition *cond = &g->env->tasks->conditions[kind][i % 2];
		struct test t = { .gate = g, .pass = i % 2 == 0 };

		if (!cond->nr)
			continue;
		if (uses_task(g->env, kind) && !has_task)
			code_call(g->code, BPF_FUNC_get_current_task_btf);
		has_task = uses_task(g->env, kind);
		if (kind == TASKS_COMM) {
			emit_comm(&t, cond);
		} else if (kind == TASKS_CGROUP) {
			emit_cgroups(&t, cond);
		} else {
			emit_number(&t, kind);
			emit_numbers(&t, cond->numbers, cond->nr, t.pass);
		}
		test_end(&t);
	}
}

/* ---- in words ---- */

void tasks_print(const struct tasks *tasks, struct buf *out)
{
	static const char *const names[TASKS_KINDS] = { "pid", "tid", "comm", "uid", "mntns", "pidns", "cgroup" };
	const char *between = "";

	for (unsigned i = 0; i < 2 * TASKS_KINDS; i++) {
		const struct tasks_condition *c = &tasks->conditions[i / 2][i % 2];

		if (!c->nr)
			continue;
		buf_addf(out, "%s%s%s ", between, i % 2 ? "not " : "", names[i / 2]);
		for (unsigned k = 0; k < c->nr; k++) {
			buf_adds(out, k ? ", " : "");
			if (c->names[k])
				buf_adds(out, c->names[k]);
			else
				buf_dec(out, c->numbers[k]);
		}
		between = "; ";
	}
}
