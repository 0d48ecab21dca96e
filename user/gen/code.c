// SPDX-License-Identifier: GPL-2.0-only
/*
 * code.c - a growing piece of BPF, and its readable form.
 */
#include "gen/code.h"

#include <inttypes.h>

unsigned code_add(struct code *c, struct bpf_insn insn)
{
	c->insns = arena_grow(c->arena, c->insns, c->nr, &c->size);
	c->insns[c->nr] = insn;
	return c->nr++;
}

unsigned code_mov(struct code *c, unsigned dst, unsigned src)
{
	return code_alu(c, BPF_MOV, dst, src);
}

unsigned code_mov_imm(struct code *c, unsigned dst, int32_t imm)
{
	return code_alu_imm(c, BPF_MOV, dst, imm);
}

unsigned code_alu(struct code *c, unsigned op, unsigned dst, unsigned src)
{
	return code_add(c, (struct bpf_insn){
		.code = BPF_ALU64 | BPF_X | op, .dst_reg = dst, .src_reg = src });
}

unsigned code_alu_imm(struct code *c, unsigned op, unsigned dst, int32_t imm)
{
	return code_add(c, (struct bpf_insn){
		.code = BPF_ALU64 | BPF_K | op, .dst_reg = dst, .imm = imm });
}

static unsigned size_bits(unsigned bytes)
{
	switch (bytes) {
	case 1:
		return BPF_B;
	case 2:
		return BPF_H;
	case 4:
		return BPF_W;
	default:
		return BPF_DW;
	}
}

unsigned code_from_network(struct code *c, unsigned reg, unsigned bytes)
{
	return code_add(c, (struct bpf_insn){ .code = BPF_ALU | BPF_END | BPF_TO_BE, .dst_reg = reg, .imm = (int32_t)(8 * bytes) });
}

unsigned code_load(struct code *c, unsigned bytes, unsigned dst, unsigned src, int16_t off)
{
	return code_add(c, (struct bpf_insn){
		.code = BPF_LDX | BPF_MEM | size_bits(bytes),
		.dst_reg = dst, .src_reg = src, .off = off });
}

unsigned code_store(struct code *c, unsigned bytes, unsigned dst, int16_t off, unsigned src)
{
	return code_add(c, (struct bpf_insn){
		.code = BPF_STX | BPF_MEM | size_bits(bytes),
		.dst_reg = dst, .src_reg = src, .off = off });
}

unsigned code_store_imm(struct code *c, unsigned bytes, unsigned dst, int16_t off, int32_t imm)
{
	return code_add(c, (struct bpf_insn){
		.code = BPF_ST | BPF_MEM | size_bits(bytes), .dst_reg = dst, .off = off, .imm = imm });
}

unsigned code_call(struct code *c, int32_t helper)
{
	return code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = helper });
}

unsigned code_call_kernel(struct code *c, uint32_t func)
{
	return code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = (int32_t)func });
}

void code_follow(struct code *c, int off, unsigned bytes, int16_t word)
{
	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, word);
	code_mov_imm(c, BPF_REG_2, (int32_t)bytes);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, off);
	code_call(c, BPF_FUNC_probe_read_kernel);
	code_load(c, bytes, BPF_REG_3, BPF_REG_10, word);
}

unsigned code_call_function(struct code *c, enum code_function function)
{
	return code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (int32_t)function });
}

bool code_is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

bool code_is_local_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

bool code_calls_function(const struct bpf_insn *insn)
{
	return code_is_local_call(insn) && insn->imm < (int32_t)CODE_FUNCTIONS_END;
}

bool code_link_at(struct code *c, enum code_function function, unsigned target)
{
	bool called = false;

	for (unsigned i = 0; i < c->nr; i++) {
		struct bpf_insn *insn = &c->insns[i];

		if (code_is_local_call(insn) && insn->imm == (int32_t)function) {
			insn->imm = (int32_t)target - (int32_t)i - 1;
			called = true;
		}
		i += code_is_wide(insn);
	}
	return called;
}

bool code_link(struct code *c, enum code_function function)
{
	return code_link_at(c, function, c->nr);
}

unsigned code_exit(struct code *c)
{
	return code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
}

void code_const(struct code *c, unsigned dst, uint64_t value)
{
	if ((int64_t)value == (int32_t)value) {
		code_mov_imm(c, dst, (int32_t)value);
		return;
	}
	code_add(c, (struct bpf_insn){
		.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = dst, .imm = (int32_t)value });
	code_add(c, (struct bpf_insn){ .imm = (int32_t)(value >> 32) });
}

