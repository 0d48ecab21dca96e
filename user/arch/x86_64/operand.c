// SPDX-License-Identifier: GPL-2.0-only
/*
 * operand.c - x86-64: an operand in AT&T's syntax: $5, %r8d, %ah, -4(%rbp), (%rax,%rcx,8), table(,%rdx,4), counter+8(%rip).
 */
#include "arch/operand.h"

#include <string.h>

#include "base/macros.h"
#include "base/number.h"

/* What is not parsed yet. */
struct rest {
	const char *at, *end;
};

static bool take(struct rest *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static void skip_blanks(struct rest *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

static size_t take_word(struct rest *r, const char **ret)
{
	*ret = r->at;
	while (r->at < r->end && is_word(*r->at))
		r->at++;
	return (size_t)(r->at - *ret);
}

/* ---- registers ---- */

/* The registers with names of their own for each part: rax eax ax al ah, rsi esi si sil, r8 r8d r8w r8b (and r8l). */
static const struct {
	const char *names[4];		/* 8, 4, 2, 1 bytes */
	const char *high;		/* bits 8 to 15 */
	enum reg reg;
} registers[] = {
	{ { "rax", "eax", "ax", "al" }, "ah", X86_AX }, { { "rbx", "ebx", "bx", "bl" }, "bh", X86_BX },
	{ { "rcx", "ecx", "cx", "cl" }, "ch", X86_CX }, { { "rdx", "edx", "dx", "dl" }, "dh", X86_DX },
	{ { "rsi", "esi", "si", "sil" }, "", X86_SI }, { { "rdi", "edi", "di", "dil" }, "", X86_DI },
	{ { "rbp", "ebp", "bp", "bpl" }, "", X86_BP }, { { "rsp", "esp", "sp", "spl" }, "", X86_SP },
	{ { "r8", "r8d", "r8w", "r8b" }, "r8l", X86_R8 }, { { "r9", "r9d", "r9w", "r9b" }, "r9l", X86_R9 },
	{ { "r10", "r10d", "r10w", "r10b" }, "r10l", X86_R10 }, { { "r11", "r11d", "r11w", "r11b" }, "r11l", X86_R11 },
	{ { "r12", "r12d", "r12w", "r12b" }, "r12l", X86_R12 }, { { "r13", "r13d", "r13w", "r13b" }, "r13l", X86_R13 },
	{ { "r14", "r14d", "r14w", "r14b" }, "r14l", X86_R14 }, { { "r15", "r15d", "r15w", "r15b" }, "r15l", X86_R15 },
	{ { "rip", "eip", "", "" }, "", X86_IP },
};

static bool same(const char *name, const char *word, size_t len)
{
	return *name && !strncmp(name, word, len) && !name[len];
}

/* Behind the '%'. */
static bool find_register(const char *word, size_t len, struct asm_operand *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		ret->reg = registers[i].reg;
		ret->shift = 0;
		for (unsigned n = 0; n < 4; n++) {
			ret->bytes = (uint8_t)(8 >> n);
			if (same(registers[i].names[n], word, len))
				return true;
		}
		ret->shift = registers[i].high[0] == 'r' ? 0 : 8;	/* r8l is Intel's name of r8b */
		if (same(registers[i].high, word, len))
			return true;
	}
	return false;
}

static const char *unknown_register(const char *word, size_t len)
{
	if (len > 3 && (!strncmp(word, "xmm", 3) || !strncmp(word, "ymm", 3) || !strncmp(word, "zmm", 3)))
		return "it is in a vector register, which BPF cannot read";
	if (len >= 2 && !strncmp(word, "st", 2))
		return "it is in a floating point register, which BPF cannot read";
	if (len == 2 && word[1] == 's')
		return "it is in memory of the thread (a segment register)";
	return "its register is not known";
}

static const char *parse_register(struct rest *r, struct asm_operand *ret)
{
	const char *word;
	size_t len = take_word(r, &word);

	if (!find_register(word, len, ret))
		return unknown_register(word, len);
	if (r->at < r->end)
		return "its text is not understood";
	ret->kind = ASM_REGISTER;
	ret->has_reg = true;
	return NULL;
}

/* ---- numbers and symbols ---- */

/* One number, or one symbol if @ret may have one. */
static bool parse_term(struct rest *r, bool minus, struct asm_operand *ret)
{
	const char *word;
	size_t len = take_word(r, &word);
	uint64_t n;

	if (len && *word >= '0' && *word <= '9') {
		if (number_u64(word, len, 0, &n))
			return false;
		ret->value = (int64_t)((uint64_t)ret->value + (minus ? -n : n));
		return true;
	}
	if (!len || minus || ret->symbol || *word == '$')
		return false;
	ret->symbol = word;
	ret->symbol_len = (uint32_t)len;
	return true;
}

/* 8, -8, symbol, symbol+8, 8+symbol. */
static bool parse_sum(struct rest *r, struct asm_operand *ret)
{
	bool minus = take(r, '-');

	if (!minus)
		take(r, '+');
	do {
		if (!parse_term(r, minus, ret))
			return false;
		minus = r->at < r->end && *r->at == '-';
	} while (minus ? take(r, '-') : take(r, '+'));
	return true;
}

/* ---- memory ---- */

/* %REG in an address: only the whole register can be one. */
static bool parse_address_register(struct rest *r, enum reg *ret)
{
	struct asm_operand reg;
	const char *word;
	size_t len;

	skip_blanks(r);
	if (!take(r, '%'))
		return false;
	len = take_word(r, &word);
	if (!find_register(word, len, &reg) || reg.bytes != 8)
		return false;
	*ret = reg.reg;
	skip_blanks(r);
	return true;
}

static bool parse_scale(struct rest *r, struct asm_operand *ret)
{
	skip_blanks(r);
	if (r->at == r->end || !strchr("1248", *r->at) || !*r->at)
		return false;
	ret->scale = (uint8_t)(*r->at++ - '0');
	skip_blanks(r);
	return true;
}

/* Behind the '(': BASE), BASE,INDEX), BASE,INDEX,SCALE) or ,INDEX,SCALE). */
static bool parse_address(struct rest *r, struct asm_operand *ret)
{
	skip_blanks(r);
	if (r->at < r->end && *r->at != ',') {
		ret->has_reg = parse_address_register(r, &ret->reg);
		if (!ret->has_reg)
			return false;
	}
	if (take(r, ',')) {
		ret->has_index = parse_address_register(r, &ret->index);
		ret->scale = 1;
		if (!ret->has_index || ret->index == X86_SP || ret->index == X86_IP || (take(r, ',') && !parse_scale(r, ret)))
			return false;
	}
	return take(r, ')') && r->at == r->end && (ret->has_reg || ret->has_index);
}

static const char *parse_memory(struct rest *r, struct asm_operand *ret)
{
	static const char unknown[] = "its text is not understood";

	ret->kind = ASM_MEMORY;
	if (r->at < r->end && *r->at != '(' && !parse_sum(r, ret))
		return unknown;
	if (r->at < r->end && *r->at == '@')
		return "it is reached through a table of the linker";
	if (r->at < r->end && (!take(r, '(') || !parse_address(r, ret)))
		return unknown;
	if (!ret->has_reg || ret->reg != X86_IP)
		return NULL;
	/* A number alone would be relative to an instruction that is not known. */
	if (!ret->symbol || ret->has_index)
		return unknown;
	ret->has_reg = false;
	return NULL;
}

const char *asm_operand_parse(const char *text, size_t len, struct asm_operand *ret)
{
	struct rest r = { text, text + len };

	*ret = (struct asm_operand){ 0 };
	if (!len)
		return "it is empty";
	if (take(&r, '$')) {
		ret->kind = ASM_CONSTANT;
		if (!parse_sum(&r, ret) || r.at < r.end)
			return "its text is not understood";
		return ret->symbol ? "it is the address of a symbol" : NULL;
	}
	if (take(&r, '%'))
		return parse_register(&r, ret);
	return parse_memory(&r, ret);
}
