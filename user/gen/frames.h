/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.h - the stack that a program and its functions need together.
 */
#ifndef GEN_FRAMES_H
#define GEN_FRAMES_H

#include <linux/bpf.h>

#include "base/arena.h"

/* The kernel gives a program and the functions that it calls so many bytes together (5.10 to 7.3, include/linux/filter.h, MAX_BPF_STACK). */
enum { FRAMES_MOST = 512, FRAMES_UNIT = 32, FRAMES_UNIT_LEAST = 16 };

/*
 * Bytes of the longest chain of calls in the program @insns, which begins with its main function. Each frame is rounded up to @unit bytes. The
 * verifier rounds up to 32, and later kernels to 16 (kernel/bpf/verifier.c, check_max_stack_depth()). Scratch memory is from @arena.
 */
unsigned frames_most(const struct bpf_insn *insns, unsigned nr, unsigned unit, struct arena *arena);

#endif