void code_map(struct code *c, unsigned dst, int fd)
{
	code_add(c, (struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = dst,
				       .src_reg = BPF_PSEUDO_MAP_FD, .imm = fd });
	code_add(c, (struct bpf_insn){ 0 });
}

void code_map_value(struct code *c, unsigned dst, int fd, uint32_t offset)
{
	code_add(c, (struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = dst,
				       .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = fd });
	code_add(c, (struct bpf_insn){ .imm = (int32_t)offset });
}

void code_add_const(struct code *c, unsigned dst, int64_t value, unsigned scratch)
{
	if (!value)
		return;
	if (value == (int32_t)value) {
		code_alu_imm(c, BPF_ADD, dst, (int32_t)value);
		return;
	}
	code_const(c, scratch, (uint64_t)value);
	code_alu(c, BPF_ADD, dst, scratch);
}

unsigned code_jump(struct code *c)
{
	return code_add(c, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
}

unsigned code_jump_imm(struct code *c, unsigned op, unsigned dst, int32_t imm)
{
	return code_add(c, (struct bpf_insn){
		.code = BPF_JMP | BPF_K | op, .dst_reg = dst, .imm = imm });
}

unsigned code_jump_imm32(struct code *c, unsigned op, unsigned dst, int32_t imm)
{
	return code_add(c, (struct bpf_insn){
		.code = BPF_JMP32 | BPF_K | op, .dst_reg = dst, .imm = imm });
}

unsigned code_jump_reg(struct code *c, unsigned op, unsigned dst, unsigned src)
{
	return code_add(c, (struct bpf_insn){
		.code = BPF_JMP | BPF_X | op, .dst_reg = dst, .src_reg = src });
}

void code_land(struct code *c, unsigned jump)
{
	code_land_at(c, jump, c->nr);
}

void code_land_at(struct code *c, unsigned jump, unsigned target)
{
	int64_t distance = (int64_t)target - jump - 1;

	if (distance != (int16_t)distance)
		c->overflow = true;
	c->insns[jump].off = (int16_t)distance;
}

/* ---- the readable form ---- */

static const char *const alu_ops[16] = {
	"+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=", "s>>=",
	"?", "?", "?",
};

static const char *const jmp_ops[16] = {
	"goto", "==", ">", ">=", "&", "!=", "s>", "s>=", "call", "exit", "<", "<=", "s<", "s<=",
	"?", "?",
};

static const char *size_name(unsigned code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B:
		return "u8";
	case BPF_H:
		return "u16";
	case BPF_W:
		return "u32";
	default:
		return "u64";
	}
}

static const char *helper_name(int32_t helper)
{
	switch (helper) {
	case CODE_GET_FUNC_ARG:
		return "get_func_arg";
	case CODE_GET_FUNC_RET:
		return "get_func_ret";
	case BPF_FUNC_probe_read:
		return "probe_read";
	case BPF_FUNC_probe_read_str:
		return "probe_read_str";
	case BPF_FUNC_probe_read_user:
		return "probe_read_user";
	case BPF_FUNC_probe_read_kernel:
		return "probe_read_kernel";
	case BPF_FUNC_probe_read_user_str:
		return "probe_read_user_str";
	case BPF_FUNC_get_stack:
		return "get_stack";
	case BPF_FUNC_probe_read_kernel_str:
		return "probe_read_kernel_str";
	case BPF_FUNC_get_current_pid_tgid:
		return "get_current_pid_tgid";
	case BPF_FUNC_get_current_uid_gid:
		return "get_current_uid_gid";
	case BPF_FUNC_get_current_comm:
		return "get_current_comm";
	case BPF_FUNC_get_current_task:
		return "get_current_task";
	case BPF_FUNC_get_current_task_btf:
		return "get_current_task_btf";
	case BPF_FUNC_current_task_under_cgroup:
		return "current_task_under_cgroup";
	case BPF_FUNC_get_smp_processor_id:
		return "get_smp_processor_id";
	case BPF_FUNC_ktime_get_boot_ns:
		return "ktime_get_boot_ns";
	case BPF_FUNC_ktime_get_ns:
		return "ktime_get_ns";
	case BPF_FUNC_ktime_get_tai_ns:
		return "ktime_get_tai_ns";
	case BPF_FUNC_map_lookup_elem:
		return "map_lookup_elem";
	case BPF_FUNC_map_update_elem:
		return "map_update_elem";
	default:
		return NULL;
	}
}

