// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_insn_regs.c - which registers instructions read and write. The expected values follow from the assembler text beside
 * the bytes (GNU as 2.40).
 */
#include "arch/insn.h"
#include "arch/text.h"
#include "base/macros.h"
#include "tap.h"

enum { AX = 1, CX = 2, DX = 4, BX = 8, SP = 16, BP = 32, SI = 64, DI = 128, R8 = 256, R9 = 512, R12 = 4096 };

static const struct {
	const char *what;
	uint8_t bytes[15];
	uint16_t reads, writes;
} cases[] = {
	{ "mov %rsi,%r12", { 0x49, 0x89, 0xf4 }, SI, R12 },
	{ "mov %rdi,%rbx", { 0x48, 0x89, 0xfb }, DI, BX },
	{ "mov 0x10(%rdi),%rsi", { 0x48, 0x8b, 0x77, 0x10 }, DI, SI },
	{ "mov %r8,(%r9,%rcx,8)", { 0x4d, 0x89, 0x04, 0xc9 }, R8 | R9 | CX, 0 },
	{ "mov 0x0(,%rdx,8),%rax", { 0x48, 0x8b, 0x04, 0xd5, 0, 0, 0, 0 }, DX, AX },
	{ "mov (%rsp),%rax", { 0x48, 0x8b, 0x04, 0x24 }, SP, AX },
	{ "mov 0x0(%rip),%rdi", { 0x48, 0x8b, 0x3d, 0, 0, 0, 0 }, 0, DI },
	{ "mov %gs:0x28,%rax", { 0x65, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0 }, 0, AX },
	{ "mov $1,%esi", { 0xbe, 1, 0, 0, 0 }, 0, SI },
	{ "mov $-1,%rsi", { 0x48, 0xc7, 0xc6, 0xff, 0xff, 0xff, 0xff }, 0, SI },
	{ "movl $0,(%rdi)", { 0xc7, 0x07, 0, 0, 0, 0 }, DI, 0 },
	{ "mov $0,%r9d", { 0x41, 0xb9, 0, 0, 0, 0 }, 0, R9 },
	{ "xor %esi,%esi", { 0x31, 0xf6 }, 0, SI },
	{ "xor %edi,%esi", { 0x31, 0xfe }, DI | SI, 0 },
	{ "test %rdi,%rdi", { 0x48, 0x85, 0xff }, DI, 0 },
	{ "test %dl,%dl", { 0x84, 0xd2 }, DX, 0 },
	{ "test %dh,%dh", { 0x84, 0xf6 }, DX, 0 },
	{ "test %sil,%sil", { 0x40, 0x84, 0xf6 }, SI, 0 },
	{ "mov %dl,%al", { 0x88, 0xd0 }, DX, 0 },
	{ "add $0x70,%rdi", { 0x48, 0x83, 0xc7, 0x70 }, DI, 0 },
	{ "add %rsi,%rdi", { 0x48, 0x01, 0xf7 }, SI | DI, 0 },
	{ "sub $8,%rsp", { 0x48, 0x83, 0xec, 0x08 }, SP, 0 },
	{ "lea 0x8(%rsp),%r10", { 0x4c, 0x8d, 0x54, 0x24, 0x08 }, SP, 1 << 10 },
	{ "movzbl %dil,%eax", { 0x40, 0x0f, 0xb6, 0xc7 }, DI, AX },
	{ "movzbl %dh,%eax", { 0x0f, 0xb6, 0xc6 }, DX, AX },
	{ "movslq %edi,%rdi", { 0x48, 0x63, 0xff }, DI, DI },
	{ "push %rcx", { 0x51 }, 0, 0 },
	{ "push %r12", { 0x41, 0x54 }, 0, 0 },
	{ "endbr64", { 0xf3, 0x0f, 0x1e, 0xfa }, 0, 0 },
	{ "nopl 0x0(%rax,%rax,1)", { 0x0f, 0x1f, 0x44, 0, 0 }, 0, 0 },
	{ "je .+2", { 0x74, 0 }, 0, 0 },
	{ "je .+6", { 0x0f, 0x84, 0, 0, 0, 0 }, 0, 0 },
};

static const struct {
	const char *what;
	uint8_t bytes[15];
} unknown[] = {
	{ "mul %rsi", { 0x48, 0xf7, 0xe6 } }, { "rep stos", { 0xf3, 0x48, 0xab } }, { "cpuid", { 0x0f, 0xa2 } },
	{ "cmove %rsi,%rdi", { 0x48, 0x0f, 0x44, 0xfe } }, { "leave", { 0xc9 } },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct insn_regs regs = { 0 };
		struct insn insn = { 0 };
		int len = insn_decode(cases[i].bytes, sizeof(cases[i].bytes), &insn);
		bool known = len > 0 && insn_regs(cases[i].bytes, (unsigned)len, &regs);

		CHECK(known && regs.reads == cases[i].reads && regs.writes == cases[i].writes, "%s: reads %#x, writes %#x",
		      cases[i].what, regs.reads, regs.writes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		struct insn_regs regs = { .reads = 0xabc };

		CHECK(!insn_regs(unknown[i].bytes, sizeof(unknown[i].bytes), &regs) && regs.reads == 0xabc, "%s is not known",
		      unknown[i].what);
	}
	return tap_done();
}
