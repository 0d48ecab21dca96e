// SPDX-License-Identifier: GPL-2.0-only
/*
 * features.c - what the running kernel can do: a table with a row for each feature.
 */
#include "kernel/features.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "arch/kernel.h"
#include "base/buf.h"
#include "base/macros.h"
#include "kernel/btf/kbtf.h"
#include "kernel/disabled.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms.h"

enum answer { NOT_ASKED, YES, NO, YES_BY_RELEASE, NO_BY_RELEASE, UNKNOWN };

/* ---- asking ---- */

static enum answer yes_if(bool yes)
{
	return yes ? YES : NO;
}

static bool has_member(const struct features *f, const char *type, const char *member)
{
	struct kbtf_member m;
	struct kbtf_id id;

	return f->btf && !kbtf_find_struct(f->btf, type, &id) && !kbtf_find_member(id, member, &m);
}

static bool has_symbol(const struct features *f, const char *name)
{
	const struct ksym *const *syms;

	return f->ks && ksyms_find(f->ks, name, "vmlinux", &syms);
}

static enum answer ask_btf(const struct features *f)
{
	struct kbtf_id id;

	return yes_if(f->btf && !kbtf_find_struct(f->btf, "task_struct", &id));
}

/* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */
static enum answer ask_direct_calls(const struct features *f)
{
	return f->ks ? yes_if(has_symbol(f, "register_ftrace_direct")) : UNKNOWN;
}

/* The guard came with the member (6.12, kernel/bpf/trampoline.c, __bpf_prog_enter_recur()). */
static enum answer ask_guard(const struct features *f)
{
	return yes_if(has_member(f, "bpf_prog", "active"));
}

static enum answer ask_func_arg(const struct features *f)
{
	return yes_if(f->btf && kbtf_has_enumerator(f->btf, "bpf_func_id", "BPF_FUNC_get_func_ret"));
}

static enum answer ask_tai(const struct features *f)
{
	return yes_if(f->btf && kbtf_has_enumerator(f->btf, "bpf_func_id", "BPF_FUNC_ktime_get_tai_ns"));
}

/* The link type is known to each kernel that has it; CONFIG_FPROBE must be set, too. */
static enum answer ask_multi(const struct features *f)
{
	if (f->ks && !has_symbol(f, "register_fprobe_ips"))
		return NO;
	if (!f->ks || ask_btf(f) == NO)
		return UNKNOWN;
	return yes_if(kbtf_has_enumerator(f->btf, "bpf_attach_type", "BPF_TRACE_KPROBE_MULTI"));
}

/* Until 6.13 an fprobe is a user of ftrace and has a rethook; since 6.14 it is one of fgraph (kernel/trace/fprobe.c). */
static enum answer ask_multi_whole(const struct features *f)
{
	struct kbtf_id fprobe;

	if (!f->btf || kbtf_find_struct(f->btf, "fprobe", &fprobe))
		return UNKNOWN;
	return yes_if(has_member(f, "fprobe", "rethook"));
}

/*
 * The attach type, and the two functions that its programs call. Without the JIT, the kernel refuses such calls. As long as an fprobe
 * has a rethook, a return runs although its entry was missed, with the word that an earlier call has left (6.12,
 * kprobe_multi_link_prog_run()).
 */
static enum answer ask_session(const struct features *f)
{
	struct kbtf_func func;

	if (ask_multi(f) != YES || ask_multi_whole(f) != NO || disabled_jit())
		return NO;
	return yes_if(kbtf_has_enumerator(f->btf, "bpf_attach_type", "BPF_TRACE_KPROBE_SESSION") &&
		      !kbtf_find_func(f->btf, "bpf_session_is_return", "vmlinux", &func) &&
		      !kbtf_find_func(f->btf, "bpf_session_cookie", "vmlinux", &func));
}

/* The offset in bytes of the member that a path of names leads to, in the kernel's type @type; -1: there is none. */
static int offset_of(const struct features *f, const char *type, const char *const *path)
{
	struct kbtf_member m;
	struct kbtf_id id;
	unsigned bits = 0;

	if (kbtf_find_type(f->btf, type, &id))
		return -1;
	for (; *path; path++) {
		if (kbtf_find_member(id, *path, &m))
			return -1;
		bits += m.bit_off;
		id = m.type;
	}
	return (int)(bits / 8);
}

