/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - arm64: only for arch/insn.h.
 */
#ifndef ARCH_ARM64_INSN_H
#define ARCH_ARM64_INSN_H

#define INSN_MAX	4

#endif
