/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dispatch.h - a program for the hits of many functions: finds out which function was hit, and continues as that function's program.
 */
#ifndef GEN_DISPATCH_H
#define GEN_DISPATCH_H

#include <stdint.h>

#include "gen/code.h"

/*
 * Appends the program to the empty @code. @funcs: the functions' addresses, which are in the top 2 GiB; ascending, none twice.
 * Entry i of the map @programs_fd (BPF_MAP_TYPE_PROG_ARRAY) is the program for @funcs[i]. The context is struct pt_regs, whose word
 * @ip_word (8 bytes each) is an address in the function that was hit. A hit whose entry is empty does nothing.
 */
void dispatch_emit(const uint64_t *funcs, unsigned nr, int programs_fd, unsigned ip_word, struct code *code);

#endif