/* The attach types, and the form of the request for a link. */
static enum answer ask_trampolines(const struct features *f)
{
	static const char *const members[] = { "ids", "cookies", "cnt" };
	static const int offsets[] = { FEATURE_TRAMPOLINES_IDS, FEATURE_TRAMPOLINES_COOKIES, FEATURE_TRAMPOLINES_CNT };

	if (ask_btf(f) == NO || (f->ks && !has_symbol(f, "register_ftrace_direct")) ||
	    !kbtf_has_enumerator(f->btf, "bpf_attach_type", "BPF_TRACE_FENTRY_MULTI") ||
	    !kbtf_has_enumerator(f->btf, "bpf_attach_type", "BPF_TRACE_FEXIT_MULTI"))
		return NO;
	for (unsigned i = 0; i < ARRAY_SIZE(members); i++) {
		const char *const path[] = { "link_create", "tracing_multi", members[i], NULL };

		if (offset_of(f, "bpf_attr", path) != offsets[i])
			return NO;
	}
	return YES;
}

/* The attach type, and the form of the request for a link. */
static enum answer ask_uprobe_multi(const struct features *f)
{
	static const char *const members[] = { "path", "cnt", "pid" };
	static const int offsets[] = { FEATURE_UPROBE_AT_PATH, FEATURE_UPROBE_AT_CNT, FEATURE_UPROBE_AT_PID };

	if (ask_btf(f) == NO || (f->ks && !has_symbol(f, "bpf_uprobe_multi_link_attach")) ||
	    !kbtf_has_enumerator(f->btf, "bpf_attach_type", "BPF_TRACE_UPROBE_MULTI"))
		return NO;
	for (unsigned i = 0; i < ARRAY_SIZE(members); i++) {
		const char *const path[] = { "link_create", "uprobe_multi", members[i], NULL };

		if (offset_of(f, "bpf_attr", path) != offsets[i])
			return NO;
	}
	return YES;
}

/*
 * Closes @fd, what bpf_prog_load() returned. Nothing is known without the right to load, without memory or a free descriptor, or if signals
 * stopped the verifier each time (EAGAIN: 6.12, kernel/bpf/verifier.c, do_check()).
 */
static enum answer answer_of_load(int fd)
{
	static const int unknown[] = { -EPERM, -EACCES, -EAGAIN, -ENOMEM, -EMFILE, -ENFILE };

	for (unsigned i = 0; i < ARRAY_SIZE(unknown); i++) {
		if (fd == unknown[i])
			return UNKNOWN;
	}
	if (fd >= 0)
		close(fd);
	return yes_if(fd >= 0);
}

/* The smallest program that may sleep. */
static enum answer ask_uprobe_sleeps(const struct features *f)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	int fd = f->may_load ? bpf_prog_load(BPF_PROG_TYPE_KPROBE, "bp_sleeps", "GPL", insns, ARRAY_SIZE(insns), &opts) : -EPERM;

	return answer_of_load(fd);
}

/*
 * The smallest such program, for a function that each kernel has. A kernel that takes it also runs it where it may wait: trampolines have an
 * entry of their own for it (5.10, kernel/bpf/trampoline.c, __bpf_prog_enter_sleepable()). BTF cannot tell: what changed in 7.1 is inside a
 * function (kernel/bpf/verifier.c, check_attach_sleepable()).
 */
static enum answer ask_syscall_sleeps(const struct features *f)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE, .expected_attach_type = BPF_TRACE_FENTRY);
	struct kbtf_func func;
	int fd;

	if (!f->btf || kbtf_find_func(f->btf, SYSCALL_WRAPPER "close", "vmlinux", &func))
		return NO;
	opts.attach_btf_id = func.self.id;
	fd = f->may_load ? bpf_prog_load(BPF_PROG_TYPE_TRACING, "bp_sleeps", "GPL", insns, ARRAY_SIZE(insns), &opts) : -EPERM;
	return answer_of_load(fd);
}

/*
 * The function that runs programs of these events where they may wait (7.2, kernel/trace/bpf_trace.c). A trial would deceive: 7.1 loads and
 * attaches programs that may sleep to any event, and runs them where nothing may wait.
 */
static enum answer ask_event_sleeps(const struct features *f)
{
	struct kbtf_func func;

	return yes_if(f->btf && !kbtf_find_func(f->btf, "trace_call_bpf_faultable", "vmlinux", &func));
}

/* The iterator that a program can make (6.7, kernel/bpf/task_iter.c), and what it says of a mapping. */
static enum answer ask_mappings(const struct features *f)
{
	struct feature_ids ids;

