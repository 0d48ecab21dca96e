/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arch.bpf.h - what the programs must know of the CPU. Each CPU has a header that defines:
 *
 *	kprobe_place(), multi_place()	the address of a probe, from the context of its hit
 *	regs_ip(), regs_flags()		registers of the traced code
 *	entry_return_sp()		at a function's entry: the stack pointer that it will have after its return
 *	return_sp()			the same after its return
 *	return_slot()			after a return: where the return address was on the stack
 *	ENTRY_REG_PARAMS(), entry_stack_params(), entry_caller()
 *					at a function's entry: the BP_REG_PARAMS registers with parameters; where the parameters on the stack
 *					are; to where it returns
 *	TRAMPOLINE_FRAME, trampoline_call()
 *					how far behind a trampoline's parameters it keeps where it was called from, and who called the function
 *	preempt_read()			preempt_count, with its bits in the order that records have
 */
#ifndef ARCH_BPF_H
#define ARCH_BPF_H

#if defined(__TARGET_ARCH_x86)
#include "arch_x86.bpf.h"
#else
#error "bpf/ has no header for this CPU"
#endif

#endif
