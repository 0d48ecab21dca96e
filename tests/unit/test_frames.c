// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_frames.c - the stack of a program and its functions. What is expected follows from the verifier's rule (gen/frames.h): each frame
 * reaches to the lowest byte that is used, is rounded up to 32, and the longest chain of calls counts.
 */
#include "gen/frames.h"

#include "gen/code.h"
#include "tap.h"

static struct arena arena;

static unsigned call(struct code *c)
{
	return code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL });
}

/* The call @at is one of what comes next. */
static void land(struct code *c, unsigned at)
{
	c->insns[at].imm = (int32_t)(c->nr - at - 1);
}

static unsigned most(const struct code *c)
{
	return frames_most(c->insns, c->nr, FRAMES_UNIT, &arena);
}

static void test_one(void)
{
	struct code c = { .arena = &arena };

	CHECK(!most(&c), "no program");
	code_exit(&c);
	CHECK(most(&c) == 32, "no stack: 32 all the same");
	c.nr = 0;
	code_store_imm(&c, 8, BPF_REG_10, -32, 0);
	code_exit(&c);
	CHECK(most(&c) == 32, "32 bytes");
	c.nr = 0;
	code_load(&c, 1, BPF_REG_3, BPF_REG_10, -33);
	code_exit(&c);
	CHECK(most(&c) == 64, "33 bytes");
	CHECK(frames_most(c.insns, c.nr, FRAMES_UNIT_LEAST, &arena) == 48, "... with the smaller unit");
	c.nr = 0;
	code_store(&c, 8, BPF_REG_10, -512, BPF_REG_1);
	code_exit(&c);
	CHECK(most(&c) == FRAMES_MOST, "all");
}

static void test_addresses(void)
{
	struct code c = { .arena = &arena };

	code_mov(&c, BPF_REG_2, BPF_REG_10);
	code_alu_imm(&c, BPF_ADD, BPF_REG_2, -100);
	code_mov(&c, BPF_REG_3, BPF_REG_2);
	code_store_imm(&c, 8, BPF_REG_3, 96, 0);
	code_exit(&c);
	CHECK(most(&c) == 128, "the address of a byte");
	code_store_imm(&c, 8, BPF_REG_3, -30, 0);
	CHECK(most(&c) == 160, "below an address that another register has");
	c.nr = 0;
	code_mov(&c, BPF_REG_2, BPF_REG_10);
	code_load(&c, 8, BPF_REG_2, BPF_REG_1, 0);
	code_alu_imm(&c, BPF_ADD, BPF_REG_2, -300);
	code_alu_imm(&c, BPF_ADD, BPF_REG_1, -300);
	code_store_imm(&c, 8, BPF_REG_1, -300, 0);
	code_const(&c, BPF_REG_4, 0xfffffffffffffe00ull);
	code_exit(&c);
	CHECK(most(&c) == 32, "numbers and other memory");
}

/* main (n bytes) calls a (40: 64) and b (8: 32); a calls b. */
static void test_chain(void)
{
	struct code c = { .arena = &arena };
	unsigned a, b, deeper;

	code_store_imm(&c, 8, BPF_REG_10, -416, 0);
	b = call(&c);
	a = call(&c);
	code_exit(&c);
	land(&c, a);
	code_store_imm(&c, 8, BPF_REG_10, -40, 0);
	deeper = call(&c);
	code_exit(&c);
	land(&c, b);
	land(&c, deeper);
	code_store_imm(&c, 8, BPF_REG_10, -8, 0);
	code_exit(&c);
	CHECK(most(&c) == 416 + 64 + 32 && most(&c) == FRAMES_MOST, "the longest chain");
	c.insns[0].off = -417;
	CHECK(most(&c) == FRAMES_MOST + 32, "one byte more is too much");
}

int main(void)
{
	test_one();
	test_addresses();
	test_chain();
	arena_fini(&arena);
	return tap_done();
}