	features_find_ids(f, &ids);
	return yes_if(ids.vma_new && ids.vma_next && ids.vma_destroy);
}

/* Where the kernel has no such function, it puts no call in a program. Else a child tries a probe on itself. */
static enum answer ask_uprobe_damages(const struct features *f)
{
	enum feature_trial trial;

	if (f->ks && !has_symbol(f, "arch_uprobe_optimize"))
		return NO;
	trial = f->try_uprobe ? f->try_uprobe() : TRIAL_UNKNOWN;
	return trial == TRIAL_UNKNOWN ? UNKNOWN : yes_if(trial == TRIAL_YES);
}

/* The address of that memory. Only compiled programs have it. */
static enum answer ask_private_stacks(const struct features *f)
{
	struct kbtf_id id;

	if (!f->btf || kbtf_find_struct(f->btf, "bpf_prog_aux", &id))
		return UNKNOWN;
	return yes_if(has_member(f, "bpf_prog_aux", "priv_stack_ptr") && !disabled_jit());
}

/* The smallest program with a compare and exchange. Any type of program will do. */
static enum answer ask_atomics(const struct features *f)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_1, .off = -8,
		  .imm = BPF_CMPXCHG },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = f->may_load ? bpf_prog_load(BPF_PROG_TYPE_KPROBE, "bp_atomics", "GPL", insns, ARRAY_SIZE(insns), NULL) : -EPERM;

	return answer_of_load(fd);
}

/* The member is the allocator of BPF, which works where tracing programs run (6.12, kernel/bpf/hashtab.c, htab_map_alloc()). */
static enum answer ask_hash_grows(const struct features *f)
{
	struct kbtf_id id;

	if (!f->btf || kbtf_find_struct(f->btf, "bpf_htab", &id))
		return UNKNOWN;
	return yes_if(has_member(f, "bpf_htab", "ma"));
}

/*
 * 5.11 took the table of kretprobe's instances away, and 5.16 brought a function that finds the return address; with rethook (5.18) it has
 * another name (kernel/kprobes.c, kernel/trace/rethook.c). Between the two, nothing finds the return address.
 */
static enum answer ask_hides_caller(const struct features *f)
{
	/* Where the addresses are hidden, the names are not. */
	if (!has_symbol(f, "kretprobe_trampoline") && !has_symbol(f, "__kretprobe_trampoline") &&
	    !has_symbol(f, "arch_rethook_trampoline"))
		return UNKNOWN;
	return yes_if(!has_symbol(f, "kretprobe_inst_table") && !has_symbol(f, "kretprobe_find_ret_addr") &&
		      !has_symbol(f, "rethook_find_ret_addr"));
}

/* The unwinder asks these functions for the address that a trampoline replaces. */
static enum answer ask_unwinds_returns(const struct features *f)
{
	if (ask_hides_caller(f) == UNKNOWN)
		return UNKNOWN;
	return yes_if(has_symbol(f, "kretprobe_find_ret_addr") || has_symbol(f, "rethook_find_ret_addr"));
}

/* ---- the table ---- */

/*
 * For FENTRY to MULTI_WHOLE and ATOMICS, a wrong "no" costs only speed, and a wrong "yes" means that the kernel refuses a program.
 * HIDES_CALLER, KPROBE_MIGRATES, MULTI_FTRACE and the TIF_ rows decide what is printed. The rows without @ask that feature_by_release()
 * is for: a trace.dat and kept events carry the version of the kernel that they come from, and no more.
 */
