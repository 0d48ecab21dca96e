// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c - x86-64: files of user programs, and which instructions can be probed.
 *
 * The kernel decides about instructions in arch/x86/kernel/uprobes.c. In guests, 5.10 and 7.2 were asked about 11,000 instructions,
 * 6.12 about every ninth of them: they refuse all that is refused here. They refuse more, such as reserved opcodes of VEX.
 */
#include "arch/user.h"

#include <elf.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const uint16_t user_machine = EM_X86_64;
const uint16_t user_machine_32 = EM_386;
const char user_machine_name[] = "x86-64";
const uint32_t user_cache_flags = 0x0303;	/* glibc's FLAG_X8664_LIB64 | FLAG_ELF_LIBC6 (sysdeps/generic/ldconfig.h) */

const uint32_t user_audit_arch = AUDIT_ARCH_X86_64;

/* System V ABI for x86-64, 4.4.1. */
enum user_relocation user_relocation(uint32_t type)
{
	switch (type) {
	case R_X86_64_IRELATIVE:
		return USER_RELOCATION_CHOICE;
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
		return USER_RELOCATION_SYMBOL;
	default:
		return USER_RELOCATION_OTHER;
	}
}

/* System V ABI for x86-64, 3.6.2. */
const char *user_dwarf_register(unsigned n)
{
	static const char *const names[] = { "%ax", "%dx", "%cx", "%bx", "%si", "%di", "%bp", "%sp", "%r8", "%r9", "%r10", "%r11", "%r12", "%r13",
					     "%r14", "%r15", "%ip" };

	return n < sizeof(names) / sizeof(*names) ? names[n] : NULL;
}

/* The same, 3.2.3. */
static const uint8_t params[] = { 5, 4, 1, 2, 8, 9 };	/* %di, %si, %dx, %cx, %r8, %r9 */

bool user_is_parameter(unsigned n)
{
	return n < 256 && memchr(params, (int)n, sizeof(params));
}

unsigned user_dwarf_parameter(unsigned n)
{
	return params[n];
}

/* Fedora and others; Debian and Ubuntu; Alpine and others. */
const char *const user_library_dirs[] = {
	"/lib64", "/usr/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib", NULL,
};

/* A bit for each opcode of one byte that good_insns_64[] lacks. What is below 0x40 and absent is no instruction or a prefix. */
static bool is_refused(uint8_t op)
{
	static const uint16_t refused[16] = {
		[0x0] = 1 << 0x6 | 1 << 0x7 | 1 << 0xe,
		[0x1] = 1 << 0x6 | 1 << 0x7 | 1 << 0xe | 1 << 0xf,
		[0x2] = 1 << 0x7 | 1 << 0xf,
		[0x3] = 1 << 0x7 | 1 << 0xf,
		[0x6] = 1 << 0x0 | 1 << 0x1 | 1 << 0x2 | 1 << 0xc | 1 << 0xd | 1 << 0xe | 1 << 0xf,
		[0x8] = 1 << 0x2,
		[0x9] = 1 << 0xa,
		[0xc] = 1 << 0xc | 1 << 0xd | 1 << 0xe | 1 << 0xf,
		[0xd] = 1 << 0x4 | 1 << 0x5 | 1 << 0x6,
		[0xe] = 1 << 0x4 | 1 << 0x5 | 1 << 0x6 | 1 << 0x7 | 1 << 0xa | 1 << 0xc | 1 << 0xd | 1 << 0xe | 1 << 0xf,
		[0xf] = 1 << 0x1 | 1 << 0x4 | 1 << 0xa | 1 << 0xb,
	};

	return refused[op >> 4] >> (op & 15) & 1;
}

/* Prefixes that the kernel refuses. */
static const char *prefix_refusal(uint8_t byte)
{
	switch (byte) {
	case 0xf0:
		return "it has a LOCK prefix";
	case 0x26: case 0x2e: case 0x36: case 0x3e:
		return "it has one of the prefixes es, cs, ss and ds";
	default:
		return NULL;
	}
}

static bool is_prefix(uint8_t byte)
{
	return prefix_refusal(byte) || byte == 0x64 || byte == 0x65 || byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3;
}

/* The index of the opcode of VEX (C4, C5) and EVEX (62) behind their two to four bytes; 0: it is none of them. */
static unsigned vector_opcode(uint8_t byte)
{
	return byte == 0xc5 ? 2 : byte == 0xc4 ? 3 : byte == 0x62 ? 4 : 0;
}