static void print_alu(const struct bpf_insn *i, struct buf *out)
{
	const char *op = alu_ops[BPF_OP(i->code) >> 4];
	char reg = BPF_CLASS(i->code) == BPF_ALU64 ? 'r' : 'w';

	if (BPF_OP(i->code) == BPF_END)
		buf_addf(out, "r%u = be%d r%u", i->dst_reg, i->imm, i->dst_reg);
	else if (BPF_SRC(i->code) == BPF_X)
		buf_addf(out, "%c%u %s %c%u", reg, i->dst_reg, op, reg, i->src_reg);
	else
		buf_addf(out, "%c%u %s %d", reg, i->dst_reg, op, i->imm);
}

static void print_jmp(const struct bpf_insn *i, unsigned at, struct buf *out)
{
	unsigned op = BPF_OP(i->code);
	unsigned target = (unsigned)((int)at + 1 + i->off);
	char reg = BPF_CLASS(i->code) == BPF_JMP ? 'r' : 'w';

	if (op == BPF_EXIT)
		buf_adds(out, "exit");
	else if (op == BPF_JA)
		buf_addf(out, "goto %u", target);
	else if (code_calls_function(i) && i->imm == (int32_t)CODE_PATH)
		buf_adds(out, "call bp_path");
	else if (code_calls_function(i) && i->imm >= (int32_t)CODE_COUNT && i->imm <= (int32_t)CODE_COUNT_LONG)
		buf_adds(out, "call what counts");
	else if (op == BPF_CALL && i->src_reg == BPF_PSEUDO_CALL)
		buf_addf(out, "call %u", at + 1 + (unsigned)i->imm);
	else if (op == BPF_CALL && i->src_reg == BPF_PSEUDO_KFUNC_CALL)
		buf_adds(out, "call the kernel's cast");
	else if (op == BPF_CALL && helper_name(i->imm))
		buf_addf(out, "call %s", helper_name(i->imm));
	else if (op == BPF_CALL)
		buf_addf(out, "call helper %d", i->imm);
	else if (BPF_SRC(i->code) == BPF_X)
		buf_addf(out, "if %c%u %s %c%u goto %u", reg, i->dst_reg, jmp_ops[op >> 4], reg, i->src_reg, target);
	else
		buf_addf(out, "if %c%u %s %d goto %u", reg, i->dst_reg, jmp_ops[op >> 4], i->imm, target);
}

static void print_insn(const struct bpf_insn *i, unsigned at, struct buf *out)
{
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		print_alu(i, out);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		print_jmp(i, at, out);
		break;
	case BPF_LDX:
		buf_addf(out, "r%u = *(%s *)(r%u %+d)", i->dst_reg, size_name(i->code), i->src_reg, i->off);
		break;
	case BPF_STX:
		if (BPF_MODE(i->code) == BPF_ATOMIC && i->imm == BPF_ADD)
			buf_addf(out, "lock *(%s *)(r%u %+d) += r%u", size_name(i->code), i->dst_reg, i->off, i->src_reg);
		else if (BPF_MODE(i->code) == BPF_ATOMIC)
			buf_addf(out, "r0 = atomic%s_cmpxchg((u64 *)(r%u %+d), r0, r%u)", BPF_SIZE(i->code) == BPF_DW ? "64" : "",
				 i->dst_reg, i->off, i->src_reg);
		else
			buf_addf(out, "*(%s *)(r%u %+d) = r%u", size_name(i->code), i->dst_reg, i->off, i->src_reg);
		break;
	case BPF_ST:
		buf_addf(out, "*(%s *)(r%u %+d) = %d", size_name(i->code), i->dst_reg, i->off, i->imm);
		break;
	default:
		/* --explain has no maps */
		if (i->src_reg == BPF_PSEUDO_MAP_FD && i->imm < 0)
			buf_addf(out, "r%u = map", i->dst_reg);
		else if (i->src_reg == BPF_PSEUDO_MAP_VALUE && i->imm < 0)
			buf_addf(out, "r%u = map_value %+d", i->dst_reg, i[1].imm);
		else
			buf_addf(out, "r%u = 0x%" PRIx64, i->dst_reg,
				 (uint64_t)(uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm << 32);
		break;
	}
}

void code_print(const struct bpf_insn *insns, unsigned nr, struct buf *out)
{
	for (unsigned i = 0; i < nr; i++) {
		bool wide = insns[i].code == (BPF_LD | BPF_IMM | BPF_DW);

		buf_addf(out, "%6u: ", i);
		print_insn(&insns[i], i, out);
		buf_addc(out, '\n');
		i += wide;			/* its second half is not an instruction */
	}
}