static const struct row {
	const char *what;
	/* NULL: it cannot be asked. UNKNOWN: not here. */
	enum answer (*ask)(const struct features *f);
	unsigned from, until;		/* the versions of Linux that have it; until 0: all later ones */
	const char *why;		/* why the version decides where @ask has no answer */
} rows[FEATURES] = {
	[FEATURE_BTF] = { "BTF", ask_btf, RELEASE(5, 2), 0, NULL },
	/* scripts/pahole-flags.sh, --skip_encoding_btf_inconsistent_proto, for pahole 1.25 and newer */
	[FEATURE_BTF_CONSISTENT] = { "BTF without functions that share a name, but not the prototype", NULL, RELEASE(6, 3), 0,
				     "BTF does not say what it leaves out" },
	[FEATURE_DIRECT_CALLS] = { "direct calls from ftrace", ask_direct_calls, SINCE_DIRECT_CALLS, 0, "there are no symbols" },
	[FEATURE_GUARD] = { "trampolines with a guard against recursion", ask_guard, RELEASE(5, 12), 0, NULL },
	[FEATURE_WHOLE_ARGS] = { "whole registers in trampolines", NULL, RELEASE(6, 6), 0,
				 "no type and no symbol shows the code that makes trampolines" },
	[FEATURE_FUNC_ARG] = { "bpf_get_func_ret()", ask_func_arg, RELEASE(5, 17), 0, NULL },
	[FEATURE_MULTI] = { "kprobe.multi", ask_multi, SINCE_MULTI, 0, "there is no BTF, or no symbols" },
	[FEATURE_MULTI_WHOLE] = { "kprobe.multi with all registers", ask_multi_whole, SINCE_MULTI, RELEASE(6, 14),
				  "BTF does not have struct fprobe" },
	[FEATURE_MULTI_FTRACE] = { "entries of kprobe.multi by two guards of ftrace", NULL, RELEASE(6, 19), 0,
				   "records carry only the version" },
	[FEATURE_SESSION] = { "kprobe.session without entries that are missed alone", ask_session, RELEASE(6, 14), 0, NULL },
	[FEATURE_TRAMPOLINES] = { "links to the trampolines of many functions", ask_trampolines, RELEASE(7, 2), 0, NULL },
	[FEATURE_UPROBE_MULTI] = { "uprobe.multi", ask_uprobe_multi, RELEASE(6, 6), 0, NULL },
	[FEATURE_UPROBE_PID] = { "uprobe.multi for all threads of a process", NULL, RELEASE(6, 10), 0,
				 "no type and no symbol shows whom its pid means" },
	[FEATURE_UPROBE_SLEEPS] = { "user probes whose programs may sleep", ask_uprobe_sleeps, RELEASE(6, 0), 0,
				    "no program could be loaded to ask" },
	[FEATURE_SYSCALL_SLEEPS] = { "trampolines of system calls whose programs may sleep", ask_syscall_sleeps, RELEASE(7, 1), 0,
				     "no program could be loaded to ask" },
	[FEATURE_EVENT_SLEEPS] = { "events of system calls whose programs may sleep", ask_event_sleeps, RELEASE(7, 2), 0, NULL },
	[FEATURE_MAPPINGS] = { "mappings of tasks shown to programs", ask_mappings, RELEASE(6, 7), 0, NULL },
	[FEATURE_UPROBE_DAMAGES] = { "user probes on a nop that damage a function's data below its stack pointer", ask_uprobe_damages,
				     SINCE_UPROBE_DAMAGES, UNTIL_UPROBE_DAMAGES, "only a probe shows it, and there is none here" },
	[FEATURE_PRIVATE_STACKS] = { "stacks of programs in memory of the CPU", ask_private_stacks, RELEASE(6, 13), 0,
				     "BTF does not have struct bpf_prog_aux" },
	[FEATURE_ATOMICS] = { "compare and exchange in BPF", ask_atomics, RELEASE(5, 12), 0,
			      "no program could be loaded to ask" },
	[FEATURE_TAI] = { "CLOCK_TAI in BPF", ask_tai, RELEASE(6, 1), 0, NULL },
	[FEATURE_HASH_GROWS] = { "hash maps that grow in tracing programs", ask_hash_grows, RELEASE(6, 1), 0,
				 "BTF does not have struct bpf_htab" },
	[FEATURE_HIDES_CALLER] = { "kretprobes that hide the caller", ask_hides_caller, RELEASE(5, 11), RELEASE(5, 16),
				   "its symbols do not show kretprobes" },
	[FEATURE_UNWINDS_RETURNS] = { "stacks through return probes", ask_unwinds_returns, RELEASE(5, 16), 0,
				      "its symbols do not show kretprobes" },
	[FEATURE_LINK_MISSES] = { "misses counted by links", NULL, RELEASE(6, 7), 0, "there is no link to ask" },
	[FEATURE_MAPS_FREE] = { "maps outside of locked memory", NULL, RELEASE(5, 11), 0,
				"this is asked only after the kernel has refused programs" },
	[FEATURE_KPROBE_MIGRATES] = { "kprobes that disable migration", NULL, RELEASE(5, 12), 0,
				      "no type and no symbol shows what this function does" },
	[FEATURE_TIF_LAZY] = { "lazy rescheduling", NULL, SINCE_TIF_LAZY, 0, "flags of tasks are macros, which BTF does not have" },
	[FEATURE_TIF_GENERIC] = { "flags of tasks with the same numbers on all processors", NULL, SINCE_TIF_GENERIC, 0,
				  "flags of tasks are macros, which BTF does not have" },
};

