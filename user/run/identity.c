// SPDX-License-Identifier: GPL-2.0-only
/*
 * identity.c - how programs see this process.
 *
 * Inside a pid namespace only BPF can tell the numbers outside of it. The program is never
 * attached: the process runs it on itself.
 */
#include "run/identity.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "gen/code.h"
#include "kernel/btf/kbtf.h"
#include "kernel/ktask.h"

enum {
	PID_BITS = 22,			/* a pid is below 4 Mi (6.12, include/linux/threads.h), a level below 32 */
	WORD = -8,
};

#define INITIAL_PIDNS	0xeffffffcu	/* PROC_PID_INIT_INO (include/linux/proc_ns.h), since 3.8 */

/* Returns the level of the task's pid namespace in the bits above its process's number. */
static void emit_self(struct code *c, const struct ktask *task)
{
	code_call(c, BPF_FUNC_get_current_task);
	code_mov(c, BPF_REG_3, BPF_REG_0);
	code_follow(c, task->thread_pid, 8, WORD);
	code_follow(c, task->pid_level, 4, WORD);
	code_mov(c, BPF_REG_6, BPF_REG_3);
	code_call(c, BPF_FUNC_get_current_pid_tgid);
	code_alu_imm(c, BPF_RSH, BPF_REG_0, 32);
	code_alu_imm(c, BPF_LSH, BPF_REG_6, PID_BITS);
	code_alu(c, BPF_OR, BPF_REG_0, BPF_REG_6);
	code_exit(c);
}

/* Returns the number of the last entry in the task's list of children. children.prev is the sibling member of that entry. */
static void emit_child(struct code *c, const struct ktask *task)
{
	code_call(c, BPF_FUNC_get_current_task);
	code_mov(c, BPF_REG_3, BPF_REG_0);
	code_follow(c, task->children + (int)sizeof(uint64_t), 8, WORD);
	code_follow(c, task->tgid - task->sibling, 4, WORD);
	code_mov(c, BPF_REG_0, BPF_REG_3);
	code_exit(c);
}

static int run(const struct code *c, uint32_t *ret, struct diag *diag)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	auto_fd fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bp_identity", "GPL", c->insns, c->nr, NULL);

	if (fd < 0 || bpf_prog_test_run_opts(fd, &opts))
		return diag_set(diag, -errno, "cannot find out which process this is outside of its pid namespace: %s",
				strerror(errno));
	*ret = opts.retval;
	return 0;
}

static int unknown(struct diag *diag)
{
	return diag_set(diag, -EOPNOTSUPP, "this kernel's BTF does not tell how a task's numbers are kept, which is "
			"needed in a pid namespace");
}

/* 0: not known. */
static uint32_t own_inode(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint32_t)st.st_ino;
}

uint32_t identity_pidns(void)
{
	uint32_t inode = own_inode();

	return inode == INITIAL_PIDNS ? 0 : inode;
}

int identity_find(const struct ktask *task, struct identity *ret, struct diag *diag)
{
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	uint32_t found;
	int err;

	if (own_inode() == INITIAL_PIDNS) {
		*ret = (struct identity){ .tgid = (uint32_t)getpid() };
		return 0;
	}
	if (task->thread_pid < 0 || task->pid_level < 0)
		return unknown(diag);
	emit_self(&code, task);
	err = run(&code, &found, diag);
	arena_fini(&arena);
	if (!err)
		*ret = (struct identity){ .tgid = found & ((1u << PID_BITS) - 1), .level = found >> PID_BITS };
	return err;
}

int identity_find_self(struct identity *ret, struct diag *diag)
{
	struct kbtf *btf = identity_pidns() ? kbtf_open(NULL) : NULL;
	struct ktask task;
	int err;

	ktask_find(btf, &task);
	err = identity_find(&task, ret, diag);
	kbtf_close(btf);
	return err;
}

int identity_of_child(const struct ktask *task, const struct identity *self, pid_t child, uint32_t *ret,
		      struct diag *diag)
{
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	int err;

	if (!self->level) {
		*ret = (uint32_t)child;
		return 0;
	}
	if (task->children < 0 || task->sibling < 0 || task->tgid < 0)
		return unknown(diag);
	emit_child(&code, task);
	err = run(&code, ret, diag);
	arena_fini(&arena);
	return err;
}
