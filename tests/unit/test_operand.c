// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_operand.c - operands in the assembler's words (AT&T syntax), and what the kernel says of an instruction's bytes.
 */
#include "arch/operand.h"

#include <string.h>

#include "arch/insn.h"
#include "arch/user.h"
#include "base/macros.h"
#include "tap.h"

/* What is expected, as text: kind, value, base, index*scale, symbol. */
static const char *show(const char *text)
{
	static char out[200];
	struct asm_operand o;
	const char *error = asm_operand_parse(text, strlen(text), &o);

	if (error) {
		snprintf(out, sizeof(out), "error");
	} else if (o.kind == ASM_CONSTANT) {
		snprintf(out, sizeof(out), "const %lld", (long long)o.value);
	} else if (o.kind == ASM_REGISTER) {
		snprintf(out, sizeof(out), "reg %s%s %u", reg_name(o.reg), o.shift == 8 ? ">>8" : o.shift ? "?" : "", o.bytes);
	} else {
		int n = snprintf(out, sizeof(out), "mem %lld", (long long)o.value);

		if (o.symbol)
			n += snprintf(out + n, sizeof(out) - n, " sym %.*s", (int)o.symbol_len, o.symbol);
		if (o.has_reg)
			n += snprintf(out + n, sizeof(out) - n, " base %s", reg_name(o.reg));
		if (o.has_index)
			snprintf(out + n, sizeof(out) - n, " index %s*%u", reg_name(o.index), o.scale);
	}
	return out;
}