bool feature_by_release(enum feature which, unsigned release)
{
	return release >= rows[which].from && (!rows[which].until || release < rows[which].until);
}

void features_init(struct features *ret, struct kbtf *btf, const struct ksyms *ks, bool may_load)
{
	*ret = (struct features){ .btf = btf, .ks = ks, .release = release_running(), .may_load = may_load };
}

bool feature(struct features *f, enum feature which)
{
	unsigned char *answer = &f->answers[which];

	if (*answer == NOT_ASKED)
		*answer = rows[which].ask ? rows[which].ask(f) : UNKNOWN;
	if (*answer == UNKNOWN)
		*answer = feature_by_release(which, f->release) ? YES_BY_RELEASE : NO_BY_RELEASE;
	return *answer == YES || *answer == YES_BY_RELEASE;
}

void features_print_guessed(const struct features *f, const char *prefix, struct buf *out)
{
	for (unsigned i = 0; i < FEATURES; i++) {
		if (f->answers[i] == YES_BY_RELEASE || f->answers[i] == NO_BY_RELEASE)
			buf_addf(out, "%sassumed of Linux %u.%u: %s%s (%s)\n", prefix, f->release >> 16, f->release >> 8 & 0xff,
				 f->answers[i] == YES_BY_RELEASE ? "" : "no ", rows[i].what, rows[i].why);
	}
}

/* ---- BTF's numbers ---- */

/* Of 64 bits from 7.3 on. */
static void find_preempt(struct kbtf *kb, struct feature_ids *ret)
{
	static const struct {
		const char *variable, *member;
	} counts[] = { PREEMPT_VARIABLES { NULL, NULL } };
	struct kbtf_id var, type;
	struct kbtf_member m;
	uint32_t size;

	for (unsigned i = 0; counts[i].variable; i++) {
		if (kbtf_find_percpu(kb, counts[i].variable, &var, &size))
			continue;
		if (!counts[i].member) {
			ret->preempt_var = var.id;
			ret->preempt_wide = size == 8;
			return;
		}
		if (!kbtf_find_struct(kb, counts[i].variable, &type) && !kbtf_find_member(type, counts[i].member, &m)) {
			ret->preempt_var = var.id;
			ret->preempt_off = m.bit_off / 8;
			return;
		}
	}
}

static void find_cast(struct kbtf *kb, struct feature_ids *ret)
{
	struct kbtf_func cast;
	struct kbtf_id words;

	/* Without the JIT, the kernel refuses programs that call kernel functions. */
	if (disabled_jit() || kbtf_find_func(kb, "bpf_rdonly_cast", "vmlinux", &cast) ||
	    kbtf_find_struct(kb, "pt_regs", &words))
		return;
	ret->cast_func = cast.self.id;
	ret->cast_struct = words.id;
}

static void find_session(struct kbtf *kb, struct feature_ids *ret)
{
	struct kbtf_func func;

	if (!kbtf_find_func(kb, "bpf_session_is_return", "vmlinux", &func))
		ret->session_return = func.self.id;
	if (!kbtf_find_func(kb, "bpf_session_cookie", "vmlinux", &func))
		ret->session_cookie = func.self.id;
}

static void find_mappings(struct kbtf *kb, struct feature_ids *ret)
{
	struct kbtf_member start, flags;
	struct kbtf_func make, next, end;
	struct kbtf_id vma;

	if (disabled_jit() || kbtf_find_func(kb, "bpf_iter_task_vma_new", "vmlinux", &make) ||
	    kbtf_find_func(kb, "bpf_iter_task_vma_next", "vmlinux", &next) ||
	    kbtf_find_func(kb, "bpf_iter_task_vma_destroy", "vmlinux", &end) || kbtf_find_struct(kb, "vm_area_struct", &vma) ||
	    kbtf_find_member(vma, "vm_start", &start) || kbtf_find_member(vma, "vm_flags", &flags))
		return;
	ret->vma_new = make.self.id;
	ret->vma_next = next.self.id;
	ret->vma_destroy = end.self.id;
	ret->vma_start = start.bit_off / 8;
	ret->vma_flags = flags.bit_off / 8;
}

void features_find_ids(const struct features *f, struct feature_ids *ret)
{
	*ret = (struct feature_ids){ 0 };
	if (!f->btf)
		return;
	find_preempt(f->btf, ret);
	find_cast(f->btf, ret);
	find_session(f->btf, ret);
	find_mappings(f->btf, ret);
}
