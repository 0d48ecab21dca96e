// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_model.c - from a compiled program to a definition's own.
 *
 * Each model is a few instructions. The expected result is written by hand, in the
 * form of the verifier's log.
 */
#include "bprobe_abi.h"
#include "gen/model.h"
#include "lang/kprobe.h"
#include "plan/plan.h"
#include "tap.h"

#define NOTHING		"p f"
#define REGISTER	"p f v=%di"
#define BODY		"r8 = 0|r9 = 0|"			/* of NOTHING */
#define REGISTER_BODY	BODY "r3 = *(u64 *)(r6 +112)|*(u64 *)(r7 +72) = r3|"

static const int32_t ALL = BP_PATCH_ALL_TASKS, CPUS = BP_PATCH_CPUS, FUNC = BP_PATCH_FUNC, STATS = BP_PATCH_STATS,
		     SHIFT = BP_PATCH_STATS_SHIFT;

static void call_local(struct code *c, unsigned at, unsigned target)
{
	c->insns[at] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL,
					  .imm = (int32_t)(target - at - 1) };
}

static unsigned wide(struct code *c, unsigned reg, int32_t marker)
{
	code_add(c, (struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = reg, .imm = marker });
	return code_add(c, (struct bpf_insn){ 0 });
}

static unsigned jump_reg(struct code *c, unsigned op, unsigned dst, unsigned src)
{
	return code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_X | op, .dst_reg = dst, .src_reg = src });
}

/* The instructions without their numbers, with a bar after each. */
static void print(const struct code *c, struct buf *out)
{
	struct buf text = { 0 };

	code_print(c->insns, c->nr, &text);
	for (char *line = text.data, *end; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		line = strchr(line, ':') + 2;
		buf_add(out, line, (size_t)(end - line));
		buf_addc(out, '|');
	}
	buf_fini(&text);
}

static void expect(const char *name, const struct code *model, const char *def_text, const char *wanted)
{
	struct feature_ids ids = { 0 };
	struct model m = { .insns = model->insns, .nr = model->nr, .ids = &ids, .stats_fd = 5 };
	struct code made = { .arena = model->arena };
	struct facts facts = { 0 };
	struct diag diag = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct buf got = { 0 };
	int err = kprobe_parse(model->arena, def_text, &def, &diag);

	m.values[ALL - BP_PATCH_BASE] = 1;
	m.values[CPUS - BP_PATCH_BASE] = 8;
	m.values[FUNC - BP_PATCH_BASE] = 0xffffffff81000000ull;
	m.values[STATS - BP_PATCH_BASE] = 96;
	m.values[SHIFT - BP_PATCH_BASE] = 7;
	if (!err)
		err = plan_resolve(model->arena, def, &facts, &plan, &diag);
	if (!err)
		err = model_copy(&m, plan, &made, &diag);
	if (err)
		buf_adds(&got, buf_str(&diag.msg));
	else
		print(&made, &got);
	CHECK(!strcmp(buf_str(&got), wanted), "%s", name);
	if (strcmp(buf_str(&got), wanted))
		printf("# got    %s\n# wanted %s\n", buf_str(&got), wanted);
	buf_fini(&got);
	diag_fini(&diag);
}

/* Are all tasks traced? @op jumps over a call or to it. */
static void jump_over_call(struct code *c, unsigned op)
{
	unsigned jump;

	c->nr = 0;
	code_mov_imm(c, BPF_REG_1, ALL);
	jump = code_jump_imm(c, op, BPF_REG_1, 0);
	code_call(c, BPF_FUNC_get_current_pid_tgid);
	code_land(c, jump);
	code_mov_imm(c, BPF_REG_0, 0);
	code_exit(c);
}

/* Both outcomes of a test that a constant decides. */
static void test_folds(void)
{
	struct arena arena = { 0 };
	struct code c = { .arena = &arena };
	unsigned jump;

	jump_over_call(&c, BPF_JNE);		/* all tasks: taken */
	expect("what is jumped over goes", &c, NOTHING, "r0 = 0|exit|");
	jump_over_call(&c, BPF_JEQ);
	expect("what is not jumped over stays", &c, NOTHING, "call get_current_pid_tgid|r0 = 0|exit|");

	/* The register is used again: only the test goes. */
	c.nr = 0;
	code_mov_imm(&c, BPF_REG_1, ALL);
	jump = code_jump_imm(&c, BPF_JEQ, BPF_REG_1, 0);
	code_mov(&c, BPF_REG_0, BPF_REG_1);
	code_exit(&c);
	code_land(&c, jump);
	code_mov_imm(&c, BPF_REG_0, 0);
	code_exit(&c);
	expect("a constant that is used stays", &c, NOTHING, "r1 = 1|r0 = r1|exit|");

	/* ... and by a call's arguments, as far as is known. */
	c.nr = 0;
	wide(&c, BPF_REG_2, FUNC);
	jump = code_jump_imm(&c, BPF_JEQ, BPF_REG_2, 0);
	code_call(&c, BPF_FUNC_ringbuf_discard);
	code_land(&c, jump);
	code_mov_imm(&c, BPF_REG_0, 0);
	code_exit(&c);
	expect("an argument of a call stays", &c, NOTHING, "r2 = 0xffffffff81000000|call helper 133|r0 = 0|exit|");

	/* Another value reaches the same test on another way. */
	c.nr = 0;
	code_mov_imm(&c, BPF_REG_1, 0);
	jump = code_jump_imm(&c, BPF_JNE, BPF_REG_6, 0);
	code_mov_imm(&c, BPF_REG_1, ALL);
	code_land(&c, jump);
	jump = code_jump_imm(&c, BPF_JEQ, BPF_REG_1, 0);
	code_call(&c, BPF_FUNC_ktime_get_ns);
	code_land(&c, jump);
	code_exit(&c);
	expect("a test that others jump to stays", &c, NOTHING,
	       "r1 = 0|if r6 != 0 goto 3|r1 = 1|if r1 == 0 goto 5|call ktime_get_ns|exit|");
	arena_fini(&arena);
}

