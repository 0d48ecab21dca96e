// SPDX-License-Identifier: GPL-2.0-only
/*
 * model.c - turns a compiled program into the program of one definition.
 *
 *	model --copy, patch--> constants --fold, prune--> what this definition needs --splice--> program
 *
 * The compiler made one program for all kernels and definitions. This code evaluates the tests of
 * constants, so that they are not evaluated at each hit. It moves no instruction: those that remain
 * stay in their order.
 */
#include "gen/model.h"

#include <errno.h>

#include "base/macros.h"
#include "gen/count_code.h"
#include "gen/emit.h"
#include "gen/fault_in.h"
#include "gen/frames.h"
#include "gen/pair.h"
#include "lang/pair.h"

_Static_assert((int)PAIR_STACK <= (int)EMIT_STACK, "the body's part of the stack has room for the key's code");

/* ---- instructions ---- */

static bool is_mov(const struct bpf_insn *i)
{
	return i->code == (BPF_ALU64 | BPF_MOV | BPF_K) || i->code == (BPF_ALU | BPF_MOV | BPF_K);
}

/* An operation with a constant, as PATCH_OP() of bpf/patch.bpf.h makes it. */
static bool is_operation(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_ALU64 && BPF_SRC(i->code) == BPF_K && BPF_OP(i->code) != BPF_END;
}

static bool is_marker(const struct bpf_insn *i, enum bp_patch which)
{
	return is_mov(i) && i->imm == (int32_t)which;
}

/* The compiled functions in whose place generated ones come. */
static const struct {
	enum bp_patch marker;
	enum code_function function;
} functions[] = { { BP_PATCH_FETCH_LONG, CODE_FETCH_LONG }, { BP_PATCH_FAULT_IN, CODE_FAULT_IN } };

/* The number of the function that begins with this, from 0; -1: it is not one of these. */
static int function_of(const struct bpf_insn *i)
{
	for (unsigned n = 0; n < ARRAY_SIZE(functions); n++) {
		if (is_marker(i, functions[n].marker))
			return (int)n;
	}
	return -1;
}

static bool is_function_marker(const struct bpf_insn *i)
{
	return function_of(i) >= 0;
}

/* Code will take its place, so it is no constant. */
static bool is_code_marker(const struct bpf_insn *i)
{
	return is_marker(i, BP_PATCH_FETCH) || is_function_marker(i) || is_marker(i, BP_PATCH_PAIR_KEY) ||
	       is_marker(i, BP_PATCH_COUNT);
}

