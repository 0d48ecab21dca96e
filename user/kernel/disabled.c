// SPDX-License-Identifier: GPL-2.0-only
/*
 * disabled.c - kernel features that an administrator has switched off, so that probes are silent or cannot be used.
 */
#include "kernel/disabled.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"

static bool is_zero(const char *path)
{
	auto_file f = fopen(path, "re");

	return f && getc(f) == '0';
}

bool disabled_ftrace(void)
{
	return is_zero("/proc/sys/kernel/ftrace_enabled");
}

bool disabled_jit(void)
{
	return is_zero("/proc/sys/net/core/bpf_jit_enable");
}

/* ---- lockdown ---- */

/*
 * Loads a program for kprobes: one that reads the kernel's memory, or one that does nothing. 0: it can be loaded; else
 * -errno.
 */
static int load(bool reads)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_insn *from = reads ? insns : insns + 5;
	auto_fd fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "bp_lockdown", "GPL", from, (size_t)(insns + ARRAY_SIZE(insns) - from),
				   NULL);

	return fd < 0 ? -errno : 0;
}

/*
 * Under lockdown, the kernel hides the helper from programs (6.12, kernel/trace/bpf_trace.c, bpf_tracing_func_proto()).
 * Loading then fails with -EINVAL.
 */
bool disabled_by_lockdown(void)
{
	auto_file f = fopen("/sys/kernel/security/lockdown", "re");
	char text[100] = "";

	if (f && fgets(text, sizeof(text), f))
		return strstr(text, "[confidentiality]");
	return load(true) == -EINVAL && !load(false);
}

int disabled_explain_lockdown(struct diag *diag)
{
	diag_set(diag, -EPERM, "the kernel is locked down (confidentiality), " DISABLED_LOCKDOWN_FORBIDS);
	diag_note(diag, "help: " DISABLED_LOCKDOWN_HELP);
	return -EPERM;
}

void disabled_note_lockdown(struct diag *diag)
{
	diag_note(diag, "help: the kernel is locked down (confidentiality), " DISABLED_LOCKDOWN_FORBIDS ": "
		  DISABLED_LOCKDOWN_HELP);
}
