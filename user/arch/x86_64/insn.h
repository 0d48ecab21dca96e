/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - x86-64: only for arch/insn.h.
 */
#ifndef ARCH_X86_64_INSN_H
#define ARCH_X86_64_INSN_H

#define INSN_MAX	15	/* longer ones raise #GP (Intel SDM, vol. 2, 2.3.11) */

#endif
