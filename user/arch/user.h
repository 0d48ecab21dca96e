/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - what is true of user programs on the CPU that bprobe is built for: their files, and which instructions can be probed.
 *
 * Each CPU's header gives USER_DWARF_STACK and USER_DWARF_VECTOR, DWARF's numbers of the stack pointer and of the first vector register,
 * and USER_SYSCALL_SIZE, the bytes of the instruction of a system call.
 *
 * USER_OLD_...(X) name system calls that newer ones replace, and that the C library of this CPU still does. Newer CPUs' lists do not have
 * them. OPEN is open(2), READS are those that change no file, REMOVALS and FILES those that do, FORKS make processes.
 */
#ifndef ARCH_USER_H
#define ARCH_USER_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "arch/x86_64/user.h"
#elif defined(__aarch64__)
#include "arch/arm64/user.h"
#endif

extern const uint16_t user_machine;		/* e_machine of ELF files */
extern const uint16_t user_machine_32;		/* the same of programs of 32 bits that the kernel runs, too */
extern const char user_machine_name[];
extern const uint32_t user_cache_flags;		/* of this CPU's libraries in /etc/ld.so.cache */
extern const char *const user_library_dirs[];	/* where libraries are if the cache does not say; ends with NULL */

extern const uint32_t user_audit_arch;		/* how seccomp(2) names its system calls */

/* What the dynamic linker writes into a word that a relocation of this type (ELF64_R_TYPE) names. */
enum user_relocation {
	USER_RELOCATION_OTHER,
	USER_RELOCATION_CHOICE,		/* what the function at the addend chooses (IFUNC), when the program starts */
	USER_RELOCATION_SYMBOL,		/* the address of a symbol; of an IFUNC what it chooses, maybe only at the first call */
};
enum user_relocation user_relocation(uint32_t type);

/* The register with DWARF's number @n, as kprobe_events names it: "%di". NULL: a probe cannot fetch it. */
const char *user_dwarf_register(unsigned n);

/* Does the register with this number hold a parameter when a function is entered? */
bool user_is_parameter(unsigned n);

/* The number of the register that has general parameter @n, from 0 on: below REG_PARAMS. */
unsigned user_dwarf_parameter(unsigned n);

/*
 * Why the kernel refuses a uprobe on the instruction of @len bytes at @bytes (the length from insn_decode()): "it is a breakpoint (int3)".
 * Only what all kernels refuse. NULL: it may be probed, or it is not known.
 */
const char *user_probe_refusal(const uint8_t *bytes, unsigned len);

/*
 * May the kernel put a call in the place of this instruction, when a uprobe on it was hit for the first time? On x86-64 one of five bytes that does
 * nothing (6.18, arch/x86/kernel/uprobes.c, can_optimize()). The call writes below the stack pointer, where a function may keep its data.
 */
bool user_probe_may_call(const uint8_t *bytes, unsigned len);

/* Are these USER_SYSCALL_SIZE bytes the instruction of a system call? */
bool user_is_syscall(const uint8_t *bytes);

/*
 * For trying that: a function that keeps a value below the stack pointer, and reads it behind such an instruction, which is at
 * user_nop_trial_site. Returns USER_NOP_TRIAL, if nothing has written there.
 */
int user_nop_trial(void);
extern const uint8_t user_nop_trial_site[];
enum { USER_NOP_TRIAL = 42 };

#endif
