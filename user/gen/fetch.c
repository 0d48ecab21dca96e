// SPDX-License-Identifier: GPL-2.0-only
/*
 * fetch.c - BPF that loads a value into a register.
 */
#include "gen/fetch.h"

#include <stddef.h>

#include "arch/kernel.h"
#include "bprobe_abi.h"
#include "gen/calc_code.h"

_Static_assert(REG_PARAMS == BP_REG_PARAMS, "an entry probe saves the parameters in registers first");

void fetch_read(const struct fetcher *fetcher, unsigned bytes, bool user)
{
	struct code *c = fetcher->code;

	code_mov_imm(c, BPF_REG_2, (int32_t)bytes);
	/* probe_read treats an address below TASK_SIZE as user memory, as the kernel's own fetch does */
	code_call(c, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read);
	fetcher->failed(fetcher->ctx, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0));
}

void fetch_follow(const struct fetcher *fetcher, bool user)
{
	struct code *c = fetcher->code;

	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, fetcher->spill);
	fetch_read(fetcher, 8, user);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, fetcher->spill);
}

/*
 * $stackN: word N behind the stack pointer if that word is in the same stack as
 * the stack pointer, else 0 (6.12, regs_get_kernel_stack_nth()). If the read fails,
 * the result is 0, too: the helper clears what it could not fill.
 */
static void emit_stack_word(const struct fetcher *fetcher, unsigned n)
{
	struct code *c = fetcher->code;
	unsigned outside;

	code_load(c, 8, BPF_REG_1, BPF_REG_6, 8 * REG_SP);
	code_mov(c, BPF_REG_3, BPF_REG_1);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, (int32_t)(8 * n));
	code_alu(c, BPF_XOR, BPF_REG_1, BPF_REG_3);
	code_alu_imm(c, BPF_RSH, BPF_REG_1, KERNEL_STACK_SHIFT);
	code_store_imm(c, 8, BPF_REG_10, fetcher->spill, 0);
	outside = code_jump_imm(c, BPF_JNE, BPF_REG_1, 0);
	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, fetcher->spill);
	code_mov_imm(c, BPF_REG_2, 8);
	code_call(c, BPF_FUNC_probe_read_kernel);
	code_land(c, outside);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, fetcher->spill);
}

/*
 * For a value that is a pointer for the verifier, which cannot be loaded or not be used as a number. About the
 * helper's result the verifier knows nothing. The kernel writes the helper's few instructions into the program.
 */
static void emit_by_helper(const struct fetcher *fetcher, const struct context_word *w)
{
	bool is_return = w->way == WORD_FUNC_RET;
	unsigned to = is_return ? BPF_REG_2 : BPF_REG_3;
	struct code *c = fetcher->code;

	code_store_imm(c, 8, BPF_REG_10, fetcher->spill, 0);
	code_mov(c, BPF_REG_1, BPF_REG_6);
	if (!is_return)
		code_mov_imm(c, BPF_REG_2, (int32_t)w->n);
	code_mov(c, to, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, to, fetcher->spill);
	code_call(c, is_return ? CODE_GET_FUNC_RET : CODE_GET_FUNC_ARG);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, fetcher->spill);
}

/*
 * The same for a parameter, where the kernel has bpf_rdonly_cast(): the call is one instruction, and the load some eight. The
 * helper takes twice as many.
 */
static void emit_by_cast(const struct fetcher *fetcher, const struct context_word *w)
{
	struct code *c = fetcher->code;

	code_mov(c, BPF_REG_1, BPF_REG_6);
	code_mov_imm(c, BPF_REG_2, (int32_t)w->cast_struct);
	code_call_kernel(c, w->cast_func);
	code_load(c, 8, BPF_REG_3, BPF_REG_0, (int16_t)(8 * w->n));
}

/*
 * A value of the context. The context is struct pt_regs, or what a trampoline
 * saved: the parameters, and behind them the return value.
 */
static void emit_context(const struct fetcher *fetcher, const struct fetch *f)
{
	const struct plan *plan = fetcher->plan;
	struct context_word w = plan->layout.backend->context_word(plan, f);

	if (w.way == WORD_LOAD)
		code_load(fetcher->code, 8, BPF_REG_3, BPF_REG_6, (int16_t)(8 * w.n));
	else if (w.way == WORD_CAST)
		emit_by_cast(fetcher, &w);
	else
		emit_by_helper(fetcher, &w);
}