static bool is_jump(const struct bpf_insn *i)
{
	unsigned class = BPF_CLASS(i->code), op = BPF_OP(i->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

static unsigned jump_target(const struct bpf_insn *insns, unsigned i)
{
	return i + 1 + (unsigned)(int)insns[i].off;
}

static unsigned call_target(const struct bpf_insn *insns, unsigned i)
{
	return i + 1 + (unsigned)insns[i].imm;
}

/* Is it a jump to the next instruction, which has no effect? */
static bool is_nop(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_JA) && !i->off;
}

static const struct bpf_insn nop = { .code = BPF_JMP | BPF_JA };

/* ---- values ---- */

/* The map in whose value the address is that the marker @imm stands for; NULL: it stands for no such address. */
static const int *map_of_value(const struct model *m, int32_t imm)
{
	switch (imm) {
	case BP_PATCH_STATS:
		return &m->stats_fd;
	case BP_PATCH_SELVES:
		return &m->selves_fd;
	case BP_PATCH_CALLS:
		return &m->calls_fd;
	case BP_PATCH_TRACING:
		return &m->gate.tracing.fd;
	case BP_PATCH_EVENT:
		return &m->gate.event.fd;
	default:
		return NULL;
	}
}

/* Writes the definition's own values over the markers. */
static void patch_constants(const struct model *m, struct code *c)
{
	for (unsigned i = 0; i < c->nr; i++) {
		struct bpf_insn *insn = &c->insns[i];
		bool wide = code_is_wide(insn);
		unsigned which = (unsigned)insn->imm - BP_PATCH_BASE;
		const int *fd;

		if ((wide ? insn->src_reg : !is_mov(insn) && !is_operation(insn)) || which >= ARRAY_SIZE(m->values) ||
		    is_code_marker(insn)) {
			i += wide;
			continue;
		}
		fd = map_of_value(m, insn->imm);
		if (fd) {
			insn[0] = (struct bpf_insn){ .code = insn->code, .dst_reg = insn->dst_reg,
						     .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = *fd };
			insn[1].imm = (int32_t)m->values[which];
		} else {
			insn->imm = (int32_t)m->values[which];
			if (wide)
				insn[1].imm = (int32_t)(m->values[which] >> 32);
		}
		i += wide;
	}
}

/* Replaces the maps that the model was loaded with by the maps of the definition's channel. */
static void swap_maps(const struct model *m, struct code *c)
{
	for (unsigned i = 0; i < c->nr; i++) {
		struct bpf_insn *insn = &c->insns[i];

		for (unsigned k = 0; k < ARRAY_SIZE(m->maps); k++) {
			if (code_is_wide(insn) && insn->src_reg == BPF_PSEUDO_MAP_FD && insn->imm == m->maps[k].from) {
				insn->imm = m->maps[k].to;
				break;
			}
		}
		i += code_is_wide(insn);
	}
}

/* See preempt_load() in bpf/. BTF tells which variable it is. */
static void patch_preempt(const struct feature_ids *f, struct code *c)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_BTF_ID,
		  .imm = (int32_t)f->preempt_var },
		{ 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_this_cpu_ptr },
		{ .code = BPF_LDX | BPF_MEM | (f->preempt_wide ? BPF_DW : BPF_W), .dst_reg = BPF_REG_0, .src_reg = BPF_REG_0,
		  .off = (int16_t)f->preempt_off },
	};

	for (unsigned i = 0; f->preempt_var && i + ARRAY_SIZE(code) <= c->nr; i++) {
		if (is_marker(&c->insns[i], BP_PATCH_PREEMPT_CODE))
			memcpy(c->insns + i, code, sizeof(code));
	}
}

/* See words_load() there. This is a call of the kernel's function, and two loads from its result. */
static void patch_cast(const struct feature_ids *f, struct code *c)
{
	for (unsigned i = 0; f->cast_func && i + 4 <= c->nr; i++) {
		struct bpf_insn *at = c->insns + i;

		if (!is_marker(at, BP_PATCH_CAST_CODE))
			continue;
		at[0].imm = (int32_t)f->cast_struct;
		at[1] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL,
					   .imm = (int32_t)f->cast_func };
		for (unsigned k = 2; k < 4; k++)
			at[k] = (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = at[k].dst_reg,
						   .src_reg = BPF_REG_0, .off = (int16_t)(8 * (k - 2)) };
	}
}

/* See session_call() there. */
static void patch_session(const struct feature_ids *f, uint64_t param_off, struct code *c)
{
	for (unsigned i = 0; i + 2 <= c->nr; i++) {
		struct bpf_insn *at = c->insns + i;

		if (is_marker(at, BP_PATCH_SESSION_RETURN) || is_marker(at, BP_PATCH_SESSION_COOKIE)) {
			uint32_t func = is_marker(at, BP_PATCH_SESSION_RETURN) ? f->session_return : f->session_cookie;

			*at = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = (int32_t)func };
		} else if (is_marker(at, BP_PATCH_SESSION_PARAM)) {
			at[1] = (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = at[0].dst_reg,
						   .src_reg = at[1].src_reg, .off = (int16_t)param_off };
			at[0] = nop;
		}
		i += code_is_wide(at);
	}
}

/*
 * See reserved_exchange() and seal_store() in bpf/ring.bpf.h: two instructions, R = MARKER and RING = X, name three registers.
 * Before 5.12 BPF has only the addition as an atomic operation.
 */