/* The kernel's decoder reads such an opcode as one byte, so vmovdqa (6F) is refused as outs is. */
static const char *opcode_refusal(const uint8_t *at, unsigned len)
{
	unsigned vector = vector_opcode(*at);

	if (vector)
		return vector < len && is_refused(at[vector]) ? "the kernel does not know this vector instruction" : NULL;
	switch (*at) {
	case 0xcc: case 0xcd: case 0xf1:
		return "it is a software interrupt";
	case 0xf4: case 0xfa: case 0xfb:
	case 0x6c: case 0x6d: case 0x6e: case 0x6f: case 0xe4: case 0xe5: case 0xe6: case 0xe7: case 0xec: case 0xed: case 0xee: case 0xef:
		return "it is a privileged instruction";
	case 0xcf:
		return "it is an interrupt's return (iret)";
	case 0xd5:
		return NULL;		/* REX2, which newer kernels decode */
	case 0x8e:
		return len > 1 && (at[1] >> 3 & 7) == 2 ? "it loads the stack segment" : NULL;
	default:
		return is_refused(*at) ? "the kernel does not know this instruction" : NULL;
	}
}

/* Calls and jumps with an operand in the instruction. Intel and AMD differ about their length with 66. */
static bool is_branch(const uint8_t *at, unsigned len)
{
	return *at == 0xe8 || *at == 0xe9 || *at == 0xeb || *at >> 4 == 7 || (*at == 0x0f && len > 1 && at[1] >> 4 == 8);
}

/* Newer kernels take all that does nothing, whatever its prefixes are: nop of several bytes, and a jump to the next instruction. */
static bool does_nothing(const uint8_t *at, unsigned len)
{
	bool jump = *at == 0xe9 || *at == 0xeb;

	for (unsigned i = 1; jump && i < len; i++)
		jump = !at[i];
	return jump || (*at == 0x0f && len > 1 && at[1] == 0x1f);
}

const char *user_probe_refusal(const uint8_t *bytes, unsigned len)
{
	const char *prefix = NULL;
	bool short_operand = false;
	unsigned i = 0;

	if (len && *bytes == 0xcc)
		return "it is a breakpoint (int3)";
	for (; i < len && is_prefix(bytes[i]); i++) {
		short_operand |= bytes[i] == 0x66;
		prefix = prefix ? prefix : prefix_refusal(bytes[i]);
	}
	if (i < len && bytes[i] >> 4 == 4)	/* REX */
		i++;
	if (i >= len || does_nothing(bytes + i, len - i))
		return NULL;
	if (prefix)
		return prefix;
	if (short_operand && is_branch(bytes + i, len - i))
		return "it is a call or jump with the prefix 66";
	return opcode_refusal(bytes + i, len - i);
}

/* Does "lea 0(%reg), %reg" or "mov %reg, %reg" stand at @at, behind its REX prefix @rex? Only with 64 bits it changes nothing. */
static bool keeps_register(const uint8_t *at, unsigned len, uint8_t rex)
{
	unsigned mod = at[1] >> 6, reg = (at[1] >> 3 & 7) | (rex & 4) << 1, rm = (at[1] & 7) | (rex & 1) << 3, last = at[len - 1];
	bool has_sib = (at[1] & 7) == 4 && mod != 3;

	if (!(rex & 8))
		return false;
	if (*at == 0x89)
		return mod == 3 && reg == rm;
	if (has_sib) {
		if ((at[2] >> 3 & 7) != 4 || rex & 2)		/* there is an index */
			return false;
		rm = (at[2] & 7) | (rex & 1) << 3;
	}
	return mod == 1 && reg == rm && !last;
}

/* 6.18, arch/x86/lib/insn-eval.c, insn_is_nop() */
bool user_probe_may_call(const uint8_t *bytes, unsigned len)
{
	static const uint8_t zero[4] = { 0 };
	bool repeats = false;
	uint8_t rex = 0;
	unsigned i = 0;

	if (len != 5)
		return false;
	for (; i < len && is_prefix(bytes[i]); i++)
		repeats |= bytes[i] == 0xf2 || bytes[i] == 0xf3;
	if (i < len && bytes[i] >> 4 == 4)
		rex = bytes[i++];
	if (len - i < 2)
		return i < len && bytes[i] == 0x90 && !repeats && !(rex & 1);
	switch (bytes[i]) {
	case 0x0f:
		return bytes[i + 1] >= 0x19 && bytes[i + 1] <= 0x1f;
	case 0xe9:
		return len - i == 5 && !memcmp(bytes + i + 1, zero, sizeof(zero));
	case 0x89:
	case 0x8d:
		return len - i >= 2 && keeps_register(bytes + i, len - i, rex);
	}
	return false;
}

asm("	.text\n"
    "	.balign	64\n"		/* a nop in two pages stays one */
    "	.globl	user_nop_trial, user_nop_trial_site\n"
    "	.type	user_nop_trial, @function\n"
    "user_nop_trial:\n"
    "	movq	$42, -8(%rsp)\n"
    "user_nop_trial_site:\n"
    "	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00\n"
    "	movl	-8(%rsp), %eax\n"
    "	ret\n"
    "	.size	user_nop_trial, . - user_nop_trial\n");

bool user_is_syscall(const uint8_t *bytes)
{
	return bytes[0] == 0x0f && bytes[1] == 0x05;
}
