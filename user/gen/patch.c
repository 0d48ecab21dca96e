// SPDX-License-Identifier: GPL-2.0-only
/*
 * patch.c - writes into a compiled program what this kernel and this definition need.
 *
 * A marker stands in the program for each value, and for each instruction that the compiler cannot make or that only some kernels have
 * (BP_PATCH_* in bprobe_abi.h).
 */
#include "gen/model_priv.h"

/* An operation with a constant, as PATCH_OP() of bpf/patch.bpf.h makes it. */
static bool is_operation(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_ALU64 && BPF_SRC(i->code) == BPF_K && BPF_OP(i->code) != BPF_END;
}

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
	case BP_PATCH_PAIR_PLACES:
		return &m->places_fd;
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

/* See word_take() there: R = MARKER, R = WORD. */
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

void patch_model(const struct model *m, struct code *c)
{
	swap_maps(m, c);
	patch_preempt(m->ids, c);
	patch_cast(m->ids, c);
	patch_session(m->ids, m->values[BP_PATCH_SESSION_PARAM - BP_PATCH_BASE], c);
	patch_ring(m->gate.atomics, c);
	patch_take(m->gate.atomics, c);
	patch_constants(m, c);
}