static void patch_ring(bool atomics, struct code *c)
{
	for (unsigned i = 0; i + 1 < c->nr; i++) {
		struct bpf_insn *at = c->insns + i, change = { .code = BPF_STX | BPF_ATOMIC | BPF_DW };
		uint8_t ring = at[1].dst_reg;

		if (is_marker(at, BP_PATCH_RESERVE_CODE)) {		/* was = ring->reserved, if that is was: ring->reserved = X */
			change.dst_reg = ring;
			change.src_reg = at[1].src_reg;
			change.imm = BPF_CMPXCHG;
		} else if (is_marker(at, BP_PATCH_COMMIT_CODE)) {	/* *X = seal */
			change.dst_reg = at[1].src_reg;
			change.src_reg = at[0].dst_reg;
			change.imm = BPF_XCHG;
		} else {
			i += code_is_wide(at);
			continue;
		}
		at[0] = change;
		at[1] = nop;
		if (!atomics) {
			at[0].code = BPF_STX | BPF_MEM | BPF_DW;
			at[0].imm = 0;
			at[1] = (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = ring,
						   .src_reg = change.src_reg, .off = offsetof(struct bp_ring, fence), .imm = BPF_ADD };
		}
		i++;
	}
}

/* See word_take() in bpf/pair.bpf.h: R = MARKER, R = WORD. */
static void patch_take(bool atomics, struct code *c)
{
	for (unsigned i = 0; i + 1 < c->nr; i++) {
		struct bpf_insn *at = c->insns + i;
		uint8_t word = at[1].src_reg, old = at[0].dst_reg;

		if (is_marker(at, BP_PATCH_TAKE_CODE) && atomics) {
			at[0].imm = 0;
			at[1] = (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = word, .src_reg = old,
						   .imm = BPF_XCHG };
		} else if (is_marker(at, BP_PATCH_TAKE_CODE)) {
			at[0] = (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = old, .src_reg = word };
			at[1] = (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = word };
		}
		i += code_is_wide(at);
	}
}

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

/*
 * A constant and its test become one jump, or nothing. If the constant is compared
 * with a register, they become one comparison.
 */
