/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch_x86.bpf.h - x86-64: see arch.bpf.h.
 */
#ifndef ARCH_X86_BPF_H
#define ARCH_X86_BPF_H

/* ---- registers ---- */

/* With an int3 and with ftrace, ip is the address of the next byte. */
static __always_inline __u64 kprobe_place(const struct pt_regs *regs)
{
	return regs->ip - 1;
}

/* ip is where ftrace's call returns to, behind the place of a kprobe. */
static __always_inline __u64 multi_place(const struct pt_regs *regs)
{
	return regs->ip - 5;
}

static __always_inline __u64 regs_ip(const struct pt_regs *regs)
{
	return regs->ip;
}

static __always_inline __u64 regs_flags(const struct pt_regs *regs)
{
	return regs->flags;
}

/* ---- calls ---- */

/* The call has put the return address on the stack, and the return takes it away. */
static __always_inline __u64 entry_return_sp(const struct pt_regs *regs)
{
	return regs->sp + 8;
}

static __always_inline __u64 return_sp(const struct pt_regs *regs)
{
	return regs->sp;
}

static __always_inline __u64 return_slot(const struct pt_regs *regs)
{
	return regs->sp - sizeof(__u64);
}

#define ENTRY_REG_PARAMS(regs)	{ (regs)->di, (regs)->si, (regs)->dx, (regs)->cx, (regs)->r8, (regs)->r9 }

static __always_inline void *entry_stack_params(const struct pt_regs *regs)
{
	return (void *)(regs->sp + 8);
}

/* 0: it cannot be read */
static __always_inline void entry_caller(const struct pt_regs *regs, __u64 *ret)
{
	bpf_probe_read_kernel(ret, sizeof(*ret), (void *)regs->sp);
}

/*
 * Behind the parameters, a trampoline's frame holds the return value, the frame pointer, and
 * (at *slot) the address from which the trampoline was called, which is in the function's first bytes.
 * Behind it is the address to which the function returns. From 7.x on a jump may lead to the
 * trampoline; then the address of the call is missing.
 */
#define TRAMPOLINE_FRAME	16

struct trampoline_call {
	__u64 caller;
	void *slot;			/* where it is */
};

static __always_inline struct trampoline_call trampoline_call(void *slot, __u64 func)
{
	__u64 word[2] = {};

	words_load(slot, word);
	if (word[0] - func < 32)
		return (struct trampoline_call){ word[1], slot + 8 };
	return (struct trampoline_call){ word[0], slot };
}

/* ---- preempt_count ---- */

/*
 * For kernels whose BTF has the variable. A helper gives the address of this CPU's variable,
 * and a plain load reads it: a tenth of the cost of reading at an address. user/gen/patch.c
 * writes these four instructions. libbpf does not, because it would search every module for
 * a variable that does not exist.
 */
static __always_inline __u64 preempt_load(void)
{
	register __u64 count asm("r0");

	asm volatile("r0 = %1\n"
		     "r0 = 0\n"
		     "r0 = 0\n"
		     "r0 = 0\n"
		     : "=r"(count) : "i"(BP_PATCH_PREEMPT_CODE) : "r1", "r2", "r3", "r4", "r5");
	return count;
}

/*
 * preempt_count of this CPU. It is a per-CPU variable of its own (5.10, 6.1,
 * 7.2) or a member of pcpu_hot (6.2 to 6.14). Only some kernels have it in BTF,
 * so user space finds the variable by kallsyms. Each CPU looks up the address of
 * its own variable once.
 */
static __attribute__((noinline)) __u64 preempt_search(__u32 nr)
{
	__u64 base = PATCH64(BP_PATCH_PREEMPT);
	__u64 count = BP_PREEMPT_UNKNOWN;
	struct bp_cpu *cpu;

	cpu = bpf_map_lookup_elem(&bp_cpus, &nr);
	if (!base || !cpu)
		return count;
	if (bpf_core_type_exists(struct pcpu_hot))
		base += bpf_core_field_offset(struct pcpu_hot, preempt_count);
	if (!cpu->preempt_addr) {
		__u64 offsets = PATCH64(BP_PATCH_PERCPU), off;

		if (bpf_probe_read_kernel(&off, sizeof(off), (void *)(offsets + nr * sizeof(off))))
			return count;
		cpu->preempt_addr = base + off;
	}
	count = 0;
	if (bpf_probe_read_kernel(&count, PATCH(BP_PATCH_PREEMPT_WIDE) ? 8 : 4, (void *)cpu->preempt_addr))
		return BP_PREEMPT_UNKNOWN;
	return count;
}

/*
 * By its address, without BTF's variable. For a program that names the variable the verifier looks through all of the kernel's
 * types (6.12: 3.3 million instructions). So programs of many definitions (user/plan/bundle.h) use this. It costs 30 more at a hit.
 *
 * This is a function of its own, so that its two words are not on the stack of all programs: from 6.13 on a program with 64 bytes or more
 * has to find a private stack first.
 */
static __attribute__((noinline)) __u64 preempt_cast(__u64 nr)
{
	__u64 base = PATCH64(BP_PATCH_PREEMPT), word[2];

	if (bpf_core_type_exists(struct pcpu_hot))
		base += bpf_core_field_offset(struct pcpu_hot, preempt_count);
	words_load((void *)(PATCH64(BP_PATCH_PERCPU) + nr * sizeof(__u64)), word);
	words_load((void *)(base + word[0]), word);
	return word[0];
}

/*
 * In the order of kernels before 7.3, which records have. 7.3 (include/linux/preempt.h) has put a count of disabled interrupts at bits
 * 16 to 23, and has moved hard interrupts to 24 to 27, NMIs to 28 to 31, and "no reschedule is requested" to 63.
 */
static __always_inline __u32 preempt_ordered(__u64 count)
{
	if (!PATCH(BP_PATCH_PREEMPT_WIDE))
		return count;
	asm volatile("" : "+r"(count));		/* the compiler must not move this test in front of the one above, which is folded away */
	if (count == BP_PREEMPT_UNKNOWN)
		return count;
	return (count & 0xffff) | (count >> 8 & 0x00ff0000) | (count >> 32 & 0x80000000);
}

static __always_inline __u32 preempt_read(__u32 nr)
{
	if (PATCH(BP_PATCH_PREEMPT_VAR) == BP_PREEMPT_LOAD)
		return preempt_ordered(preempt_load());
	return preempt_ordered(PATCH(BP_PATCH_PREEMPT_VAR) == BP_PREEMPT_CAST ? preempt_cast(nr) : preempt_search(nr));
}

#endif
