// SPDX-License-Identifier: GPL-2.0-only
/*
 * model.c - turns a compiled program into the program of one definition.
 *
 *	model --patch.c--> constants --fold.c--> what this definition needs --splice--> program
 *
 * The compiler made one program for all kernels and definitions. Generated code comes where the definition's own part has its marker.
 */
#include "gen/model.h"

#include <errno.h>
#include <string.h>

#include "gen/count_code.h"
#include "gen/emit.h"
#include "gen/fault_in.h"
#include "gen/frames.h"
#include "gen/model_priv.h"
#include "gen/pair.h"
#include "gen/table_code.h"
#include "lang/pair.h"

_Static_assert((int)PAIR_STACK <= (int)EMIT_STACK, "the body's part of the stack has room for the key's code");

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
		else if (is_marker(&model->insns[i], BP_PATCH_PAIR_KEY) && plan->paired.pair && plan->paired.pair->field)
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
	if (counter_in_program(plan))
		counter_emit_rest(counter_emit_hot(plan, env, 0, code));
	if (code->overflow)
		return diag_at(diag, -E2BIG, plan->def->head_at, "the histograms need more code than one BPF program can hold");
	return 0;
}

int model_add_body(const struct plan *plan, const struct gate_env *env, bool is_long, struct code *code, struct diag *diag)
{
	return emit_rest(emit_hot(plan, env, is_long, 0, code), diag);
}

/* The @nr instructions at @insns with the values filled in, and without what these make unreachable. */
static void copy_needed(const struct model *m, const struct bpf_insn *insns, unsigned nr, struct code *ret)
{
	struct code all = { .arena = ret->arena };

	for (unsigned i = 0; i < nr; i++)
		code_add(&all, insns[i]);
	patch_model(m, &all);
	fold_model(&all, ret);
}

/* Jumps and calls are relative. */
static void append(const struct code *from, struct code *to)
{
	for (unsigned i = 0; i < from->nr; i++)
		code_add(to, from->insns[i]);
}

/* Appends @function, whose code is @made's, if something calls it. *at: where it is; 0: not yet. Returns whether it was appended. */
static bool append_made(const struct model *m, const struct count_made *made, bool writes, unsigned *at, struct code *c)
{
	enum code_function function = (writes ? CODE_WRITE : CODE_MADE) + (int)made->nr;
	struct code writer = { .arena = c->arena };

	if (*at) {
		code_link_at(c, function, *at);
		return false;
	}
	if (!code_link(c, function))
		return false;
	*at = c->nr;
	if (!writes) {
		table_emit_made(made, &m->gate, &m->writers[made->nr].gate, c);
		return true;
	}
	copy_needed(&m->writers[made->nr], m->writers[made->nr].insns, m->writers[made->nr].nr, &writer);
	append(&writer, c);
	return true;
}

/* Synthetic events may make others, so it goes on as long as something is called that is not there. */
static void append_all_made(const struct model *m, const struct plan *plan, struct code *c)
{
	const struct count_made *made;
	unsigned nr = 0, *at;
	bool more = true;

	for (made = plan->sets_off.mades; made; made = made->next)
		nr++;
	at = arena_array(c->arena, unsigned, 2 * nr);
	memset(at, 0, 2 * nr * sizeof(*at));
	while (more) {
		more = false;
		for (made = plan->sets_off.mades; made; made = made->next) {
			more |= append_made(m, made, false, &at[2 * made->nr], c);
			more |= append_made(m, made, true, &at[2 * made->nr + 1], c);
		}
	}
}

/* Appends the functions that are called. The gate appends what counts for it. */
static int append_functions(const struct model *m, const struct plan *plan, struct code *c, struct diag *diag)
{
	struct code path = { .arena = c->arena };
	int err = code_link(c, CODE_FETCH_LONG) ? model_add_body(plan, &m->gate, true, c, diag) : 0;

	if (!err && code_link(c, CODE_FAULT_IN))
		fault_in_emit(plan, c);
	if (!err && code_link(c, CODE_PATH)) {
		copy_needed(m, m->path, m->nr_path, &path);
		append(&path, c);
	}
	if (!err && code_link(c, CODE_COUNT_COLD))
		fault_in_emit_count(plan, &m->gate, c);
	if (!err && code_link(c, CODE_IS_COLD))
		fault_in_emit_is_cold(m->ids, c);
	for (enum code_function f = CODE_COUNT; !err && f <= CODE_COUNT_LONG; f++) {
		if (code_link(c, f))
			counter_emit_function(plan, f, c);
	}
	if (!err)
		append_all_made(m, plan, c);
	if (!err && c->overflow)
		err = diag_at(diag, -E2BIG, plan->def->head_at, "the arguments need more code than one BPF program can hold");
	return err;
}

/* The program without its gate. */
static int copy_program(const struct model *m, const struct plan *plan, struct code *ret, struct diag *diag)
{
	struct code needed = { .arena = ret->arena };
	unsigned stack;
	int fetch, err;

	copy_needed(m, m->insns, m->nr, &needed);
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