static void test_values(void)
{
	struct arena arena = { 0 };
	struct code c = { .arena = &arena };
	unsigned jump;

	code_mov_imm(&c, BPF_REG_1, CPUS);
	jump = jump_reg(&c, BPF_JLE, BPF_REG_1, BPF_REG_7);
	wide(&c, BPF_REG_8, STATS);
	code_alu_imm(&c, BPF_LSH, BPF_REG_7, SHIFT);
	code_alu(&c, BPF_ADD, BPF_REG_8, BPF_REG_7);
	code_land(&c, jump);
	code_mov_imm(&c, BPF_REG_0, 0);
	code_exit(&c);
	/* 8 <= r7 is r7 >= 8; two numbers name the map's value: descriptor 5, offset 96. */
	expect("a constant moves into its comparison", &c, NOTHING,
	       "if r7 >= 8 goto 5|r8 = 0x6000000005|r7 <<= 7|r8 += r7|r0 = 0|exit|");
	arena_fini(&arena);
}

static void store(struct code *c, unsigned size, unsigned from)
{
	code_store(c, size, BPF_REG_7, 16, from);
}

static void test_stores(void)
{
	struct arena arena = { 0 };
	struct code c = { .arena = &arena };
	unsigned jump;

	code_mov_imm(&c, BPF_REG_1, CPUS);
	store(&c, 4, BPF_REG_1);
	wide(&c, BPF_REG_2, FUNC);
	store(&c, 8, BPF_REG_2);
	code_mov_imm(&c, BPF_REG_0, 0);
	code_exit(&c);
	/* 0xffffffff81000000 is -2130706432 as 32 bits, which a store extends again. */
	expect("a constant is stored at once", &c, NOTHING,
	       "*(u32 *)(r7 +16) = 8|*(u64 *)(r7 +16) = -2130706432|r0 = 0|exit|");

	c.nr = 0;
	code_mov_imm(&c, BPF_REG_0, CPUS);
	store(&c, 4, BPF_REG_0);
	code_exit(&c);
	expect("not if it is used again", &c, NOTHING, "r0 = 8|*(u32 *)(r7 +16) = r0|exit|");

	c.nr = 0;
	code_mov_imm(&c, BPF_REG_1, 5);
	jump = code_jump_imm(&c, BPF_JNE, BPF_REG_6, 0);
	code_mov_imm(&c, BPF_REG_1, 6);
	code_land(&c, jump);
	store(&c, 4, BPF_REG_1);
	code_mov_imm(&c, BPF_REG_0, 0);
	code_exit(&c);
	expect("nor if another way leads to the store", &c, NOTHING,
	       "r1 = 5|if r6 != 0 goto 3|r1 = 6|*(u32 *)(r7 +16) = r1|r0 = 0|exit|");
	arena_fini(&arena);
}

static void test_fetch(void)
{
	struct arena arena = { 0 };
	struct code c = { .arena = &arena };
	unsigned jump, call, again, both;

	jump = code_jump_imm(&c, BPF_JEQ, BPF_REG_7, 0);
	code_mov_imm(&c, BPF_REG_9, BP_PATCH_FETCH);
	code_land(&c, jump);
	code_exit(&c);
	expect("the fetch code takes the marker's place", &c, REGISTER,
	       "if r7 == 0 goto 5|" REGISTER_BODY "exit|");

	/* A jump back across it, and a function after it. */
	c.nr = 0;
	again = code_mov_imm(&c, BPF_REG_9, BP_PATCH_FETCH);
	jump = code_jump_imm(&c, BPF_JNE, BPF_REG_0, 0);
	code_land_at(&c, jump, again);
	call = code_exit(&c);			/* becomes the call */
	code_exit(&c);
	both = code_mov_imm(&c, BPF_REG_0, 3);
	code_exit(&c);
	call_local(&c, call, both);
	expect("jumps and calls across it are right", &c, REGISTER,
	       REGISTER_BODY "if r0 != 0 goto 0|call 7|exit|r0 = 3|exit|");

	/* The long body comes last, and only where it is called. */
	c.nr = 0;
	code_mov_imm(&c, BPF_REG_9, BP_PATCH_FETCH);
	call = code_exit(&c);
	code_exit(&c);
	both = code_mov_imm(&c, BPF_REG_0, BP_PATCH_FETCH_LONG);
	code_exit(&c);
	call_local(&c, call, both);
	expect("the long body replaces its function", &c, NOTHING,
	       BODY "call 4|exit|r6 = r1|r7 = r2|r8 = r3|r8 = 0|r9 = 0|r8 += 7|r8 &= -8|r8 <<= 8|r9 |= r8|r0 = r9|exit|");
	c.insns[call] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
	expect("not called, it is not there", &c, NOTHING, BODY "exit|");

	c.nr = 0;
	code_mov_imm(&c, BPF_REG_8, BP_PATCH_FETCH);
	code_exit(&c);
	expect("a marker in another register", &c, NOTHING,
	       "bprobe's own BPF program does not have the expected shape: it was built with a clang that lays out code "
	       "differently");
	arena_fini(&arena);
}

int main(void)
{
	test_folds();
	test_values();
	test_stores();
	test_fetch();
	return tap_done();
}
