// SPDX-License-Identifier: GPL-2.0-only
/*
 * fold.c - evaluates the tests of constants in a compiled program, and removes what cannot be reached then.
 *
 * Otherwise these tests would be evaluated at each hit. No instruction is moved: those that remain stay in their order.
 */
#include "gen/model_priv.h"

/* ---- tests of constants ---- */

static void mark_targets(const struct code *c, bool *is_target)
{
	for (unsigned i = 0; i < c->nr; i++) {
		if (is_jump(&c->insns[i]))
			is_target[jump_target(c->insns, i)] = true;
		i += code_is_wide(&c->insns[i]);
	}
}

/* The number of arguments of a call. For helpers not listed here it is the largest possible number. */
static unsigned call_args(const struct bpf_insn *call)
{
	switch (call->src_reg ? 0 : call->imm) {
	case BPF_FUNC_ktime_get_ns:
	case BPF_FUNC_get_smp_processor_id:
	case BPF_FUNC_get_current_pid_tgid:
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_task_btf:
		return 0;
	case BPF_FUNC_this_cpu_ptr:
		return 1;
	case BPF_FUNC_map_lookup_elem:
		return 2;
	case BPF_FUNC_ringbuf_output:
		return 4;
	default:
		return 5;
	}
}

static bool reads(const struct bpf_insn *i, unsigned reg)
{
	unsigned class = BPF_CLASS(i->code), op = BPF_OP(i->code);
	bool by_src = i->src_reg == reg && (BPF_SRC(i->code) == BPF_X);

	switch (class) {
	case BPF_ALU:
	case BPF_ALU64:
		return by_src || (i->dst_reg == reg && op != BPF_MOV);
	case BPF_JMP:
	case BPF_JMP32:
		if (op == BPF_CALL)
			return reg >= BPF_REG_1 && reg <= call_args(i);
		if (op == BPF_EXIT)
			return reg == BPF_REG_0;
		return op != BPF_JA && (by_src || i->dst_reg == reg);
	case BPF_LDX:
		return i->src_reg == reg;
	case BPF_ST:
		return i->dst_reg == reg;
	case BPF_STX:
		return i->dst_reg == reg || i->src_reg == reg ||
		       (BPF_MODE(i->code) == BPF_ATOMIC && i->imm == BPF_CMPXCHG && reg == BPF_REG_0);
	default:
		return false;
	}
}

static bool writes(const struct bpf_insn *i, unsigned reg)
{
	unsigned class = BPF_CLASS(i->code);

	if (class == BPF_JMP || class == BPF_JMP32)
		return BPF_OP(i->code) == BPF_CALL && reg <= BPF_REG_5;
	return (class == BPF_ALU || class == BPF_ALU64 || class == BPF_LDX || class == BPF_LD) && i->dst_reg == reg;
}

/* Does any code from @start on read the value that @reg has at @start? */
static bool is_live(const struct code *c, unsigned start, unsigned reg)
{
	unsigned *todo = arena_array(c->arena, unsigned, c->nr + 1), nr = 0;
	bool *seen = arena_array(c->arena, bool, c->nr + 1);

	todo[nr++] = start;
	while (nr) {
		for (unsigned i = todo[--nr]; i < c->nr && !seen[i]; i++) {
			const struct bpf_insn *insn = &c->insns[i];

			seen[i] = true;
			if (reads(insn, reg))
				return true;
			if (writes(insn, reg) || insn->code == (BPF_JMP | BPF_EXIT))
				break;
			if (is_jump(insn))
				todo[nr++] = jump_target(c->insns, i);
			if (insn->code == (BPF_JMP | BPF_JA))
				break;
			i += code_is_wide(insn);
		}
	}
	return false;
}

/* The jump that tests the constant loaded at @i, if no code between them reads or writes its register; else -1. */
static int find_test(const struct code *c, unsigned i, const bool *is_target)
{
	unsigned reg = c->insns[i].dst_reg;

	for (unsigned at = i + 1 + code_is_wide(&c->insns[i]); at < c->nr && !is_target[at]; at++) {
		const struct bpf_insn *insn = &c->insns[at];
		unsigned class = BPF_CLASS(insn->code);

		if (is_jump(insn))
			return insn->code != (BPF_JMP | BPF_JA) ? (int)at : -1;
		if (class == BPF_JMP || reads(insn, reg) || writes(insn, reg))
			return -1;
		at += code_is_wide(insn);
	}
	return -1;
}