static void fold_tests(struct code *c)
{
	bool *is_target = arena_array(c->arena, bool, c->nr + 1);

	mark_targets(c, is_target);
	for (unsigned i = 0; i + 1 < c->nr; i++) {
		struct bpf_insn *load = &c->insns[i], *test;
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
		if (!is_live(c, (unsigned)at, load->dst_reg))
			load[0] = load[wide] = nop;
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
static void fold_stores(struct code *c)
{
	bool *is_target = arena_array(c->arena, bool, c->nr + 1);
	int32_t value;

	mark_targets(c, is_target);
	for (unsigned i = 0; i + 2 < c->nr; i++) {
		struct bpf_insn *load = &c->insns[i];
		unsigned at = i + 1 + code_is_wide(load);
		struct bpf_insn *store = &c->insns[at];

		if (BPF_CLASS(store->code) == BPF_STX && BPF_MODE(store->code) == BPF_MEM && store->src_reg == load->dst_reg &&
		    store->dst_reg != load->dst_reg && !is_target[at] && loads_short(c, i, &value) &&
		    !is_live(c, at + 1, load->dst_reg)) {
			*store = (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_SIZE(store->code),
						    .dst_reg = store->dst_reg, .off = store->off, .imm = value };
			load[0] = load[code_is_wide(load)] = nop;
		}
		i = at - 1;
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
static void prune(struct code *from, struct code *to)
{
	unsigned *place = arena_array(from->arena, unsigned, from->nr + 1), nr = 0;
	bool *reached = arena_array(from->arena, bool, from->nr + 1);

	mark_reached(from, 0, reached);
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

/* ---- the fetch code ---- */

/* The index of the marker; -1: there is none. @ret_stack: bytes of the stack in use, or more. */
static int find_fetch(const struct code *c, unsigned *ret_stack)
{
	int low = 0, at = -1;

	for (unsigned i = 0; i < c->nr; i++) {
		const struct bpf_insn *insn = &c->insns[i];
		unsigned class = BPF_CLASS(insn->code);

		if (is_marker(insn, BP_PATCH_FETCH))
			at = (int)i;
		else if ((class == BPF_LDX && insn->src_reg == BPF_REG_10) ||
			 ((class == BPF_STX || class == BPF_ST) && insn->dst_reg == BPF_REG_10))
			low = MIN(low, (int)insn->off);
		else if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_K) && insn->imm < 0)
			low = MIN(low, insn->imm);	/* may be an address on the stack */
		i += code_is_wide(insn);
	}
	*ret_stack = ROUND_UP((unsigned)-low, 8u);
	return at;
}

/* The end of the main program, where its functions begin: the first function that is called. */
static unsigned main_end(const struct code *model)
{
	unsigned end = model->nr;

	for (unsigned i = 0; i < model->nr; i++) {
		if (code_is_local_call(&model->insns[i]) && !code_calls_function(&model->insns[i]))
			end = MIN(end, call_target(model->insns, i));
		i += code_is_wide(&model->insns[i]);
	}
	return end;
}

/* A constant's test was not found, or the fetch code's place is not as expected. */
static int unexpected_shape(struct diag *diag)
{
	return diag_set(diag, -EINVAL, "bprobe's own BPF program does not have the expected shape: it was built with a clang that lays out "
			"code differently");
}

/*
 * Appends @model to the empty @c, with the fetch code in place of the marker. The cold part of
 * the fetch code goes behind the main program: a jump must not leave its function. Jumps across
 * the new code are made longer.
 */
static int splice(const struct model *m, const struct code *model, unsigned fetch, unsigned stack,
		 const struct plan *plan, struct code *c, struct diag *diag)
{
	unsigned *place = arena_array(c->arena, unsigned, model->nr + 1), end = main_end(model);
	struct counter *counter = NULL;
	struct emitter *body = NULL;
	int err = 0;

	for (unsigned i = 0; !err && i <= model->nr; i++) {
		if (i == end) {
			err = emit_rest(body, diag);
			if (counter)
				counter_emit_rest(counter);
		}
		if (i == model->nr)
			break;
		place[i] = c->nr;
		if (i == fetch)
			body = emit_hot(plan, &m->gate, false, stack, c);
		else if (is_marker(&model->insns[i], BP_PATCH_PAIR_KEY) && plan->pair && plan->pair->field)
			pair_emit_key(plan, stack, c);
		else if (is_marker(&model->insns[i], BP_PATCH_PAIR_KEY))
			err = unexpected_shape(diag);
		else if (is_marker(&model->insns[i], BP_PATCH_COUNT))
			counter = counter_emit_hot(plan, &m->gate, stack, c);
		else
			code_add(c, model->insns[i]);
	}
	for (unsigned i = 0; !err && i < model->nr; i++) {
		const struct bpf_insn *insn = &model->insns[i];

		if (is_jump(insn))
			code_land_at(c, place[i], place[jump_target(model->insns, i)]);
		else if (code_is_local_call(insn) && !code_calls_function(insn))
			c->insns[place[i]].imm = (int)place[call_target(model->insns, i)] - (int)place[i] - 1;
		i += code_is_wide(insn);
	}
	if (!err && c->overflow)
		err = diag_at(diag, -E2BIG, plan->def->head_at,
			      "the arguments need more code than one BPF program can hold");
	return err;
}

int model_add_gate(const struct plan *plan, const struct gate_env *env, bool is_saver, struct code *code, struct diag *diag)
{
	return gate_is_needed(plan, env, is_saver) ? gate_emit(plan, env, is_saver, code, diag) : 0;
}

int model_add_count(const struct plan *plan, const struct gate_env *env, struct code *code, struct diag *diag)
{
	if (counter_in_program(plan, env))
		counter_emit_rest(counter_emit_hot(plan, env, 0, code));
	if (code->overflow)
		return diag_at(diag, -E2BIG, plan->def->head_at, "the histograms need more code than one BPF program can hold");
	return 0;
}

int model_add_body(const struct plan *plan, const struct gate_env *env, bool is_long, struct code *code, struct diag *diag)
{
	return emit_rest(emit_hot(plan, env, is_long, 0, code), diag);
}

/* Appends the functions that are called. The gate appends what counts for it. */
static int append_functions(const struct model *m, const struct plan *plan, struct code *c, struct diag *diag)
{
	int err = code_link(c, CODE_FETCH_LONG) ? model_add_body(plan, &m->gate, true, c, diag) : 0;

	if (!err && code_link(c, CODE_FAULT_IN))
		fault_in_emit(plan, c);
	for (enum code_function f = CODE_COUNT; !err && f <= CODE_COUNT_LONG; f++) {
		if (code_link(c, f))
			counter_emit_function(plan, f, c);
	}
	if (!err && c->overflow)
		err = diag_at(diag, -E2BIG, plan->def->head_at, "the arguments need more code than one BPF program can hold");
	return err;
}

/* The program without its gate. */
static int copy_program(const struct model *m, const struct plan *plan, struct code *ret, struct diag *diag)
{
	struct code all = { .arena = ret->arena }, needed = { .arena = ret->arena };
	unsigned stack;
	int fetch, err;

	for (unsigned i = 0; i < m->nr; i++)
		code_add(&all, m->insns[i]);
	swap_maps(m, &all);
	patch_preempt(m->ids, &all);
	patch_cast(m->ids, &all);
	patch_session(m->ids, m->values[BP_PATCH_SESSION_PARAM - BP_PATCH_BASE], &all);
	patch_ring(m->gate.atomics, &all);
	patch_take(m->gate.atomics, &all);
	patch_constants(m, &all);
	fold_tests(&all);
	fold_stores(&all);
	prune(&all, &needed);
	fetch = find_fetch(&needed, &stack);
	if (fetch < 0) {	/* it only saves what a return will need */
		*ret = needed;
		return 0;
	}
	if (needed.insns[fetch].dst_reg != BPF_REG_9)
		return unexpected_shape(diag);
	err = splice(m, &needed, (unsigned)fetch, stack, plan, ret, diag);
	return err ? err : append_functions(m, plan, ret, diag);
}

int model_copy_plain(const struct model *m, struct code *ret, struct diag *diag)
{
	const struct plan none = { 0 };

	return copy_program(m, &none, ret, diag);
}

/*
 * From 6.13 on, a program with 64 bytes of stack has them in memory of its CPU (kernel/bpf/verifier.c, bpf_enable_priv_stack()). The
 * program of a user probe may be preempted, and run for another task on the same CPU: both would have the same memory. A program with a
 * tail call has its stack on the task's. check_subprogs() sees this one. The verifier finds that it is never executed, and removes it;
 * r0 = 0 remains.
 */
static void put_on_stack_of_task(struct code *c)
{
	code_mov_imm(c, BPF_REG_0, 0);
	code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2 });
	code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_tail_call });
	code_exit(c);
}