void fetch_place(const struct fetcher *fetcher)
{
	enum backend_place place = fetcher->plan->layout.backend->hit.places[fetcher->plan->target.is_return];
	struct code *c = fetcher->code;

	switch (place) {
	case PLACE_KNOWN:
		code_const(c, BPF_REG_3, fetcher->plan->seen_func);
		break;
	case PLACE_IP:
		code_load(c, 8, BPF_REG_3, BPF_REG_6, 8 * REG_IP);
		break;
	case PLACE_KPROBE_IP:
	case PLACE_FTRACE_IP:
		code_load(c, 8, BPF_REG_3, BPF_REG_6, 8 * REG_IP);
		code_alu_imm(c, BPF_SUB, BPF_REG_3, place == PLACE_KPROBE_IP ? KPROBE_IP_BEHIND : FTRACE_IP_BEHIND);
		break;
	default:
		code_mov(c, BPF_REG_1, BPF_REG_6);
		code_call(c, place == PLACE_FUNC_IP ? BPF_FUNC_get_func_ip : BPF_FUNC_get_attach_cookie);
		code_mov(c, BPF_REG_3, BPF_REG_0);
		break;
	}
}

/*
 * The record's time, or without a record the present time, minus the time of the entry. CPUs may read clocks that differ by some
 * nanoseconds while the kernel adjusts them: a difference just below 0 is 0.
 */
static void emit_elapsed(const struct fetcher *fetcher)
{
	enum { CLOCKS_DIFFER_NS = 1 << 20 };
	struct code *c = fetcher->code;
	unsigned later;

	if (fetcher->no_record) {
		code_call(c, BPF_FUNC_ktime_get_ns);
		code_mov(c, BPF_REG_3, BPF_REG_0);
	}
	code_load(c, 8, BPF_REG_1, BPF_REG_10, fetcher->saved);
	code_load(c, 8, BPF_REG_1, BPF_REG_1, offsetof(struct bp_saved, time));
	fetcher->failed(fetcher->ctx, code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0));
	if (!fetcher->no_record)
		code_load(c, 8, BPF_REG_3, BPF_REG_7, offsetof(struct bp_rec, ts));
	later = code_jump_reg(c, BPF_JGE, BPF_REG_3, BPF_REG_1);
	code_mov(c, BPF_REG_2, BPF_REG_1);
	code_alu(c, BPF_SUB, BPF_REG_2, BPF_REG_3);
	fetcher->failed(fetcher->ctx, code_jump_imm(c, BPF_JGT, BPF_REG_2, CLOCKS_DIFFER_NS));
	code_mov(c, BPF_REG_3, BPF_REG_1);
	code_land(c, later);
	code_alu(c, BPF_SUB, BPF_REG_3, BPF_REG_1);
}

/* The kernel's table of the distances is in its data, so the read does not fail. */
static void emit_percpu(const struct fetcher *fetcher, const struct fetch *f)
{
	struct code *c = fetcher->code;

	code_call(c, BPF_FUNC_get_smp_processor_id);
	code_mov(c, BPF_REG_3, BPF_REG_0);
	code_alu_imm(c, BPF_LSH, BPF_REG_3, 3);
	code_const(c, BPF_REG_1, f->value);
	code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_1);
	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, fetcher->spill);
	fetch_read(fetcher, 8, false);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, fetcher->spill);
}

/* The context is the event's record. */
static void emit_event_field(struct code *c, const struct fetch *f)
{
	unsigned loose = 64 - 8u * f->size;

	if (f->form == FIELD_NUMBER) {
		code_load(c, f->size, BPF_REG_3, BPF_REG_6, (int16_t)f->off);
		if (f->is_signed && loose) {
			code_alu_imm(c, BPF_LSH, BPF_REG_3, (int32_t)loose);
			code_alu_imm(c, BPF_ARSH, BPF_REG_3, (int32_t)loose);
		}
		return;
	}
	code_mov(c, BPF_REG_3, BPF_REG_6);
	if (f->form != FIELD_HERE) {
		code_load(c, 4, BPF_REG_1, BPF_REG_6, (int16_t)f->off);
		code_alu_imm(c, BPF_AND, BPF_REG_1, 0xffff);
		code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_1);
	}
	if (f->form != FIELD_DATA_LOC)
		code_alu_imm(c, BPF_ADD, BPF_REG_3, f->off + (f->form == FIELD_REL_LOC ? 4 : 0));
}

