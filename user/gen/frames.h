/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.h - the stack that a program and its functions need together.
 */
#ifndef GEN_FRAMES_H
#define GEN_FRAMES_H

#include <linux/bpf.h>

#include "base/arena.h"

/* The kernel gives a program and the functions that it calls so many bytes together (5.10 to 7.3, include/linux/filter.h, MAX_BPF_STACK). */
enum { FRAMES_MOST = 512 };

/*
 * Bytes of the longest chain of calls in the program @insns, which begins with its main function. Each frame is rounded up to 32 bytes, as
 * the verifier does (kernel/bpf/verifier.c, check_max_stack_depth()); kernels from 6.8 on round up to 16. Scratch memory is from @arena.
 */
unsigned frames_most(const struct bpf_insn *insns, unsigned nr, struct arena *arena);

#endif