static void test_operands(void)
{
	static const struct { const char *text, *meant; } cases[] = {
		{ "$5", "const 5" }, { "$-5", "const -5" }, { "$+5", "const 5" }, { "$0x10", "const 16" }, { "$010", "const 8" },
		{ "$9223372036854775807", "const 9223372036854775807" }, { "$-9223372036854775808", "const -9223372036854775808" },
		{ "$18446744073709551615", "const -1" }, { "$18446744073709551616", "error" }, { "$2+3", "const 5" }, { "$2-3", "const -1" },
		{ "$", "error" }, { "$-", "error" }, { "$x", "error" }, { "$5x", "error" }, { "$5 ", "error" }, { "$1+", "error" },
		{ "%rax", "reg ax 8" }, { "%eax", "reg ax 4" }, { "%ax", "reg ax 2" }, { "%al", "reg ax 1" }, { "%ah", "reg ax>>8 1" },
		{ "%bh", "reg bx>>8 1" }, { "%ch", "reg cx>>8 1" }, { "%dh", "reg dx>>8 1" },
		{ "%rdi", "reg di 8" }, { "%edi", "reg di 4" }, { "%di", "reg di 2" }, { "%dil", "reg di 1" }, { "%dih", "error" },
		{ "%rsp", "reg sp 8" }, { "%spl", "reg sp 1" }, { "%ebp", "reg bp 4" }, { "%sil", "reg si 1" }, { "%rip", "reg ip 8" },
		{ "%r8", "reg r8 8" }, { "%r8d", "reg r8 4" }, { "%r8w", "reg r8 2" }, { "%r8b", "reg r8 1" }, { "%r8l", "reg r8 1" },
		{ "%r15", "reg r15 8" }, { "%r15d", "reg r15 4" }, { "%r15b", "reg r15 1" }, { "%r9w", "reg r9 2" }, { "%r10l", "reg r10 1" },
		{ "%r7", "error" }, { "%r16", "error" }, { "%r8h", "error" }, { "%", "error" }, { "%xmm0", "error" }, { "%st", "error" },
		{ "%fs:0", "error" }, { "%k1", "error" }, { "%rax ", "error" }, { "%RAX", "error" }, { "rax", "mem 0 sym rax" },
		{ "(%rax)", "mem 0 base ax" }, { "-4(%rbp)", "mem -4 base bp" }, { "+4(%rbp)", "mem 4 base bp" }, { "0x10(%rsp)", "mem 16 base sp" },
		{ "-0x10(%rsp)", "mem -16 base sp" }, { "(%rax,%rcx)", "mem 0 base ax index cx*1" }, { "(%rax,%rcx,8)", "mem 0 base ax index cx*8" },
		{ "8(%rax, %r12, 4)", "mem 8 base ax index r12*4" }, { "16(,%rdx,2)", "mem 16 index dx*2" }, { "16(,%rdx)", "mem 16 index dx*1" },
		{ "(%rax,%rcx,3)", "error" }, { "(%rax,%rcx,16)", "error" }, { "(%rax,%rcx,)", "error" }, { "(%rax,%rsp)", "error" }, { "(%rax", "error" },
		{ "(%rax))", "error" }, { "()", "error" }, { "(,)", "error" }, { "(%eax)", "error" }, { "(%al)", "error" }, { "(%rax,%ecx)", "error" },
		{ "(rax)", "error" }, { "4(%rax)x", "error" }, { "", "error" },
		{ "counter(%rip)", "mem 0 sym counter" }, { "counter+8(%rip)", "mem 8 sym counter" }, { "8+counter(%rip)", "mem 8 sym counter" },
		{ "counter-8(%rip)", "mem -8 sym counter" }, { "counter+8-4(%rip)", "mem 4 sym counter" }, { "a+b(%rip)", "error" },
		{ "-counter(%rip)", "error" }, { "8(%rip)", "error" }, { "(%rip)", "error" }, { "counter(%rip,%rax)", "error" },
		{ "counter", "mem 0 sym counter" }, { ".LC0+2", "mem 2 sym .LC0" }, { "table(,%rax,8)", "mem 0 sym table index ax*8" },
		{ "table(%rax)", "mem 0 sym table base ax" }, { "4096", "mem 4096" }, { "foo@GOTPCREL(%rip)", "error" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK(!strcmp(show(cases[i].text), cases[i].meant), "'%s' is %s: %s", cases[i].text, cases[i].meant, show(cases[i].text));
}

/*
 * What a text of N bytes is does not depend on the bytes behind it.
 */
static void test_length(void)
{
	struct asm_operand o;

	CHECK(!asm_operand_parse("%r15d", 4, &o) && o.bytes == 8, "%%r15, and the d is not its");
	CHECK(asm_operand_parse("-4(%rbp)", 7, &o), "without the last parenthesis");
	CHECK(!asm_operand_parse("$55", 2, &o) && o.value == 5, "$5, and the second 5 is not its");
}

/*
 * Linux 6.12, arch/x86/kernel/uprobes.c: is_prefix_bad refuses es, cs, ss, ds and lock; good_insns_64[] the opcodes; is_swbp_insn int3;
 * branch_setup_xol_ops branches with 66; insn_masking_exception what loads ss. 0F as the first byte is always good there.
 */
static void test_refusals(void)
{
	static const struct { const char *bytes; unsigned len; bool refused; const char *what; } cases[] = {
		{ "\x90", 1, false, "nop" }, { "\xf3\x0f\x1e\xfa", 4, false, "endbr64" }, { "\x55", 1, false, "push %rbp" },
		{ "\xcc", 1, true, "int3" }, { "\xcd\x80", 2, true, "int $0x80" }, { "\xf1", 1, true, "int1" }, { "\xf4", 1, true, "hlt" },
		{ "\xfa", 1, true, "cli" }, { "\xfb", 1, true, "sti" }, { "\x6c", 1, true, "insb" }, { "\x6f", 1, true, "outsl" },
		{ "\xe4\x10", 2, true, "in $0x10,%al" }, { "\xef", 1, true, "out %eax,(%dx)" }, { "\xcf", 1, true, "iret" }, { "\x48\xcf", 2, true, "iretq" },
		{ "\xf0\x0f\xb1\x0f", 4, true, "lock cmpxchg %ecx,(%rdi)" }, { "\x0f\xb1\x0f", 3, false, "cmpxchg %ecx,(%rdi)" },
		{ "\xf0\x48\xff\x07", 4, true, "lock incq (%rdi)" }, { "\x66\xf0\xff\x07", 4, true, "data16 lock incw (%rdi)" },
		{ "\x87\x07", 2, false, "xchg %eax,(%rdi)" },
		{ "\x2e\x66\x90", 3, true, "cs xchg %ax,%ax" }, { "\x66\x2e\x0f\x1f\x84\0\0\0\0\0", 10, false, "cs nopw, which 7.2 takes" }, { "\x3e\xff\xe0", 3, true, "notrack jmp *%rax" }, { "\x64\x48\x8b\x04\x25\x28\0\0\0", 9, false, "mov %fs:0x28,%rax" },
		{ "\xe8\0\0\0\0", 5, false, "call" }, { "\x66\xe8\0\0\0\0", 6, true, "data16 call" }, { "\x66\x66\x48\xe8\0\0\0\0", 8, true, "data16 data16 rex.W call" },
		{ "\x66\xe9\1\0\0\0", 6, true, "data16 jmp" }, { "\x66\xe9\0\0\0\0", 6, false, "data16 jmp to the next one, which 7.2 takes" }, { "\x66\x74\x05", 3, true, "data16 je" }, { "\x66\x0f\x84\0\0\0\0", 7, true, "data16 je, long" },
		{ "\xf2\xe8\0\0\0\0", 6, false, "bnd call" }, { "\x66\x90", 2, false, "xchg %ax,%ax" }, { "\xff\xd0", 2, false, "call *%rax" },
		{ "\x0f\x05", 2, false, "syscall" }, { "\x0f\x0b", 2, false, "ud2" }, { "\xc3", 1, false, "ret" },
		{ "\x8e\xd0", 2, true, "mov %eax,%ss" }, { "\x8e\xd8", 2, false, "mov %eax,%ds" },
		{ "\xc5\xf8\x77", 3, false, "vzeroupper" }, { "\xc5\xfd\x6f\x06", 4, true, "vmovdqa (%rsi),%ymm0" }, { "\xc5\xfc\x10\x06", 4, false, "vmovups (%rsi),%ymm0" },
		{ "\xc4\xc1\x7d\x6f\x00", 5, true, "vmovdqa (%r8),%ymm0" }, { "\x62\xf1\x7c\x48\x10\x06", 6, false, "vmovups (%rsi),%zmm0" },
		{ "\x62\xf1\xfe\x48\x6f\x06", 6, true, "vmovdqu64 (%rsi),%zmm0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *reason = user_probe_refusal((const uint8_t *)cases[i].bytes, cases[i].len);
		struct insn insn;

		CHECK(insn_decode((const uint8_t *)cases[i].bytes, cases[i].len, &insn) == (int)cases[i].len, "%s has %u bytes", cases[i].what, cases[i].len);
		CHECK(!reason == !cases[i].refused, "%s: %s", cases[i].what, reason ? reason : "may be probed");
	}
	/* Any bytes: nothing is read behind them (the address sanitizer). */
	for (unsigned n = 0; n < 1 << 16; n++) {
		uint8_t *bytes = malloc(2);

		bytes[0] = (uint8_t)n;
		bytes[1] = (uint8_t)(n >> 8);
		user_probe_refusal(bytes, 2);
		user_probe_refusal(bytes, 1);
		user_probe_refusal(bytes, 0);
		free(bytes);
	}
}

/* What 6.18 replaces by a call: five bytes that change nothing (arch/x86/lib/insn-eval.c, insn_is_nop()). */
static void test_calls(void)
{
	static const struct { const char bytes[8]; unsigned len; bool call; const char *what; } cases[] = {
		{ "\x0f\x1f\x44\0\0", 5, true, "nopl 0(%rax,%rax,1)" }, { "\x66\x0f\x1f\x04\0", 5, true, "nopw (%rax,%rax,1)" },
		{ "\x0f\x19\x44\0\0", 5, true, "a hint of five bytes" }, { "\x66\x66\x66\x66\x90", 5, true, "data16 data16 data16 xchg %ax,%ax" },
		{ "\xf3\x66\x66\x66\x90", 5, false, "pause" }, { "\x66\x66\x66\x41\x90", 5, false, "xchg %r8w,%ax" },
		{ "\xe9\0\0\0\0", 5, true, "jmp to the next one" }, { "\xe9\1\0\0\0", 5, false, "jmp behind it" }, { "\xe8\0\0\0\0", 5, false, "call" },
		{ "\x48\x8d\x64\x24\0", 5, true, "lea 0(%rsp),%rsp" }, { "\x4d\x8d\x64\x24\0", 5, true, "lea 0(%r12),%r12" },
		{ "\x49\x8d\x64\x24\0", 5, false, "lea 0(%r12),%rsp" }, { "\x48\x8d\x6c\x24\0", 5, false, "lea 0(%rsp),%rbp" },
		{ "\x48\x8d\x64\x24\x08", 5, false, "lea 8(%rsp),%rsp" }, { "\x4a\x8d\x64\x24\0", 5, false, "lea 0(%rsp,%r12,1),%rsp" },
		{ "\x2e\x2e\x48\x89\xc0", 5, true, "mov %rax,%rax" }, { "\x2e\x2e\x48\x89\xc8", 5, false, "mov %rcx,%rax" },
		{ "\x2e\x2e\x2e\x89\xc0", 5, false, "mov %eax,%eax, which clears half" }, { "\xb8\1\0\0\0", 5, false, "mov $1,%eax" },
		{ "\x90", 1, false, "nop" }, { "\x66\x0f\x1f\x44\0\0", 6, false, "nopw of six bytes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK(user_probe_may_call((const uint8_t *)cases[i].bytes, cases[i].len) == cases[i].call, "%s: %s", cases[i].what,
		      cases[i].call ? "a call may come" : "stays");
	for (unsigned n = 0; n < 1 << 16; n++) {
		uint8_t *bytes = malloc(5);

		memset(bytes, (int)(n >> 8), 5);
		bytes[n % 5] = (uint8_t)n;
		user_probe_may_call(bytes, 5);
		free(bytes);
	}
}

int main(void)
{
	test_operands();
	test_length();
	test_refusals();
	test_calls();
	return tap_done();
}