/* The context is struct pt_regs. */
static void emit_indexed(struct code *c, const struct fetch *f)
{
	code_load(c, 8, BPF_REG_3, BPF_REG_6, 8 * (int16_t)f->index);
	code_alu_imm(c, BPF_MUL, BPF_REG_3, f->scale);
	if (f->no_base)
		return;
	code_load(c, 8, BPF_REG_1, BPF_REG_6, 8 * (int16_t)f->reg);
	code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_1);
}

void fetch_source(const struct fetcher *fetcher, const struct fetch *f)
{
	struct code *c = fetcher->code;

	switch (f->src) {
	case FETCH_REG:
		if (f->has_index)
			emit_indexed(c, f);
		else
			emit_context(fetcher, f);
		break;
	case FETCH_STACKN:
		emit_stack_word(fetcher, f->n);
		break;
	case FETCH_VALUE:
		code_const(c, BPF_REG_3, f->value);
		break;
	case FETCH_COMM:
		code_mov(c, BPF_REG_3, BPF_REG_7);
		code_alu_imm(c, BPF_ADD, BPF_REG_3, offsetof(struct bp_rec, comm));
		break;
	case FETCH_TASK:
		code_call(c, BPF_FUNC_get_current_task);
		code_mov(c, BPF_REG_3, BPF_REG_0);
		break;
	case FETCH_SAVED:
		if (fetcher->plan->layout.backend->hit.shows_params) {
			emit_context(fetcher, f);
			break;
		}
		code_load(c, 8, BPF_REG_1, BPF_REG_10, fetcher->saved);
		if (fetcher->plan->saved.time || fetcher->plan->paired.pair) {	/* the address is never 0 */
			code_load(c, 8, BPF_REG_3, BPF_REG_1, fetcher->plan->paired.pair ? offsetof(struct bp_saved, caller)
										  : offsetof(struct bp_saved, time));
			fetcher->failed(fetcher->ctx, code_jump_imm(c, BPF_JEQ, BPF_REG_3, 0));
		} else {
			fetcher->failed(fetcher->ctx, code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0));
		}
		code_load(c, 8, BPF_REG_3, BPF_REG_1, (int16_t)(fetcher->plan->layout.backend->hit.shows_one ? 0 : 8 * f->n));
		break;
	case FETCH_ELAPSED:
		emit_elapsed(fetcher);
		break;
	case FETCH_CALLER:		/* capture() has filled in the locations before */
		code_load(c, 8, BPF_REG_3, BPF_REG_7, BP_BODY_OFF + LAYOUT_COMMON + 8);
		break;
	case FETCH_PLACE:
		if (fetcher->no_record) {
			fetch_place(fetcher);
			break;
		}
		code_load(c, 8, BPF_REG_3, BPF_REG_7, BP_BODY_OFF + LAYOUT_COMMON);
		break;
	case FETCH_WORD:
		code_load(c, 8, BPF_REG_3, BPF_REG_6, (int16_t)(8 * f->n));
		break;
	case FETCH_FIELD:
		emit_event_field(c, f);
		break;
	case FETCH_PERCPU:
		emit_percpu(fetcher, f);
		break;
	case FETCH_CALC:
		calc_emit(fetcher, f->calc);
		break;
	case FETCH_TEXT:		/* it has no address: emit_text() writes it */
		break;
	}
	if (f->shift)
		code_alu_imm(c, BPF_RSH, BPF_REG_3, f->shift);
}

void fetch_address(const struct fetcher *fetcher, const struct fetch *f)
{
	fetch_source(fetcher, f);
	for (unsigned i = 0; i < f->nr_derefs; i++) {
		if (i)
			fetch_follow(fetcher, f->derefs[i - 1].user);
		code_add_const(fetcher->code, BPF_REG_3, f->derefs[i].off, BPF_REG_1);
	}
}