/* The same comparison with its sides exchanged: r1 < r2 becomes r2 > r1. */
static unsigned exchanged(unsigned op)
{
	switch (op) {
	case BPF_JSGT:
		return BPF_JSLT;
	case BPF_JSLT:
		return BPF_JSGT;
	case BPF_JSGE:
		return BPF_JSLE;
	case BPF_JSLE:
		return BPF_JSGE;
	case BPF_JGT:
		return BPF_JLT;
	case BPF_JLT:
		return BPF_JGT;
	case BPF_JGE:
		return BPF_JLE;
	case BPF_JLE:
		return BPF_JGE;
	default:
		return op == BPF_JEQ || op == BPF_JNE ? op : 0;
	}
}

/* Marks everything that can be reached from @start, without the code of fetch_long(). */
static void mark_reached(const struct code *c, unsigned start, bool *reached)
{
	unsigned *todo = arena_array(c->arena, unsigned, c->nr + 1), nr = 0;

	todo[nr++] = start;
	while (nr) {
		for (unsigned i = todo[--nr]; i < c->nr && !reached[i]; i++) {
			const struct bpf_insn *insn = &c->insns[i];
			unsigned to = code_is_local_call(insn) ? call_target(c->insns, i) : jump_target(c->insns, i);

			reached[i] = true;
			if (code_is_wide(insn)) {
				reached[++i] = true;
			} else if (is_jump(insn) || (code_is_local_call(insn) && !is_function_marker(&c->insns[to]))) {
				if (to < c->nr && !reached[to])
					todo[nr++] = to;
				if (insn->code == (BPF_JMP | BPF_JA))
					break;
			} else if (insn->code == (BPF_JMP | BPF_EXIT)) {
				break;
			}
		}
	}
}

/*
 * A constant and its test become one jump, or nothing. If the constant is compared
 * with a register, they become one comparison. Whether the constant is read elsewhere is asked at the end, when the program's jumps are
 * known, and only where the program gets to: @reached is marked then.
 */
static void fold_tests(struct code *c, bool *reached)
{
	bool *is_target = arena_array(c->arena, bool, c->nr + 1);
	unsigned *tests = arena_array(c->arena, unsigned, c->nr + 1);	/* of the load with the same index; 0: it has none */

	mark_targets(c, is_target);
	for (unsigned i = 0; i + 1 < c->nr; i++) {
		struct bpf_insn *load = &c->insns[i], *test;
		unsigned from = i;
		bool wide = code_is_wide(load), taken;
		int at;

		if ((wide ? load->src_reg : !is_mov(load)) || is_code_marker(load) || (at = find_test(c, i, is_target)) < 0) {
			i += wide;
			continue;
		}
		i += wide;
		test = &c->insns[at];
		if (BPF_SRC(test->code) == BPF_K && test->dst_reg == load->dst_reg &&
		    (BPF_OP(test->code) == BPF_JEQ || BPF_OP(test->code) == BPF_JNE)) {
			taken = (load->imm == test->imm && (!wide || !load[1].imm)) == (BPF_OP(test->code) == BPF_JEQ);
			*test = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = taken ? test->off : (int16_t)0 };
		} else if (BPF_SRC(test->code) == BPF_X && test->dst_reg == load->dst_reg && !wide && load->imm >= 0 &&
			   test->src_reg != load->dst_reg && exchanged(BPF_OP(test->code))) {
			*test = (struct bpf_insn){
				.code = BPF_CLASS(test->code) | BPF_K | exchanged(BPF_OP(test->code)),
				.dst_reg = test->src_reg, .off = test->off, .imm = load->imm,
			};
		} else {
			continue;
		}
		tests[from] = (unsigned)at;
	}
	mark_reached(c, 0, reached);
	for (unsigned i = 0; i < c->nr; i++) {
		struct bpf_insn *load = &c->insns[i];
		bool wide = code_is_wide(load);

		if (tests[i] && reached[i] && !is_live(c, tests[i], load->dst_reg))
			load[0] = load[wide] = nop;
		i += wide;
	}
}