/* Jumps and calls are relative. */
static void append(const struct code *from, struct code *to)
{
	for (unsigned i = 0; i < from->nr; i++)
		code_add(to, from->insns[i]);
}

static int put_together(const struct model *m, const struct plan *plan, struct code *ret, struct diag *diag)
{
	struct code gate = { .arena = ret->arena }, program = { .arena = ret->arena };
	int err = model_add_gate(plan, &m->gate, m->is_saver, &gate, diag);

	if (!err)
		err = copy_program(m, plan, &program, diag);
	if (err)
		return err;
	if (m->on_stack_of_task)
		put_on_stack_of_task(ret);
	append(&gate, ret);
	append(&program, ret);
	return 0;
}

int model_copy(const struct model *m, const struct plan *plan, struct code *ret, struct diag *diag)
{
	struct model apart = *m;
	unsigned most;

	for (apart.gate.apart = APART_RARE; apart.gate.apart <= APART_ALL; apart.gate.apart++) {
		int err;

		ret->nr = 0;
		err = put_together(&apart, plan, ret, diag);
		if (err || frames_most(ret->insns, ret->nr, FRAMES_UNIT, ret->arena) <= FRAMES_MOST)
			return err;
	}
	/* What fits only by the smaller unit is left to the verifier. */
	most = frames_most(ret->insns, ret->nr, FRAMES_UNIT_LEAST, ret->arena);
	if (most <= FRAMES_MOST)
		return 0;
	diag_at(diag, -E2BIG, plan->def->head_at, "the arguments, filters and triggers need %u bytes of a BPF program's stack, and there are %d",
		most, FRAMES_MOST);
	diag_note(diag, "help: give the event fewer histograms, or histograms with fewer keys");
	return -E2BIG;
}