/* The number that the load at @i loads; false: it is not known, or not the sign-extended 32 bits that a store can have. */
static bool loads_short(const struct code *c, unsigned i, int32_t *ret)
{
	const struct bpf_insn *load = &c->insns[i];

	*ret = load->imm;
	if (code_is_wide(load))
		return !load->src_reg && load[1].imm == (load->imm < 0 ? -1 : 0);
	return is_mov(load) && (load->imm >= 0 || BPF_CLASS(load->code) == BPF_ALU64) && !is_code_marker(load);
}

/* A constant that is only loaded to be stored is stored at once. */
static void fold_stores(struct code *c, const bool *reached)
{
	bool *is_target = arena_array(c->arena, bool, c->nr + 1);
	int32_t value;

	mark_targets(c, is_target);
	for (unsigned i = 0; i + 2 < c->nr; i++) {
		struct bpf_insn *load = &c->insns[i];
		unsigned at = i + 1 + code_is_wide(load);
		struct bpf_insn *store = &c->insns[at];

		if (reached[i] && BPF_CLASS(store->code) == BPF_STX && BPF_MODE(store->code) == BPF_MEM && store->src_reg == load->dst_reg &&
		    store->dst_reg != load->dst_reg && !is_target[at] && loads_short(c, i, &value) &&
		    !is_live(c, at + 1, load->dst_reg)) {
			*store = (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_SIZE(store->code),
						    .dst_reg = store->dst_reg, .off = store->off, .imm = value };
			load[0] = load[code_is_wide(load)] = nop;
		}
		i = at - 1;
	}
}

/* ---- what is left ---- */

/* Is it a jump to the next instruction, which has no effect? */
static bool is_nop(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_JA) && !i->off;
}

/* Removes jumps that only skip unreachable code. */
static void drop_jumps(struct code *c, const bool *reached)
{
	for (unsigned i = 0; i < c->nr; i++) {
		unsigned to = jump_target(c->insns, i), at = i + 1;

		if (c->insns[i].code != (BPF_JMP | BPF_JA) || to > c->nr) {
			i += code_is_wide(&c->insns[i]);
			continue;
		}
		while (at < to && !reached[at])
			at++;
		if (at == to)
			c->insns[i] = nop;
	}
}

/*
 * Copies @from to @to without unreachable code and without instructions that do nothing.
 * Calls of functions that are generated get their marks.
 */
static void prune(struct code *from, const bool *reached, struct code *to)
{
	unsigned *place = arena_array(from->arena, unsigned, from->nr + 1), nr = 0;

	drop_jumps(from, reached);
	for (unsigned i = 0; i < from->nr; i++) {
		place[i] = nr;
		nr += reached[i] && !is_nop(&from->insns[i]);
	}
	for (unsigned i = 0; i < from->nr; i++) {
		const struct bpf_insn *insn = &from->insns[i];
		struct bpf_insn copy = *insn;
		bool wide = code_is_wide(insn);

		if (!reached[i] || is_nop(insn))
			continue;
		if (is_jump(insn)) {
			copy.off = (int16_t)((int)place[jump_target(from->insns, i)] - (int)place[i] - 1);
		} else if (code_is_local_call(insn)) {
			unsigned target = call_target(from->insns, i);
			int function = function_of(&from->insns[target]);

			copy.imm = function >= 0 ? (int32_t)functions[function].function : (int)place[target] - (int)place[i] - 1;
		}
		code_add(to, copy);
		if (wide)
			code_add(to, from->insns[++i]);
	}
}

void fold_model(struct code *from, struct code *to)
{
	bool *reached = arena_array(from->arena, bool, from->nr + 1);

	fold_tests(from, reached);
	fold_stores(from, reached);
	prune(from, reached, to);
}
